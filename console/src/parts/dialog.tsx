import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly look?: string;
  readonly onClose: () => void;
  /** Is handed what closes it, as Esc does. */
  readonly children: (close: () => void) => ComponentChildren;
}

/** A dialog that is open for as long as it is there. The field in it that wants the focus gets it once it is open. */
export function Dialog({ title, look, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>('[data-first]')?.focus();
  }, []);
  return (
    <dialog ref={dialog} class={look} aria-labelledby="dialog-title" onClose={onClose}>
      <h2 id="dialog-title">{title}</h2>
      {children(() => dialog.current?.close())}
    </dialog>
  );
}
