/** What changes something at the service: a button or a form, which says why a change was refused. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, refusalIn } from '../../api/client.ts';
import { Button, type ButtonProps, Field, FieldMarks, submitted } from '../form.tsx';
import { signal } from '@preact/signals';
import { Dialog } from '../dialog.tsx';
import { memberOf, saying } from './problems.ts';
import { fieldOf, Problem } from './use-load.tsx';

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
  /** Left out where there is nothing to leave. */
  readonly onCancel?: () => void;
  /** Beside the buttons. */
  readonly note?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A form, or what is in a dialog: it is sent, or left. */
export function Form({ label, look, action, isDangerous, isOff = false, onSend, onCancel, ...inside }: FormProps) {
  const { isBusy, error, run } = useChange();
  const isStuck = isOff || isBusy;
  return (
    <form class={look} aria-label={label} onSubmit={submitted((textOf) => !isStuck && run(async () => onSend(textOf)))}>
      <MarkedFields error={error}>{inside.children}</MarkedFields>
      <div class="row">
        <Button label={action} type="submit" look={isDangerous === true ? 'danger' : 'primary'} disabled={isStuck} />
        {onCancel !== undefined && <Button label="Cancel" look="plain" onClick={onCancel} />}
        {inside.note}
      </div>
    </form>
  );
}

const newest = signal<{ readonly text: string } | undefined>(undefined);

const SHOWN_MS = 4_000;

/** @param text A whole sentence, short: `Saved.` */
export function tellDone(text: string): void {
  newest.value = { text };
}

export function Feedback() {
  const done = newest.value;
  useEffect(() => {
    const timer = setTimeout(() => (newest.value = undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <div class="feedback" role="status">
      {done !== undefined && <p>{done.text}</p>}
    </div>
  );
}

interface ConfirmButtonProps {
  /** On the button that asks: `Delete…` */
  readonly label: string;
  /** Which one, for those who do not see where the button stands. */
  readonly ariaLabel?: string;
  readonly look?: string;
  readonly isRow?: boolean;
  readonly isOff?: boolean;
  /** `Revoke this key?` */
  readonly title: string;
  /** What is typed to confirm: the name of what is changed for good. Nothing is where it is left out. */
  readonly name?: string;
  /** On the button. */
  readonly action: string;
  /** The dialog closes when it is done. @throws ApiError, which is shown. */
  readonly onConfirm: () => Promise<void>;
  /** What will happen, with counts where there are some. */
  readonly children: ComponentChildren;
}

/** A button of what cannot be undone. A dialog before it says what will happen, and asks for the name. */
export function ConfirmButton({ label, ariaLabel, look, isRow = false, isOff = false, ...asked }: ConfirmButtonProps) {
  const { title, name, action, onConfirm, children } = asked;
  // Undefined while nothing is asked.
  const [typed, setTyped] = useState<string>();
  const end = (): void => setTyped(undefined);
  return (
    <>
      <Button
        label={label}
        look={look}
        aria-label={ariaLabel}
        data-row={isRow ? '' : undefined}
        disabled={isOff}
        onClick={() => setTyped('')}
      />
      {typed !== undefined && (
        <Dialog title={title} look="confirm" onClose={end}>
          {(close) => (
            <Form
              action={action}
              isDangerous={name !== undefined}
              isOff={name !== undefined && typed.trim() !== name.trim()}
              onSend={async () => onConfirm().then(end)}
              onCancel={close}
            >
              {children}
              {name !== undefined && <TypedName name={name} typed={typed} onType={setTyped} />}
            </Form>
          )}
        </Dialog>
      )}
    </>
  );
}

interface TypedNameProps {
  readonly name: string;
  readonly typed: string;
  readonly onType: (text: string) => void;
}

/** The field for the name of what is changed for good. */
export function TypedName({ name, typed, onType }: TypedNameProps) {
  const label = (
    <>
      To confirm, type <code>{name}</code>
    </>
  );
  const type = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void => onType(currentTarget.value);
  return <Field label={label} value={typed} spellcheck={false} isFirst onInput={type} />;
}

/** Why something was refused, in a line beside its button. */
export function FieldError({ error }: { readonly error: ApiError | undefined }) {
  if (error === undefined) return null;
  const [first] = error.errors;
  return (
    <span class="field-error" role="alert">
      {first === undefined ? saying(error.message) : `${memberOf(first.path)} ${saying(first.message)}`.trim()}
    </span>
  );
}

interface MarkedFieldsProps {
  /** Why the form was refused. */
  readonly error: ApiError | undefined;
  readonly children: ComponentChildren;
}

/** What is in a form: what is wrong with one field is said at it, and the rest below all of them. */
function MarkedFields({ error, children }: MarkedFieldsProps) {
  const end = useRef<HTMLElement>(null);
  const [marks, setMarks] = useState<ReadonlyMap<string, string>>(new Map());
  useLayoutEffect(() => {
    const fields = end.current?.closest('form')?.elements;
    const named = (error?.errors ?? []).flatMap(({ path, message }) => {
      const field = fields?.namedItem(fieldOf(path));
      return field instanceof HTMLInputElement ? [[field, saying(message)] as const] : [];
    });
    setMarks(new Map(named.map(([{ name }, text]) => [name, text])));
    named[0]?.[0].focus();
  }, [error]);
  return (
    <FieldMarks.Provider value={marks}>
      {children}
      <i ref={end} hidden />
      {error !== undefined && <Problem error={error} told={[...marks.keys()]} />}
    </FieldMarks.Provider>
  );
}
