/** Fields, buttons and menus, and what a form does when it is sent. */
import { type ButtonHTMLAttributes, type ComponentChildren, createContext, type InputHTMLAttributes } from 'preact';
import { useContext, useId, useRef } from 'preact/hooks';
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

interface MenuProps {
  /** On the button that opens it. */
  readonly text: ComponentChildren;
  /** What the button is called, where its text does not say it all. */
  readonly label?: string | undefined;
  /** Classes of the button, and of what it opens. */
  readonly look?: string;
  readonly panel?: string;
  /** What is in it, as a group. */
  readonly group?: string;
  readonly onToggle?: (isOpen: boolean) => void;
  /** Whether a press of any button in it closes it. */
  readonly isChoice?: boolean;
  readonly children: ComponentChildren;
}

/** What a button opens, until Esc or a press anywhere else. */
export function Menu({ text, label, look = '', panel = '', group, isChoice, onToggle, children }: MenuProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  // What has the focus then gets it back from a dialog.
  const close = (): void => {
    menu.current?.querySelector('summary')?.focus();
    menu.current?.removeAttribute('open');
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || menu.current?.open !== true) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  const choose = ({ target }: Event): void => {
    if (isChoice === true && target instanceof Element && target.closest('button') !== null) close();
  };
  return (
    <details ref={menu} class="menu" onKeyDown={press} onToggle={() => onToggle?.(menu.current?.open === true)}>
      <summary class={`button ${look}`.trim()} aria-label={label} title={typeof text === 'string' ? undefined : label}>
        {text}
      </summary>
      <div
        class={`menu-panel ${panel}`.trim()}
        role={group === undefined ? undefined : 'group'}
        aria-label={group}
        onClick={choose}
      >
        {children}
      </div>
    </details>
  );
}

// A press anywhere else closes a menu, as people expect of one.
addEventListener('pointerdown', ({ target }) => {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')) {
    if (!(target instanceof Node && menu.contains(target))) menu.open = false;
  }
});
