/** What comes of the first messages, where one waits for them: the newest of them, and the newest that was rejected. */
import { operation } from '../../api/client.ts';
import type { LiveRow, RefusalGroup } from '../../api/types.ts';
import { linkTo } from '../../api/address.ts';
import { POLL_MS, useAnswer } from '../../parts/loading/use-load.tsx';
import { Ago } from '../../parts/time.tsx';
import { UserCell } from '../../parts/user-cell.tsx';
import { recordId } from '../live-feed.ts';
import { userOf } from '../live-cells.tsx';
import { userLink } from '../user-link.ts';
import { remedyOf, whatIsWrong } from '../rejection.ts';

export function Arrived({ rows, isListening }: { readonly rows: readonly LiveRow[]; readonly isListening: boolean }) {
  const { value } = useAnswer(operation('GET /v1/refusals', { query: { limit: 10 } }), POLL_MS.awaited);
  const row = rows.find(({ type }) => type === 'track') ?? rows[0];
  const rejected = value?.refusals.find(({ code }) => code !== 'adjusted');
  // What was rejected before the newest that arrived is mended.
  const isLast = rejected !== undefined && (row === undefined || rejected.last > row.received_at);
  return (
    <div class="arrived" role="status">
      {row !== undefined && <Came row={row} />}
      {isLast && <Rejected group={rejected} />}
      {row === undefined && !isLast && (
        <p class="status">
          <i class={isListening ? 'dot alive' : 'dot'} aria-hidden="true" />
          {isListening ? 'Listening…' : 'Connecting…'}
        </p>
      )}
    </div>
  );
}

function Came({ row }: { readonly row: LiveRow }) {
  return (
    <p class="status">
      <i class="dot good" aria-hidden="true" />
      <span class="row">
        <b>Arrived:</b>
        <a href={linkTo(['live'], { open: recordId(row) })}>{row.type === 'track' ? row.event : row.type}</a>
        <a href={userLink(row)}>
          <UserCell user={userOf(row)} isBrief />
        </a>
        <Ago at={row.received_at} isPlain />
        <a href={linkTo(['live'])}>Watch Live</a>
      </span>
    </p>
  );
}

function Rejected({ group }: { readonly group: RefusalGroup }) {
  const { example, last } = group;
  return (
    <div class="rejected">
      <p class="status">
        <i class="dot bad" aria-hidden="true" />
        <span>
          <b>Arrived and rejected: {whatIsWrong(group)}</b> <Ago at={last} isPlain />
        </span>
      </p>
      <p>
        {remedyOf(group)} <a href={linkTo(['live'], { tab: 'refusals' })}>See all that was rejected</a>
      </p>
      {example !== null && (
        <pre class="json" tabIndex={0}>
          {example}
        </pre>
      )}
    </div>
  );
}
