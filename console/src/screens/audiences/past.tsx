import { ask, operation } from '../../api/client.ts';
import { countOf, jsonText } from '../../api/json.ts';
import type { AudienceVersion, HistoryEntry, SavedAudience } from '../../api/types.ts';
import { linkTo, parameter, setParameters } from '../../api/address.ts';
import { Chart, type Reading } from '../../parts/charts/chart.tsx';
import { NewNote, NoteList, useNotes } from '../../parts/charts/notes.tsx';
import { notesAt } from '../../parts/charts/notes-at.ts';
import { Select } from '../../parts/choice.tsx';
import { count, counted, DAY_MS } from '../../parts/numbers.ts';
import { LinkButton, Section } from '../../parts/page.tsx';
import { type CellColumn, Listing } from '../../parts/table.tsx';
import { Ago, dayAndMinute, minuteText, shortTime, zoneChoice, zoneOf } from '../../parts/time.tsx';
import { Empty, Ready, useLoad } from '../../parts/loading/use-load.tsx';
import { mayChangeAudiences } from '../../api/session.ts';
import { depthOf, Sentence } from '../../parts/conditions/sentence-view.tsx';
import { KeyName } from '../key-name.tsx';
import { changedLines } from './state.ts';

interface Period {
  readonly name: string;
  readonly title: string;
  readonly days: number;
  /** What a point is of: of a shorter time first. Undefined: every update. */
  readonly per: readonly (undefined | 'hour' | 'day')[];
}

const WEEK: Period = { name: '', title: '7 days', days: 7, per: [undefined, 'hour'] };
const SIZE_PERIODS: readonly Period[] = [
  { name: 'day', title: '24 hours', days: 1, per: [undefined, 'hour'] },
  WEEK,
  { name: 'month', title: '30 days', days: 30, per: [undefined, 'hour'] },
  { name: 'year', title: '365 days', days: 365, per: ['day'] },
];
const MAX_POINTS = 1_000;

