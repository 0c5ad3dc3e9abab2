/** A field with suggestions, after the ARIA pattern "editable combobox with list autocomplete": what is typed counts, too. */
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
  /** Takes the focus with its list open, and Enter takes the first of it. */
  readonly isMenu?: boolean;
  /** Whether the suggestions are what was found by the text: all of them are shown, and it stays open. */
  readonly isSearch?: boolean;
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
        value={value}
        onClick={list.open}
        onInput={({ currentTarget }) => {
          list.open(true);
          props.onType(currentTarget.value);
        }}
        onKeyDown={list.onKeyDown}
        onBlur={props.isSearch === true ? undefined : list.close}
      />
      {isOpen && (
        <ul class="suggestions" id={id} role="listbox" aria-label={`${label}: suggestions`}>
          {shown.map((suggestion, index) => (
            <SuggestionLine
              key={`${index} ${suggestion.name}`}
              id={`${id}-${index}`}
              suggestion={suggestion}
              isActive={index === active}
              onChoose={() => list.choose(suggestion)}
            />
          ))}
        </ul>
      )}
    </span>
  );
}

/** The list while it is open, and the line that the arrow keys are at: -1 is none. */
function useSuggestions<S extends Suggestion>(props: ComboboxProps<S>) {
  const { value, suggestions, onChoose, isMenu = false, isSearch = false, onClose } = props;
  const first = isMenu ? 0 : -1;
  // Before anything is typed all are offered, not those alone that look like what is there.
  const [state, setState] = useState<'closed' | 'all' | 'matching'>(isMenu ? 'all' : 'closed');
  const [active, setActive] = useState(first);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (isMenu) input.current?.focus();
  }, []);
  const shown = state === 'closed' ? [] : matching(suggestions, state === 'matching' && !isSearch ? value : '');
  const show = (next: typeof state): void => {
    setState(next);
    setActive(first);
  };
  const close = (): void => {
    show('closed');
    onClose?.();
  };
  const choose = (suggestion: S): void => {
    // What was there before anything was typed is no other choice.
    if (state === 'matching' || suggestion.name !== value) onChoose(suggestion);
    close();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const suggestion = shown[active];
    if (step !== undefined && !event.altKey) {
      if (state === 'closed') show('all');
      else setActive(active === -1 && step === -1 ? shown.length - 1 : wrapped(active + step, shown.length));
    } else if (event.key === 'Enter' && state !== 'closed') {
      if (suggestion !== undefined) choose(suggestion);
      else if (!isSearch) close();
    } else if (event.key === 'Escape' && shown.length > 0) {
      close();
    } else {
      return;
    }
    event.preventDefault();
  };
  const open = (isTyped: unknown): void => show(isTyped === true ? 'matching' : 'all');
  return { input, shown, active, open, close, choose, onKeyDown };
}

interface SuggestionLineProps {
  readonly id: string;
  readonly suggestion: Suggestion;
  readonly isActive: boolean;
  readonly onChoose: () => void;
}

/** The field keeps the focus, and its keys choose. */
function SuggestionLine({ id, suggestion, isActive, onChoose }: SuggestionLineProps) {
  const { name, detail } = suggestion;
  return (
    <li
      id={id}
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

/** Those that begin with the text, then those that have it within. */
export function matching<S extends Suggestion>(
  suggestions: readonly S[],
  text: string,
  most = MAX_SHOWN,
): readonly S[] {
  const wanted = text.toLowerCase();
  const found = suggestions.filter(({ name }) => name.toLowerCase().includes(wanted));
  const isStart = ({ name }: S): boolean => name.toLowerCase().startsWith(wanted);
  return [...found.filter(isStart), ...found.filter((one) => !isStart(one))].slice(0, most);
}

/** Behind the last comes the first. */
function wrapped(index: number, length: number): number {
  return length === 0 ? -1 : (index + length) % length;
}
