/** How the project is: figures of the last 24 hours, what moved, what is pinned, and what came last; on a project that is new, zeros, and the first event. */
import { operation } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import { linkTo } from '../../api/address.ts';
import { POLL_MS, Problem, useAnswer } from '../../parts/loading/use-load.tsx';
import { ScreenPage } from '../../parts/page.tsx';
import { namesWanted } from '../../parts/user-cell.tsx';
import { LiveCells } from '../live-cells.tsx';
import { type Feed, recordId, rowsOf, useFeed } from '../live-feed.ts';
import { GetStarted } from './get-started.tsx';
import { Health } from './health.tsx';
import { Figures, HourChart, MovedAudiences, TopEvents } from './summary.tsx';
import { Pins } from './pins.tsx';
import { WatchList } from './watches.tsx';
import './today.css';

const NEWEST = 8;
const SUMMARY_MS = 30_000;

export function TodayScreen() {
  const feed = useFeed({ recent: NEWEST, traits: namesWanted() }, false);
  const { value: status } = useAnswer(operation('GET /v1/status'), POLL_MS.current);
  const { value, error, retry } = useAnswer(operation('GET /v1/summary'), ({ events }) =>
    countOf(events.count) === 0 ? POLL_MS.awaited : SUMMARY_MS,
  );
  const wrong = error ?? feed.error;
  return (
    <ScreenPage title="Today" beside={<p class="quiet">The last 24 hours, and the same time a day before</p>}>
      {wrong !== undefined && <Problem error={wrong} retry={retry} />}
      <Health status={status} isTold={wrong !== undefined} />
      <GetStarted rows={rowsOf(feed)} isListening={feed.state === 'open'}>
        {/* The same frame before anything is known: nothing moves when it is. */}
        <Figures summary={value} status={status} />
        <div class="today-row">
          <HourChart hours={value?.hours} />
          <TopEvents events={value?.top_events} />
        </div>
        <div class="today-row even">
          <MovedAudiences audiences={status && (status.moved_audiences ?? [])} />
          <Pins />
        </div>
        <WatchList />
        <Newest feed={feed} />
      </GetStarted>
    </ScreenPage>
  );
}

/** The last few messages, each of which opens in Live, with its receipt. */
function Newest({ feed }: { readonly feed: Feed }) {
  const rows = rowsOf(feed).slice(0, NEWEST);
  return (
    <section class="card today-card" aria-labelledby="newest">
      <h2 id="newest">
        <a href={linkTo(['live'])}>Newest messages</a>
      </h2>
      {feed.recent !== undefined && rows.length === 0 && <p class="quiet">No recent messages.</p>}
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
