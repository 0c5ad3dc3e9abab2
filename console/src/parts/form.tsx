/** Fields and buttons, and what a form does when it is sent. */
import type { ButtonHTMLAttributes, ComponentChildren, InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';
import { useFocusOnMount } from './use-focus.ts';

type Submitted = SubmitEvent & { readonly currentTarget: HTMLFormElement };

/**
 * What a form does in place of asking the server for a page.
 *
 * @param run Is handed what reads a field by its name, as `textIn` does.
 */
export function submitted(run: (textOf: (name: string) => string) => void): (event: Submitted) => void {
  return (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    run((name) => textIn(form, name));
  };
}

/** What is in a field, without the spaces around it; '' where there is no such field. */
export function textIn(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value.trim() : '';
}

type FieldProps = Omit<InputHTMLAttributes, 'class' | 'list' | 'label'> & {
  readonly label: string;
  /** A class of the label. */
  readonly look?: string;
  readonly suggestions?: readonly string[];
  /** Whether it has the caret once it is there. */
  readonly isFirst?: boolean;
};

/** A line of text with its label above, and with our suggestions alone. */
export function Field({ label, look, suggestions, isFirst = false, ...attributes }: FieldProps) {
  const id = useId();
  const field = useFocusOnMount<HTMLInputElement>(isFirst);
  // The types of Preact know no input that may be of several kinds.
  const given = { autoComplete: 'off', list: suggestions && id, ...attributes } as InputHTMLAttributes;
  return (
    <label class={look}>
      <span class="label">{label}</span>
      <input ref={field} {...given} />
      {suggestions !== undefined && (
        <datalist id={id}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </label>
  );
}

interface CheckProps {
  readonly label: ComponentChildren;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** A box that is ticked or not. */
export function Check({ label, isOn, onChange }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      {label}
    </label>
  );
}

export interface ButtonProps extends Omit<ButtonHTMLAttributes, 'class' | 'children' | 'label'> {
  readonly label: string;
  /** Its classes: `primary` and `danger` stand out, `plain` has no frame. */
  readonly look?: string | undefined;
}

/** A button with a text on it. It sends no form, unless its `type` is `submit`. */
export function Button({ label, look, ...attributes }: ButtonProps) {
  return (
    <button type="button" class={look} {...attributes}>
      {label}
    </button>
  );
}
