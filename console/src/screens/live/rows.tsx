/** The rows of the stream, the newest first, and how one is opened beside them. */
import type { LiveFilter } from '../../api/live.ts';
import type { LiveRow } from '../../api/types.ts';
import { linkTo, setParameters } from '../../api/address.ts';
import { Empty } from '../../parts/loading/use-load.tsx';
import { count } from '../../parts/numbers.ts';
import { RowButton } from '../../parts/table.tsx';
import { Clock } from '../../parts/time.tsx';
import { Button } from '../../parts/form.tsx';
import { LiveCells } from '../live-cells.tsx';
import { type Feed, recordId } from '../live-feed.ts';
import { LinkButton } from '../../parts/page.tsx';

export type Filter = Pick<LiveFilter, 'type' | 'event' | 'user_id' | 'text'>;

export function openRow(row: LiveRow | undefined): void {
  setParameters({ open: row === undefined ? '' : recordId(row) }, { push: row !== undefined });
}

interface RowsProps {
  readonly feed: Feed;
  readonly filter: Filter;
  readonly open: LiveRow | undefined;
}

export function Rows({ feed: { entries, recent, error }, filter, open }: RowsProps) {
  if (entries.length === 0 && (recent ?? []).length === 0) {
    return recent === undefined || error !== undefined ? null : <NothingYet filter={filter} />;
  }
  const rowOf = (row: LiveRow) => {
    const id = recordId(row);
    const isOpen = open !== undefined && recordId(open) === id;
    return (
      <li key={id}>
        <RowButton look="row-button live-row" isOpen={isOpen} onToggle={() => openRow(isOpen ? undefined : row)}>
          <LiveCells row={row} />
        </RowButton>
      </li>
    );
  };
  return (
    <>
      <p class="row-button live-row live-heads" aria-hidden="true">
        {['Received', 'What', 'Who', 'With'].map((head) => (
          <span key={head}>{head}</span>
        ))}
      </p>
      <ul class="rows" aria-label="Messages, newest first">
        {entries.map((entry) =>
          'row' in entry ? (
            rowOf(entry.row)
          ) : (
            // A stream shows 50 messages a second at most: the others are counted.
            <li key={`${entry.at} ${entry.hidden}`} class="live-line quiet small">
              {count(entry.hidden)} more at <Clock at={entry.at} />, not shown
            </li>
          ),
        )}
        {recent !== undefined && recent.length > 0 && (
          <li class="live-line quiet small">Recorded before this page was opened</li>
        )}
        {recent?.map(rowOf)}
      </ul>
    </>
  );
}

function NothingYet({ filter }: { readonly filter: Filter }) {
  if (Object.values(filter).every((value) => value === undefined)) {
    return (
      <Empty
        title="No messages yet"
        action={<LinkButton label="Send the first event" look="primary" link={linkTo([])} />}
      >
        Messages appear here within a second.
      </Empty>
    );
  }
  const none = { type: '', event: '', user_id: '', text: '' };
  const clear = <Button label="Clear the filters" onClick={() => setParameters(none)} />;
  return (
    <Empty title="Nothing matches yet" action={clear}>
      No recent message matches the filters. New ones appear here as they arrive.
    </Empty>
  );
}
