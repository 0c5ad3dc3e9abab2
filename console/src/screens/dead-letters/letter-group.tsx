/** Dead letters of one cause, of which some may be chosen. */
import type { DeadLetter } from '../../api/types.ts';
import { linkTo } from '../../api/address.ts';
import { projectName } from '../../api/session.ts';
import { type CellColumn, Listing, RowLink } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { PART_NAMES } from '../today/ready-parts.tsx';
import { causeOf, titleOf } from './words.ts';

export type Choose = (ids: readonly string[], isChosen: boolean) => void;

interface GroupProps {
  readonly error: string;
  readonly letters: readonly DeadLetter[];
  readonly chosen: ReadonlySet<string>;
  readonly choose: Choose;
}

export function LetterGroup({ error, letters, chosen, choose }: GroupProps) {
  const ids = letters.map(({ id }) => id);
  const { what, todo } = causeOf(error);
  const cellOf = (letter: DeadLetter) => (
    <>
      <input
        type="checkbox"
        aria-label={`Choose ${titleOf(letter)}`}
        checked={chosen.has(letter.id)}
        onChange={({ currentTarget }) => choose([letter.id], currentTarget.checked)}
      />
      <RowLink link={linkTo(['dead-letters', letter.id])}>{titleOf(letter)}</RowLink>
    </>
  );
  return (
    <section class="dead-letter-group" aria-label={what} title={error}>
      <h2>
        <input
          type="checkbox"
          aria-label={`Choose all: ${what}`}
          checked={ids.every((id) => chosen.has(id))}
          onChange={({ currentTarget }) => choose(ids, currentTarget.checked)}
        />
        <span>{what}</span>
        <span class="quiet">{letters.length}</span>
      </h2>
      <p class="quiet small">{todo}</p>
      <Listing rows={letters} keyOf={({ id }) => id} columns={[{ name: 'Message', cell: cellOf }, ...LETTER_COLUMNS]} />
    </section>
  );
}

const LETTER_COLUMNS: readonly CellColumn<DeadLetter>[] = [
  {
    name: 'Reader',
    cell: ({ attempts }) => [...new Set(attempts.map(({ reader }) => PART_NAMES[reader] ?? reader))].join(' and '),
  },
  {
    name: 'Project',
    look: 'narrow-off',
    cell: ({ project_id: id }) => (id === null ? <span class="quiet">not readable</span> : projectName(id)),
  },
  {
    name: 'Message id',
    look: 'quiet narrow-off',
    cell: ({ state, message_id: id }) => (state === 'editing' ? 'an edit was interrupted' : id),
  },
  { name: 'Failed', look: 'quiet', cell: ({ failed_at: at }) => <Ago at={at} isPlain /> },
];
