import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly look?: string;
  readonly onClose: () => void;
  /** Is handed what closes it, as Esc does. */
  readonly children: (close: () => void) => ComponentChildren;
}

/** A dialog that is open for as long as it is there. */
export function Dialog({ title, look, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class={look} aria-labelledby="dialog-title" onClose={onClose}>
      <h2 id="dialog-title">{title}</h2>
      {children(() => dialog.current?.close())}
    </dialog>
  );
}
