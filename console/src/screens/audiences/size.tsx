import { ask } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { HistoryEntry, SavedAudience } from '../../api/types.ts';
import { address, setParameters } from '../../frame/router.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { type ChartPoint, LineChart } from '../../parts/charts/line-chart.tsx';
import { count } from '../../parts/numbers.ts';
import { Empty, Loading, Problem } from '../../parts/loading/states.tsx';
import { exactTime, zoneChoice, zoneOf } from '../../parts/time.tsx';
import { useLoad } from '../../parts/loading/use-load.ts';

const DAY_MS = 86_400_000;

interface Period {
  readonly name: string;
  readonly title: string;
  readonly days: number;
  /** Undefined: every count. */
  readonly per?: 'hour' | 'day';
}

const WEEK: Period = { name: '', title: '7 days', days: 7, per: 'hour' };
const PERIODS: readonly Period[] = [
  { name: 'day', title: '24 hours', days: 1 },
  WEEK,
  { name: 'month', title: '30 days', days: 30, per: 'hour' },
  { name: 'year', title: '365 days', days: 365, per: 'day' },
];

export function Size({ audience }: { readonly audience: SavedAudience }) {
  const period = PERIODS.find(({ name }) => name === (address.value.query.get('period') ?? '')) ?? WEEK;
  const path = { id: audience.id };
  const loaded = useLoad(`${audience.id} ${period.name}`, async (signal) => {
    const untilMs = Date.now();
    const fromMs = untilMs - period.days * DAY_MS;
    const since = new Date(fromMs).toISOString();
    const query = { since, per: period.per, limit: 1_000 };
    const { history } = await ask({ ...operation('GET /v1/audiences/{id}/history', { path, query }), signal });
    return { history, fromMs, untilMs };
  });
  return (
    <section aria-labelledby="size">
      <div class="section-head">
        <h2 id="size">Size over time</h2>
        <div class="row">
          <select
            aria-label="Period"
            data-search
            value={period.name}
            onChange={(event) => setParameters({ period: event.currentTarget.value })}
          >
            {PERIODS.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
          <CopyAs request={operation('GET /v1/audiences/{id}/history', { path, query: { per: period.per } })} />
        </div>
      </div>
      {loaded.state === 'loading' && <Loading what="the sizes" />}
      {loaded.state === 'failed' && <Problem error={loaded.error} retry={loaded.retry} />}
      {loaded.state === 'ready' && <Chart {...loaded.value} days={period.days} />}
    </section>
  );
}

interface ChartProps {
  /** Newest first. */
  readonly history: readonly HistoryEntry[];
  readonly fromMs: number;
  readonly untilMs: number;
  readonly days: number;
}

function Chart({ history, fromMs, untilMs, days }: ChartProps) {
  const zone = zoneOf(zoneChoice.value);
  if (history.length === 0) {
    return (
      <Empty title="It was not counted in this time">
        <p>Choose how often it is counted, or count it now: each count is a point of the line.</p>
      </Empty>
    );
  }
  const points = history.map((entry) => pointOf(entry, zone)).toReversed();
  return (
    <>
      <LineChart
        label="Size over time"
        points={points}
        fromMs={fromMs}
        untilMs={untilMs}
        fromText={days === 1 ? '24 hours ago' : `${days} days ago`}
      />
      <details class="below">
        <summary>As a table</summary>
        <div class="scrolling sizes-box" tabIndex={0} role="region" aria-label="Sizes">
          <table class="sizes">
            <thead>
              <tr>
                <th scope="col">Counted</th>
                <th scope="col">Size</th>
                <th scope="col">Entered</th>
                <th scope="col">Left</th>
              </tr>
            </thead>
            <tbody>
              {history.map((entry) => (
                <tr key={entry.at}>
                  <td>{exactTime(entry.at, zone)}</td>
                  <td>{count(countOf(entry.count))}</td>
                  <td>{count(countOf(entry.entered))}</td>
                  <td>{count(countOf(entry.left))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

function pointOf({ at, count: members, entered, left }: HistoryEntry, zone: string): ChartPoint {
  const value = countOf(members);
  const changes = `${count(countOf(entered))} entered, ${count(countOf(left))} left`;
  const when = exactTime(at, zone).replace(/:\d\d\.\d+/, '');
  return { atMs: Date.parse(at), value, text: `${count(value)} users on ${when} · ${changes}` };
}
