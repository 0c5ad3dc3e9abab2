import type { ComponentChildren } from 'preact';

export interface RowButtonProps {
  /** A class beside `row-button`: how wide its cells are. */
  readonly look: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly children: ComponentChildren;
}

/** A line of a list that opens in its place or beside it. */
export function RowButton({ look, isOpen, onToggle, children }: RowButtonProps) {
  return (
    <button type="button" class={`row-button ${look}`} data-row aria-expanded={isOpen} onClick={onToggle}>
      {children}
    </button>
  );
}
