import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ConfirmName } from './confirm-name.tsx';

interface ConfirmButtonProps {
  /** On the button that asks: `Delete…` */
  readonly label: string;
  /** Which one, for those who do not see where the button stands. */
  readonly ariaLabel?: string;
  readonly look?: string;
  readonly isRow?: boolean;
  readonly title: string;
  readonly name: string;
  readonly action: string;
  readonly onConfirm: () => Promise<void>;
  /** What will happen. */
  readonly children: ComponentChildren;
}

/** A button of what cannot be undone, with the dialog before it. */
export function ConfirmButton({ label, ariaLabel, look, isRow = false, children, ...dialog }: ConfirmButtonProps) {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <button
        type="button"
        class={look}
        aria-label={ariaLabel}
        data-row={isRow ? '' : undefined}
        onClick={() => setAsked(true)}
      >
        {label}
      </button>
      {isAsked && (
        <ConfirmName {...dialog} onClose={() => setAsked(false)}>
          {children}
        </ConfirmName>
      )}
    </>
  );
}
