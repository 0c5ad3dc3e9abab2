/**
 * A field with suggestions, after the ARIA pattern "editable combobox with list autocomplete". What is typed counts, too.
 * The first line is the one that Enter takes; what was typed itself is a line behind the others.
 */
import './combobox.css';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Suggestion {
  readonly name: string;
  /** `number, such as 129.90` */
  readonly detail?: string;
}

interface ComboboxProps<S extends Suggestion> {
  readonly label: string;
  readonly value: string;
  readonly suggestions: readonly S[];
  readonly onType: (text: string) => void;
  readonly onChoose: (suggestion: S) => void;
  readonly isInvalid?: boolean;
  readonly placeholder?: string;
  /** Which field it is, for whoever moves the focus there. */
  readonly field?: string;
  /** What is said of a text that is not suggested: `never seen`. Without it, no line is made of the text. */
  readonly typed?: string;
  /** Whether the suggestions are examples alone, so that what was typed comes before them. */
  readonly isFree?: boolean;
  /** Told of a text that is taken as it was typed; `onType` has told it already. */
  readonly onUse?: () => void;
  /** Takes the focus with its list open. */
  readonly isMenu?: boolean;
  /** Whether the suggestions are what was found by the text: all of them are shown. A menu stays open then. */
  readonly isSearch?: boolean;
  /** Whether `/` leads here. */
  readonly isPageSearch?: boolean;
  readonly onClose?: () => void;
}

const MAX_SHOWN = 50;

export function Combobox<S extends Suggestion>(props: ComboboxProps<S>) {
  const { label, value, isInvalid = false } = props;
  const id = useId();
  const list = useSuggestions(props);
  const { shown, active } = list;
  const isOpen = shown.length > 0;
  return (
    <span class="combobox">
      <input
        ref={list.input}
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && active >= 0 ? `${id}-${active}` : undefined}
        aria-invalid={isInvalid}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={512}
        size={Math.max(4, value.length)}
        placeholder={props.placeholder}
        data-field={props.field}
        data-search={props.isPageSearch === true ? '' : undefined}
        value={value}
        onClick={list.open}
        onInput={list.onInput}
        onKeyDown={list.onKeyDown}
        onBlur={list.staysOpen ? undefined : list.close}
      />
      {isOpen && (
        <ul class="suggestions" id={id} role="listbox" aria-label={`${label}: suggestions`}>
          {shown.map((suggestion, index) => (
            <SuggestionLine
              key={`${index} ${suggestion?.name}`}
              id={`${id}-${index}`}
              suggestion={suggestion ?? { name: `Use “${value}”`, detail: props.typed ?? '' }}
              isTyped={suggestion === undefined}
              isActive={index === active}
              onChoose={() => list.choose(suggestion)}
            />
          ))}
        </ul>
      )}
    </span>
  );
}

/** The list while it is open, and the line that the arrow keys are at: -1 is none. The line undefined is what was typed. */
function useSuggestions<S extends Suggestion>(props: ComboboxProps<S>) {
  const { value, suggestions, onChoose, onUse, isMenu = false, isSearch = false, onClose } = props;
  // Before anything is typed all are offered, not those alone that look like what is there.
  const [state, setState] = useState<'closed' | 'all' | 'matching'>(isMenu ? 'all' : 'closed');
  const [moved, setMoved] = useState<number>();
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (isMenu) input.current?.focus();
  }, []);
  const named = state === 'closed' ? [] : matching(suggestions, state === 'matching' && !isSearch ? value : '');
  const shown = state === 'matching' ? withTyped(props, named) : named;
  // What is there already is where a list of all begins.
  const current = state === 'all' && value !== '' ? named.findIndex(({ name }) => name === value) : 0;
  const active = moved ?? current;
  const show = (next: typeof state): void => {
    setState(next);
    setMoved(undefined);
  };
  const close = (): void => {
    show('closed');
    onClose?.();
  };
  const choose = (suggestion: S | undefined): void => {
    if (suggestion === undefined) onUse?.();
    // What was there before anything was typed is no other choice.
    else if (state === 'matching' || suggestion.name !== value) onChoose(suggestion);
    close();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && !event.altKey) {
      if (state === 'closed') show('all');
      else setMoved(active === -1 && step === -1 ? shown.length - 1 : wrapped(active + step, shown.length));
    } else if (event.key === 'Enter' && state !== 'closed') {
      if (active in shown) choose(shown[active]);
      else if (!isSearch) close();
    } else if (event.key === 'Escape' && shown.length > 0) {
      close();
    } else {
      return;
    }
    event.preventDefault();
  };
  const onInput = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void => {
    show('matching');
    props.onType(currentTarget.value);
  };
  const open = (): void => show('all');
  return { input, shown, active, staysOpen: isMenu && isSearch, open, close, choose, onInput, onKeyDown };
}

/** The lines with what was typed, where it is not among them: last under a rule, or first where they are examples. */
function withTyped<S extends Suggestion>(
  { value, suggestions, typed, isFree = false }: ComboboxProps<S>,
  named: readonly S[],
): readonly (S | undefined)[] {
  const isKnown = named.some(({ name }) => name === value);
  if (typed === undefined || value.trim() === '' || isKnown || suggestions.length === 0) return named;
  if (!isFree) return [...named, undefined];
  return named.length === 0 ? named : [undefined, ...named];
}

interface SuggestionLineProps {
  readonly id: string;
  readonly suggestion: Suggestion;
  readonly isTyped: boolean;
  readonly isActive: boolean;
  readonly onChoose: () => void;
}

/** The field keeps the focus, and its keys choose. */
function SuggestionLine({ id, suggestion, isTyped, isActive, onChoose }: SuggestionLineProps) {
  const { name, detail } = suggestion;
  return (
    <li
      id={id}
      class={isTyped ? 'typed' : undefined}
      role="option"
      aria-selected={isActive}
      ref={(line) => {
        if (isActive) line?.scrollIntoView({ block: 'nearest' });
      }}
      onPointerDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      <span>{name === '' ? <span class="quiet">empty text</span> : name}</span>
      {detail !== undefined && <span class="quiet small">{detail}</span>}
    </li>
  );
}

/** The one that is the text, then those that begin with it, then those that have it within. */
export function matching<S extends Suggestion>(
  suggestions: readonly S[],
  text: string,
  most = MAX_SHOWN,
): readonly S[] {
  const wanted = text.toLowerCase();
  const found = suggestions.filter(({ name }) => name.toLowerCase().includes(wanted));
  const order = ({ name }: S): number => {
    const at = name.toLowerCase().indexOf(wanted);
    return at > 0 ? 2 : Number(wanted !== '' && name.length > text.length);
  };
  return found.toSorted((one, other) => order(one) - order(other)).slice(0, most);
}

/** Behind the last comes the first. */
function wrapped(index: number, length: number): number {
  return length === 0 ? -1 : (index + length) % length;
}
