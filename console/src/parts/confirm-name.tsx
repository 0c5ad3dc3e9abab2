import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from './loading/states.tsx';
import { useChange } from './loading/use-change.ts';
import './confirm-name.css';

export interface ConfirmNameProps {
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
export function ConfirmName({ title, name, action, onConfirm, onClose, children }: ConfirmNameProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const { isBusy, error, run } = useChange();
  const isNamed = name === undefined || typed.trim() === name.trim();
  useEffect(() => dialog.current?.showModal(), []);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isNamed) run(async () => onConfirm().then(onClose));
  };
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby="confirm-title" onClose={onClose}>
      <form onSubmit={submit}>
        <h2 id="confirm-title">{title}</h2>
        {children}
        {name !== undefined && (
          <label>
            <span class="label">
              To confirm, type <code>{name}</code>
            </span>
            <input
              value={typed}
              autoComplete="off"
              spellcheck={false}
              autoFocus
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          </label>
        )}
        {error !== undefined && <Problem error={error} />}
        <div class="row">
          <button type="submit" class={name === undefined ? 'primary' : 'danger'} disabled={!isNamed || isBusy}>
            {action}
          </button>
          <button type="button" class="plain" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
