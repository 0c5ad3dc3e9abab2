import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

export interface ConfirmProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** What has to be written before the button can be pressed; nothing where left out. */
  readonly name?: string;
  /** What the button says. */
  readonly verb: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Says what will happen, and asks for the name of what cannot be had back. Open as long as it is there. */
export function Confirm({ title, children, name, verb, onConfirm, onClose }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  useEffect(() => dialog.current?.showModal(), []);
  const submit = (event: Event): void => {
    event.preventDefault();
    onConfirm();
    onClose();
  };
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby="confirm-title" onClose={onClose}>
      <form onSubmit={submit}>
        <h2 id="confirm-title">{title}</h2>
        {children}
        {name !== undefined && (
          <label>
            <span class="label">
              Write <code>{name}</code> to go on
            </span>
            <input
              autocomplete="off"
              spellcheck={false}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
        )}
        <div class="row end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={name !== undefined && text.trim() !== name}>
            {verb}
          </button>
        </div>
      </form>
    </dialog>
  );
}