interface Sizes {
  /** Newest first. */
  readonly history: readonly HistoryEntry[];
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Each update in the period; where there are too many, the last of each hour or day. */
async function sizesOf(id: string, { days, per }: Period, signal: AbortSignal): Promise<Sizes> {
  const untilMs = Date.now();
  const fromMs = untilMs - days * DAY_MS;
  const since = new Date(fromMs).toISOString();
  let history: readonly HistoryEntry[] = [];
  for (const each of per) {
    const query = { since, per: each, limit: MAX_POINTS };
    ({ history } = await ask({ ...operation('GET /v1/audiences/{id}/history', { path: { id }, query }), signal }));
    if (history.length < MAX_POINTS) break;
  }
  return { history, fromMs, untilMs };
}

export function Size({ audience }: { readonly audience: SavedAudience }) {
  const period = SIZE_PERIODS.find(({ name }) => name === (parameter('period') ?? '')) ?? WEEK;
  const { id } = audience;
  const loaded = useLoad(`${id} ${period.name}`, async (signal) => sizesOf(id, period, signal));
  return (
    <Section
      id="size"
      title="Size over time"
      actions={
        <Select
          label="Period"
          isSearch
          value={period.name}
          options={SIZE_PERIODS.map(({ name, title }) => [name, title])}
          onChoice={(chosen) => setParameters({ period: chosen })}
        />
      }
    >
      <Ready of={loaded} what="the sizes">
        {(sizes) => <SizeChart id={id} {...sizes} />}
      </Ready>
    </Section>
  );
}

/** The axis begins with the first update, where that is within the period. */
function SizeChart({ id, history, fromMs, untilMs }: Sizes & { readonly id: string }) {
  const zone = zoneOf(zoneChoice.value);
  const points = history.toReversed();
  const [first] = points;
  const instants = points.map(({ at }) => at);
  const notes = useNotes(first?.at, id);
  if (first === undefined) {
    return (
      <Empty title="No data in this period">
        Each update adds a point. Update it now, or choose how often it updates.
      </Empty>
    );
  }
  const beginMs = Math.max(fromMs, Math.min(Date.parse(first.at), untilMs - 1));
  const lengthMs = untilMs - beginMs;
  const marks = [0, 1, 2, 3].map((i) => shortTime(beginMs + (i * lengthMs) / 3, zone, lengthMs > 3 * DAY_MS));
  return (
    <>
      <Chart
        name="Size over time"
        lines={[{ look: 'series-0', values: points.map((entry) => countOf(entry.count)), drawnAs: 'steps' }]}
        labels={instants}
        axis={{ at: instants.map((at) => Math.max(0, Date.parse(at) - beginMs) / lengthMs), marks }}
        readingOf={(point) => readingOf(points[point] ?? first, zone)}
        notes={notesAt(instants, notes.value)}
      />
      <NewNote onAdd={notes.retry} />
      <NoteList of={notes} />
      <details class="below">
        <summary>Show as a table</summary>
        <Listing look="sizes" rows={history} keyOf={({ at }) => at} columns={SIZE_COLUMNS} />
      </details>
    </>
  );
}

const SIZE_COLUMNS: readonly CellColumn<HistoryEntry>[] = [
  { name: 'Updated', cell: ({ at }) => minuteText(at) },
  { name: 'Size', look: 'number', cell: (entry) => counted(entry.count) },
  { name: 'Joined', look: 'number', cell: ({ entered }) => counted(entered) },
  { name: 'Left', look: 'number', cell: ({ left }) => counted(left) },
];

function readingOf({ at, count: members, entered, left }: HistoryEntry, zone: string): Reading {
  const size = countOf(members);
  return {
    time: `${dayAndMinute(at)} ${zone}`,
    values: [
      { name: size === 1 ? 'user' : 'users', text: count(size) },
      { name: 'joined', text: count(countOf(entered)) },
      { name: 'left', text: count(countOf(left)) },
    ],
  };
}

/** The definitions that an audience has and had: who changed what, when, and what came of it. */
export function Versions({ audience }: { readonly audience: SavedAudience }) {
  const path = { id: audience.id };
  const loaded = useLoad(audience.id, async (signal) =>
    Promise.all([
      ask({ ...operation('GET /v1/audiences/{id}/versions', { path, query: { limit: 100 } }), signal }),
      ask({ ...operation('GET /v1/audiences/{id}/history', { path, query: { limit: 1_000 } }), signal }),
    ]),
  );
  return (
    <Section id="versions" title="Versions">
      <Ready of={loaded} what="versions">
        {([{ versions }, { history }]) => (
          <ol class="versions">
            {versions.map((version, i) => {
              const effect = history.find(
                ({ version: { rawJSON }, cause }) => rawJSON === version.version.rawJSON && cause === 'definition',
              );
              return (
                <li key={version.version.rawJSON}>
                  <div class="section-head">
                    <h3>
                      Version {version.version.rawJSON}
                      {i === 0 && ', as it is now'}
                    </h3>
                    {i > 0 && mayChangeAudiences.value && (
                      <LinkButton
                        label="Restore this version…"
                        link={linkTo(['audiences', audience.id, 'edit'], { definition: jsonText(version.definition) })}
                      />
                    )}
                  </div>
                  <p class="quiet small">
                    <Made version={version} />
                    {effect !== undefined &&
                      ` · ${count(countOf(effect.entered))} joined and ${count(countOf(effect.left))} left by it`}
                  </p>
                  <Lines lines={changedLines(version.description, versions[i + 1]?.description)} />
                </li>
              );
            })}
          </ol>
        )}
      </Ready>
    </Section>
  );
}

/** `made 2 days ago with the key Jobs` */
export function Made({ version }: { readonly version: AudienceVersion }) {
  const { changed_at: at, changed_by: key, changed_by_name: name } = version;
  return (
    <>
      {version.version.rawJSON === '1' ? 'made ' : 'changed '}
      {at !== null && <Ago at={at} />}
      {key !== null && (
        <>
          {name === null ? ' with ' : ' with the key '}
          <KeyName id={key} name={name} />
        </>
      )}
    </>
  );
}

function Lines({ lines }: { readonly lines: ReturnType<typeof changedLines> }) {
  return (
    <ul class="sentences changed-lines">
      {lines.map(({ kind, line }, i) => (
        <li key={i} class={kind}>
          <span style={depthOf(line)}>
            {kind !== 'same' && <span class="visually-hidden">{kind === 'added' ? 'Added: ' : 'Removed: '}</span>}
            <Sentence text={line} />
          </span>
        </li>
      ))}
    </ul>
  );
}
