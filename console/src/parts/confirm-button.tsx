import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Form } from './loading/change.tsx';
import { Dialog } from './dialog.tsx';
import { Button } from './form.tsx';
import { useFocusOnMount } from './use-focus.ts';

interface ConfirmNameProps {
  /** `Revoke this key?` */
  readonly title: string;
  /** What is typed to confirm: the name of what is changed for good. Nothing is where it is left out. */
  readonly name?: string;
  /** On the button. */
  readonly action: string;
  /** The dialog closes when it is done. @throws ApiError, which is shown. */
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  /** What will happen, with counts where there are some. */
  readonly children: ComponentChildren;
}

/** A dialog before what cannot be undone: it says what will happen, and asks for the name. */
function ConfirmName({ title, name, action, onConfirm, onClose, children }: ConfirmNameProps) {
  const [typed, setTyped] = useState('');
  const isNamed = name === undefined || typed.trim() === name.trim();
  return (
    <Dialog title={title} look="confirm" onClose={onClose}>
      {(close) => (
        <Form
          action={action}
          isDangerous={name !== undefined}
          isOff={!isNamed}
          onSend={async () => onConfirm().then(onClose)}
          onCancel={close}
        >
          {children}
          {name !== undefined && <TypedName name={name} typed={typed} onType={setTyped} />}
        </Form>
      )}
    </Dialog>
  );
}

interface TypedNameProps {
  readonly name: string;
  readonly typed: string;
  readonly onType: (text: string) => void;
}

/** The field for the name of what is changed for good. */
export function TypedName({ name, typed, onType }: TypedNameProps) {
  const field = useFocusOnMount<HTMLInputElement>();
  return (
    <label>
      <span class="label">
        To confirm, type <code>{name}</code>
      </span>
      <input
        ref={field}
        value={typed}
        autoComplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => onType(currentTarget.value)}
      />
    </label>
  );
}

interface ConfirmButtonProps extends Omit<ConfirmNameProps, 'onClose'> {
  /** On the button that asks: `Delete…` */
  readonly label: string;
  /** Which one, for those who do not see where the button stands. */
  readonly ariaLabel?: string;
  readonly look?: string;
  readonly isRow?: boolean;
  readonly isOff?: boolean;
}

/** A button of what cannot be undone, with the dialog before it. */
export function ConfirmButton({
  label,
  ariaLabel,
  look,
  isRow = false,
  isOff = false,
  children,
  ...dialog
}: ConfirmButtonProps) {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button
        label={label}
        look={look}
        aria-label={ariaLabel}
        data-row={isRow ? '' : undefined}
        disabled={isOff}
        onClick={() => setAsked(true)}
      />
      {isAsked && (
        <ConfirmName {...dialog} onClose={() => setAsked(false)}>
          {children}
        </ConfirmName>
      )}
    </>
  );
}
