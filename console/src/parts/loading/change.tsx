/** What changes something at the service: a button or a form, which says why a change was refused. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiError, refusalIn } from '../../api/client.ts';
import { Button, type ButtonProps, submitted } from '../form.tsx';
import { FieldError, MarkedFields } from './states.tsx';

export interface Change {
  readonly isBusy: boolean;
  /** Why the last one was refused. */
  readonly error: ApiError | undefined;
  /** Runs one change at a time; another while it runs is passed over. */
  readonly run: (change: () => Promise<unknown>) => void;
}

export function useChange(): Change {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const run = (change: () => Promise<unknown>): void => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    change()
      .catch((failure: unknown) => setError(refusalIn(failure)))
      .finally(() => setBusy(false));
  };
  return { isBusy, error, run };
}

interface ChangeButtonProps extends ButtonProps {
  /** @throws ApiError, which is shown. */
  readonly change: () => Promise<unknown>;
}

/** A button that makes a change, once at a time. */
export function ChangeButton({ change, disabled = false, ...button }: ChangeButtonProps) {
  const { isBusy, error, run } = useChange();
  return (
    <>
      <FieldError error={error} />
      <Button disabled={isBusy || disabled} onClick={() => run(change)} {...button} />
    </>
  );
}

interface FormProps {
  /** What it is, for those who do not see its heading. */
  readonly label?: string;
  readonly look?: string;
  /** On the button that sends it, and whether that stands for what cannot be undone. */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** Whether it cannot be sent yet. */
  readonly isOff?: boolean;
  /** Is handed what reads a field by its name. @throws ApiError, which is shown. */
  readonly onSend: (textOf: (name: string) => string) => Promise<unknown>;
  readonly onCancel: () => void;
  readonly children: ComponentChildren;
}

/** A form, or what is in a dialog: it is sent, or left. */
export function Form({ label, look, action, isDangerous, isOff = false, onSend, onCancel, children }: FormProps) {
  const { isBusy, error, run } = useChange();
  const isStuck = isOff || isBusy;
  return (
    <form class={look} aria-label={label} onSubmit={submitted((textOf) => !isStuck && run(async () => onSend(textOf)))}>
      <MarkedFields error={error}>{children}</MarkedFields>
      <div class="row">
        <Button label={action} type="submit" look={isDangerous === true ? 'danger' : 'primary'} disabled={isStuck} />
        <Button label="Cancel" look="plain" onClick={onCancel} />
      </div>
    </form>
  );
}
