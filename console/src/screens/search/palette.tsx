/** Screens, audiences, events and users in one list, by a part of their names; a message by its whole id. */
import { useId, useState } from 'preact/hooks';
import { goTo } from '../../api/address.ts';
import { useFocusOnMount, useOpenDialog } from '../../parts/use-focus.ts';
import { type Found, useFound } from './found.ts';
import './palette.css';

export interface PaletteProps {
  /** Those of the navigation. */
  readonly screens: readonly Found[];
  readonly onClose: () => void;
}

export function Palette({ screens, onClose }: PaletteProps) {
  const dialog = useOpenDialog();
  const field = useFocusOnMount<HTMLInputElement>();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const { found, isLoading } = useFound(text.trim(), screens);
  const active = Math.min(chosen, found.length - 1);
  const open = (one: Found): void => {
    dialog.current?.close();
    goTo(one.link);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen(Math.min(Math.max(active + step, 0), found.length - 1));
    else if (event.key === 'Enter' && found[active] !== undefined) open(found[active]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Search" onClose={onClose}>
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label="Search"
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
        aria-autocomplete="list"
        placeholder="Screens, audiences, events, users, message ids"
        autocomplete="off"
        spellcheck={false}
        maxLength={512}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <List id={id} found={found} active={active} onOpen={open} />
      {found.length === 0 && (
        <p class="quiet" role="status">
          {isLoading ? 'Searching…' : 'Nothing was found.'}
        </p>
      )}
    </dialog>
  );
}

interface ListProps {
  readonly id: string;
  readonly found: readonly Found[];
  readonly active: number;
  readonly onOpen: (one: Found) => void;
}

function List({ id, found, active, onOpen }: ListProps) {
  return (
    <ul id={`${id}-list`} role="listbox" aria-label="Found">
      {found.map((one, index) => (
        <li
          key={one.kind + one.link}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          ref={(line) => {
            if (index === active) line?.scrollIntoView({ block: 'nearest' });
          }}
          onClick={() => onOpen(one)}
        >
          <span>{one.name}</span>
          <span class="quiet small">{one.kind}</span>
        </li>
      ))}
    </ul>
  );
}
