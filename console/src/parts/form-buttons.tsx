interface FormButtonsProps {
  /** On the button that sends the form. */
  readonly action: string;
  readonly isOff?: boolean;
  readonly look?: 'primary' | 'danger';
  readonly onCancel: () => void;
}

/** What ends a form or a dialog: it is done, or left. */
export function FormButtons({ action, isOff = false, look = 'primary', onCancel }: FormButtonsProps) {
  return (
    <div class="row">
      <button type="submit" class={look} disabled={isOff}>
        {action}
      </button>
      <button type="button" class="plain" onClick={onCancel}>
        Cancel
      </button>
    </div>
  );
}
