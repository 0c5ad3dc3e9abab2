import type { ComponentChildren } from 'preact';
import { useOpenDialog } from './use-focus.ts';

interface DialogProps {
  readonly title: string;
  readonly look?: string;
  readonly onClose: () => void;
  /** Is handed what closes it, as Esc does. */
  readonly children: (close: () => void) => ComponentChildren;
}

/** A dialog that is open for as long as it is there. */
export function Dialog({ title, look, onClose, children }: DialogProps) {
  const dialog = useOpenDialog();
  return (
    <dialog ref={dialog} class={look} aria-labelledby="dialog-title" onClose={onClose}>
      <h2 id="dialog-title">{title}</h2>
      {children(() => dialog.current?.close())}
    </dialog>
  );
}
