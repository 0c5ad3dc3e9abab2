/** How the project is: figures of the last 24 hours, what moved, and what came last; on a project that is new, the first event. */
import { ask } from '../../api/client.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { ProjectStatus } from '../../api/types.ts';
import { linkTo } from '../../frame/router.ts';
import { Loading, Problem } from '../../parts/loading/states.tsx';
import { usePoll } from '../../parts/loading/use-poll.ts';
import { useRowKeys } from '../../parts/loading/use-rows.ts';
import { namesWanted } from '../../parts/user-cell.tsx';
import { useHasData } from '../has-data.ts';
import { LiveCells } from '../live-cells.tsx';
import { type Feed, recordId, useFeed } from '../live-feed.ts';
import { Figures } from './figures.tsx';
import { FirstEvent } from './first-event.tsx';
import { Health } from './health.tsx';
import { HourChart } from './hour-chart.tsx';
import { MovedAudiences, TopEvents } from './lists.tsx';
import './today.css';

const NEWEST = 8;
const STATUS_MS = 5_000;
const SUMMARY_MS = 30_000;

export function Screen() {
  const feed = useFeed({ recent: NEWEST, traits: namesWanted() }, false);
  const hasData = useHasData();
  const { value: status } = usePoll(
    hasData === 'yes' ? 'project-status' : undefined,
    async (signal) => ask({ ...operation('GET /v1/status'), signal }),
    STATUS_MS,
  );
  useRowKeys();
  return (
    <div class="screen">
      <div class="head">
        <h1>Today</h1>
        {hasData === 'yes' && <p class="quiet">The last 24 hours, and the same time a day before</p>}
      </div>
      {feed.error !== undefined && <Problem error={feed.error} />}
      <Health status={status} />
      {hasData === 'no' && <FirstEvent first={rowsOf(feed).at(-1)} isListening={feed.state === 'open'} />}
      {hasData === 'yes' && <Project status={status} feed={feed} />}
    </div>
  );
}

interface ProjectProps {
  /** Undefined until it is known. */
  readonly status: ProjectStatus | undefined;
  readonly feed: Feed;
}

function Project({ status, feed }: ProjectProps) {
  const { value, error, refresh } = usePoll(
    'summary',
    async (signal) => ask({ ...operation('GET /v1/summary'), signal }),
    SUMMARY_MS,
  );
  return (
    <>
      {error !== undefined && <Problem error={error} retry={refresh} />}
      {value === undefined && error === undefined && <Loading what="the last 24 hours" />}
      {value !== undefined && (
        <>
          <Figures summary={value} status={status} />
          <div class="today-row">
            <HourChart hours={value.hours} />
            <TopEvents events={value.top_events} />
          </div>
        </>
      )}
      <div class="today-row">
        <Newest feed={feed} />
        <MovedAudiences audiences={status?.moved_audiences ?? []} />
      </div>
    </>
  );
}

function rowsOf({ entries, recent = [] }: Feed) {
  return [...entries.flatMap((entry) => ('row' in entry ? [entry.row] : [])), ...recent];
}

/** The last few messages, each of which opens in Live, with its receipt. */
function Newest({ feed }: { readonly feed: Feed }) {
  const rows = rowsOf(feed).slice(0, NEWEST);
  return (
    <section class="card" aria-labelledby="newest">
      <h2 id="newest">
        <a href={linkTo(['live'])}>Newest messages</a>
      </h2>
      {feed.recent !== undefined && rows.length === 0 && <p class="quiet">None among the newest of the log.</p>}
      <ul class="rows">
        {rows.map((row) => (
          <li key={recordId(row)}>
            <a class="row-button live-row" data-row href={linkTo(['live'], { open: recordId(row) })}>
              <LiveCells row={row} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
