/** Screens, audiences, events and users in one list, by a part of their names; a message by its whole id. */
import { useState } from 'preact/hooks';
import { goTo } from '../../api/address.ts';
import { Combobox } from '../../parts/combobox.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { type Found, useFound } from './found.ts';
import './palette.css';

export interface PaletteProps {
  /** Those of the navigation. */
  readonly screens: readonly Found[];
  readonly onClose: () => void;
}

export function Palette({ screens, onClose }: PaletteProps) {
  const [text, setText] = useState('');
  const { found, isLoading } = useFound(text.trim(), screens);
  return (
    <Dialog title="Search" look="palette" onClose={onClose}>
      {(close) => (
        <>
          <Combobox
            label="Search"
            placeholder="Screens, audiences, events, users, message ids"
            isMenu
            isSearch
            value={text}
            suggestions={found.map((one) => ({ ...one, detail: [one.detail, one.kind].filter(Boolean).join(' · ') }))}
            onType={setText}
            onChoose={({ link }) => goTo(link)}
            onClose={close}
          />
          {found.length === 0 && (
            <p class="quiet" role="status">
              {isLoading ? 'Searching…' : 'Nothing was found.'}
            </p>
          )}
        </>
      )}
    </Dialog>
  );
}
