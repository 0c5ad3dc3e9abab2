/** A field with suggestions, after the ARIA pattern "editable combobox with list autocomplete": what is typed counts, too. */
import { useId, useState } from 'preact/hooks';

export interface Suggestion {
  /** Differs among the suggestions. */
  readonly name: string;
  /** `number, such as 129.90` */
  readonly detail?: string;
}

export interface ComboboxProps<S extends Suggestion> {
  readonly label: string;
  readonly value: string;
  readonly suggestions: readonly S[];
  readonly onType: (text: string) => void;
  readonly onChoose: (suggestion: S) => void;
  readonly isInvalid?: boolean;
  readonly placeholder?: string;
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
        value={value}
        onClick={list.open}
        onInput={({ currentTarget }) => {
          list.open(true);
          props.onType(currentTarget.value);
        }}
        onKeyDown={list.onKeyDown}
        onBlur={list.close}
      />
      {isOpen && (
        <ul class="suggestions" id={id} role="listbox" aria-label={`${label}: suggestions`}>
          {shown.map((suggestion, index) => (
            <Line
              key={suggestion.name}
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
function useSuggestions<S extends Suggestion>({ value, suggestions, onChoose }: ComboboxProps<S>) {
  // Before anything is typed all are offered, not those alone that look like what is there.
  const [state, setState] = useState<'closed' | 'all' | 'matching'>('closed');
  const [active, setActive] = useState(-1);
  const shown = state === 'closed' ? [] : matching(suggestions, state === 'matching' ? value : '');
  const show = (next: typeof state): void => {
    setState(next);
    setActive(-1);
  };
  const close = (): void => show('closed');
  const choose = (suggestion: S): void => {
    onChoose(suggestion);
    close();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const suggestion = shown[active];
    if (step !== undefined && !event.altKey) {
      if (state === 'closed') show('all');
      else setActive(active === -1 && step === -1 ? shown.length - 1 : wrapped(active + step, shown.length));
    } else if (event.key === 'Enter') {
      if (suggestion === undefined) close();
      else choose(suggestion);
    } else if (event.key === 'Escape' && shown.length > 0) {
      close();
    } else {
      return;
    }
    event.preventDefault();
  };
  const open = (isTyped: unknown): void => show(isTyped === true ? 'matching' : 'all');
  return { shown, active, open, close, choose, onKeyDown };
}

interface LineProps {
  readonly id: string;
  readonly suggestion: Suggestion;
  readonly isActive: boolean;
  readonly onChoose: () => void;
}

/** The field keeps the focus, and its keys choose. */
function Line({ id, suggestion, isActive, onChoose }: LineProps) {
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
function matching<S extends Suggestion>(suggestions: readonly S[], text: string): readonly S[] {
  const wanted = text.toLowerCase();
  const found = suggestions.filter(({ name }) => name.toLowerCase().includes(wanted));
  const isStart = ({ name }: S): boolean => name.toLowerCase().startsWith(wanted);
  return [...found.filter(isStart), ...found.filter((one) => !isStart(one))].slice(0, MAX_SHOWN);
}

/** Behind the last comes the first. */
function wrapped(index: number, length: number): number {
  return length === 0 ? -1 : (index + length) % length;
}
