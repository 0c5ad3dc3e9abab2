/** Fields and buttons, and what a form does when it is sent. */
import { type ButtonHTMLAttributes, type ComponentChildren, createContext, type InputHTMLAttributes } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { useFocusOnMount } from './use-focus.ts';

type Submitted = SubmitEvent & { readonly currentTarget: HTMLFormElement };

/**
 * What a form does in place of asking the server for a page.
 *
 * @param run Is handed what reads a field by its name, without the spaces around it; '' where there is no such field.
 */
export function submitted(run: (textOf: (name: string) => string) => void): (event: Submitted) => void {
  return (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    run((name) => {
      const value = new FormData(form).get(name);
      return typeof value === 'string' ? value.trim() : '';
    });
  };
}

type FieldProps = Omit<InputHTMLAttributes, 'class' | 'list' | 'label' | 'name'> & {
  readonly name?: string;
  readonly label: ComponentChildren;
  /** A class of the label. */
  readonly look?: string;
  readonly suggestions?: readonly string[];
  /** Whether it has the caret once it is there. */
  readonly isFirst?: boolean;
  /** Whether its label is for screen readers alone. */
  readonly isBare?: boolean;
};

/** What is wrong with fields of a form, by their names: `is missing`. */
export const FieldMarks = createContext<ReadonlyMap<string, string>>(new Map());

/** A line of text with its label above, and with our suggestions alone. */
export function Field({ label, look, suggestions, isFirst = false, isBare = false, ...attributes }: FieldProps) {
  const id = useId();
  const field = useFocusOnMount<HTMLInputElement>(isFirst);
  const wrong = useContext(FieldMarks).get(attributes.name ?? '');
  const marked = wrong === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': `${id}-wrong` };
  // The types of Preact know no input that may be of several kinds.
  const given = { autoComplete: 'off', list: suggestions && id, ...marked, ...attributes } as InputHTMLAttributes;
  return (
    <label class={look}>
      <span class={isBare ? 'visually-hidden' : 'label'}>{label}</span>
      <input ref={field} {...given} />
      {wrong !== undefined && (
        <span class="field-error" id={`${id}-wrong`} aria-hidden="true">
          This {wrong}.
        </span>
      )}
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
