/** One of several, several of many, and what narrows a list. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { parameter, setParameters } from '../api/address.ts';
import { Check, Field, Menu } from './form.tsx';

interface SelectProps {
  /** What is chosen, for those who do not see where it stands. */
  readonly label?: string;
  readonly look?: string;
  readonly value: string;
  /** Texts by their values, in the order of the list. */
  readonly options: Readonly<Record<string, string>> | readonly (readonly [value: string, text: string])[];
  /** Those that cannot be chosen now. */
  readonly off?: readonly string[];
  /** Whether `/` leads here. */
  readonly isSearch?: boolean;
  readonly onChoice: (value: string) => void;
}

/** One of several. What is chosen already is in the list, even where nothing else knows it. */
export function Select({ label, look, value, options, off = [], isSearch = false, onChoice }: SelectProps) {
  const known = Array.isArray(options) ? (options as readonly (readonly [string, string])[]) : Object.entries(options);
  const all = known.some(([one]) => one === value) ? known : [[value, value] as const, ...known];
  return (
    <select
      class={look}
      aria-label={label}
      value={value}
      data-search={isSearch ? '' : undefined}
      onChange={({ currentTarget }) => onChoice(currentTarget.value)}
    >
      {all.map(([one, text]) => (
        <option key={one} value={one} disabled={off.includes(one)}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** The same with its label above. */
export function Choice({ label, ...select }: SelectProps & { readonly label: string }) {
  return (
    <label>
      <span class="label">{label}</span>
      <Select {...select} />
    </label>
  );
}

export interface CheckListProps<Name extends string> {
  readonly options: readonly (readonly [name: Name, text: ComponentChildren])[];
  readonly chosen: readonly Name[];
  /** Told the names in the order of the options. */
  readonly onChoice: (chosen: readonly Name[]) => void;
}

/** Several of many, a box each. */
export function CheckList<Name extends string>({ options, chosen, onChoice }: CheckListProps<Name>) {
  const names = options.map(([name]) => name);
  const choose = (name: Name, isOn: boolean): void =>
    onChoice(names.filter((one) => (one === name ? isOn : chosen.includes(one))));
  return options.map(([name, text]) => (
    <Check key={name} label={text} isOn={chosen.includes(name)} onChange={(isOn) => choose(name, isOn)} />
  ));
}

interface CheckMenuProps<Name extends string> extends CheckListProps<Name> {
  /** What is chosen, for those who do not see where it stands. */
  readonly label: string;
  /** On the button. */
  readonly text: string;
}

/** The same behind a button. */
export function CheckMenu<Name extends string>({ label, text, ...list }: CheckMenuProps<Name>) {
  return (
    <Menu text={text} label={text === label ? undefined : `${label}: ${text}`} panel="check-menu" group={label}>
      <CheckList {...list} />
    </Menu>
  );
}

/** What narrows a list: each choice takes effect by itself. */
export function Filters({
  label = 'Filter',
  children,
}: {
  readonly label?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <form class="filters" role="search" aria-label={label} onSubmit={(event) => event.preventDefault()}>
      {children}
    </form>
  );
}

interface FilterFieldProps {
  /** The parameter of the address that has its text. */
  readonly name: string;
  readonly label: string;
  readonly look?: string;
  readonly type?: 'search' | 'date';
  readonly placeholder?: string;
  /** Whether `/` leads here. */
  readonly isSearch?: boolean;
  /** Whether its label is for screen readers alone. */
  readonly isBare?: boolean;
}

/** Takes effect as one types, a moment after the last letter, and at once with Enter. */
export function FilterField({ name, type = 'search', isSearch = false, ...field }: FilterFieldProps) {
  const { text, setText, take } = useTyped(name);
  return (
    <Field
      {...field}
      type={type}
      maxLength={512}
      value={text}
      data-search={isSearch ? '' : undefined}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
      onChange={({ currentTarget }) => take(currentTarget.value)}
    />
  );
}

/** What is typed is asked for when nothing was typed for this time: each letter would be a question of its own. */
export const TYPED_MS = 250;

/** What somebody types of a parameter of the address, which follows. It makes no step that Back takes back. */
function useTyped(name: string) {
  const kept = parameter(name) ?? '';
  const [text, setText] = useState(kept);
  const sent = useRef(kept);
  const take = (typed: string): void => {
    sent.current = typed.trim();
    setParameters({ [name]: sent.current, cursor: '' });
  };
  useEffect(() => {
    if (kept === sent.current) return;
    // Back, a link or a button has changed it.
    sent.current = kept;
    setText(kept);
  }, [kept]);
  useEffect(() => {
    if (text.trim() === sent.current) return undefined;
    const timer = setTimeout(() => take(text), TYPED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return { text, setText, take };
}
