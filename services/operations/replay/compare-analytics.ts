import { setTimeout as delay } from 'node:timers/promises';
import { IMPORT_TOPICS, isImported, LIVE_TOPICS } from '../../messages/message.ts';
import type { QueryLimits } from '../../stores/analytics/analytics-store.ts';
import { comparedColumns, type RowTable, userNumber } from '../../stores/analytics/columns.ts';
import { surelyKept } from '../../stores/analytics/kept-events-sql.ts';
import { NO_CUTS, readEventCuts } from '../../stores/projects/kept-events.ts';
import { haveSightings } from '../../stores/generations/expect-sightings.ts';
import { checkedRangesOf, progressOf } from '../../stores/profiles/progress-of.ts';
import { hiddenUsers } from '../../stores/erasures/hidden.ts';
import { between, higher, lower, namedWithin, type Offsets, offsetsByPartition } from './between.ts';
import { type Compared, type ComparisonParts, countVerdicts, type Pair, SAMPLE, type Verdict } from './compared.ts';
import { type Folded, FOLDED, SIGHTINGS } from './folded-tables.ts';

const COMPARISON_LIMITS: QueryLimits = { maxMs: 3_600_000, maxMemoryBytes: 4 * 2 ** 30, maxRowsRead: 2 ** 50 };
const SPILL_BYTES = 2 ** 30;

// Users whose rows are folded in one query. The queries took 860 MiB for 500,000 at once.
const FOLDED_USERS = 50_000;
const USER_NUMBERS = 2n ** 128n;

// Counting stops here; `different` is then a lower bound.
const MOST_DIFFERING = 20_000;
// What is doubtful is looked at again.
const LOOKS = 5;
const BETWEEN_LOOKS_MS = 500;

/** Compares analytics while messages go on arriving: rows by their place in the log, folded rows by user. */
export async function compareAnalytics(
  parts: ComparisonParts,
  pair: Pair,
  foldedUsers = FOLDED_USERS,
): Promise<readonly Compared[]> {
  const compared: Compared[] = [];
  const slices = [...slicesOf(await countUsers(parts, pair), foldedUsers)];
  const compareOne = (table: PositionedTable | Folded): Promise<Compared> =>
    'key' in table ? compareByPosition(parts, pair, table) : compareFolded(parts, pair, table, slices);
  const isWhole = await haveSightings(parts.database, 'analytics', [pair.live, pair.fresh]);
  for (const table of [...POSITIONED_TABLES, ...FOLDED, ...(isWhole ? [SIGHTINGS] : [])]) {
    parts.signal.throwIfAborted();
    compared.push(await compareOne(table));
    parts.onStep(compared.length, 'tables');
  }
  return compared;
}

/** A table whose rows say where they stand in the log: what lies below the lower position is whole in both. */
interface PositionedTable {
  readonly what: string;
  readonly table: RowTable;
  /** What rows are counted by. */
  readonly key: string;
  readonly bound: string;
}

const DAY = `concat(project_id, '\\n', toString(toDate32(timestamp)))`;
const EVENT_DAY = `concat(project_id, '\\n', event, '\\n', toString(toDate32(timestamp)))`;
const LIVE_BOUND = (topic: string): string => `log_offset < {${topic}:Array(UInt64)}[log_partition + 1]`;

const POSITIONED_TABLES: readonly PositionedTable[] = [
  {
    what: 'events',
    table: 'track_rows',
    key: EVENT_DAY,
    // Imported rows come below all live ones: see services/stores/analytics/columns.ts.
    bound: `log_offset < if(precedence >= 9223372036854775808, {track:Array(UInt64)}, {import_track:Array(UInt64)})[log_partition + 1]`,
  },
  {
    what: 'sessions',
    table: 'session_rows',
    key: DAY,
    bound: LIVE_BOUND('session'),
  },
  {
    what: 'identifies',
    table: 'identify_rows',
    key: DAY,
    bound: `log_offset < if(startsWith(log_topic, 'tidemark.import'), {import_identify:Array(UInt64)}, {identify:Array(UInt64)})[log_partition + 1]`,
  },
];

async function compareByPosition(parts: ComparisonParts, pair: Pair, table: PositionedTable): Promise<Compared> {
  let found = await readByPosition(parts, pair, table, null);
  const { groups } = found;
  // A message on both lanes may have one of its copies beyond the positions: a later look sees both.
  if (found.differing.size > 0) {
    await delay(BETWEEN_LOOKS_MS, undefined, { signal: parts.signal });
    found = await readByPosition(parts, pair, table, [...found.differing.keys()]);
  }
  const { differing } = found;
  const counts = countVerdicts([...differing.values()].map(({ verdict }) => verdict));
  const sample = [...differing].slice(0, SAMPLE).map(([key, { verdict, live, fresh }]) => {
    return `${verdict}: ${key.replaceAll('\n', ' ')} (live ${live}, new ${fresh})`;
  });
  const unit = table.key === EVENT_DAY ? 'events by day' : 'days';
  return { what: table.what, unit, equal: groups - differing.size, ...counts, undecided: 0, sample };
}

async function readByPosition(
  parts: ComparisonParts,
  pair: Pair,
  table: PositionedTable,
  keys: readonly string[] | null,
) {
  const below = await extremes(parts, pair, lower, progressOf);
  // A generation is built without the events that are gone, and the other may still have some of a day.
  const kept = surelyKept(table.key === EVENT_DAY ? await readEventCuts(parts.database) : NO_CUTS);
  const side: Side = (db, whose) =>
    `SELECT ${table.key} AS key, count() AS n, sum(cityHash64(${comparedColumns(table.table)})) AS h
     FROM ${db}.${table.table} FINAL PREWHERE ${table.bound} WHERE ${whose} AND ${kept.sql} ${only(keys)} GROUP BY key`;
  const params = { ...boundsOf(below), ...kept.params, ...(keys !== null && { keys }) };
  return differences(parts, pair, side, params, MOST_DIFFERING);
}

/** The lowest offset that is not whole, by topic, in the order of the partitions. */
function boundsOf(below: Offsets): Readonly<Record<string, readonly bigint[]>> {
  return Object.fromEntries(
    [...LIVE_TOPICS, ...IMPORT_TOPICS].map((topic) => {
      const partitions = [...below.keys()].filter((name) => name.startsWith(`${topic}/`)).length;
      const bounds = Array.from({ length: partitions }, (_, index) => below.get(`${topic}/${index}`) ?? 0n);
      return [`${isImported(topic) ? 'import_' : ''}${topic.replace(/^.*[.-]/, '')}`, bounds];
    }),
  );
}

async function compareFolded(
  parts: ComparisonParts,
  pair: Pair,
  { what, rows }: Folded,
  slices: readonly SomeUsers[],
): Promise<Compared> {
  const decided = new Map<string, Verdict>();
  const look = async ({ condition, params }: SomeUsers) => {
    const before = await extremes(parts, pair, lower, progressOf);
    const side: Side = (db, whose) => `${rows(db)} WHERE ${whose} ${condition} GROUP BY key, project_id, user`;
    const found = await differences(parts, pair, side, params, Math.max(1, MOST_DIFFERING - decided.size));
    const after = await extremes(parts, pair, higher, checkedRangesOf);
    const asked = new Set(found.differing.keys());
    const doubtful = await namedWithin(
      parts,
      between(before, after),
      asked,
      ({ projectId, userKey }) => `${projectId}\n${userNumber(userKey)}`,
      parts.signal,
    );
    for (const [key, { verdict }] of found.differing) if (!doubtful.has(key)) decided.set(key, verdict);
    return { groups: found.groups, doubtful };
  };
  let groups = 0;
  let doubtful: ReadonlySet<string> = new Set();
  for (const slice of slices) {
    parts.signal.throwIfAborted();
    const found = await look(slice);
    groups += found.groups;
    doubtful = doubtful.union(found.doubtful);
  }
  for (let looks = 1; doubtful.size > 0 && looks < LOOKS; looks++) {
    await delay(BETWEEN_LOOKS_MS, undefined, { signal: parts.signal });
    const keys = [...doubtful];
    ({ doubtful } = await look({ condition: only(keys), params: { keys } }));
  }
  return {
    what,
    unit: 'users',
    equal: groups - decided.size - doubtful.size,
    ...countVerdicts(decided.values()),
    undecided: doubtful.size,
    sample: [...decided].slice(0, SAMPLE).map(([key, verdict]) => `${verdict}: ${key.replace('\n', ' user ')}`),
  };
}

/** A condition on `user` or `key`. */
interface SomeUsers {
  readonly condition: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Ranges of users, whose numbers are spread evenly. The keys of all but one of the tables begin with project and user. */
function* slicesOf(users: number, atOnce: number): Generator<SomeUsers> {
  const slices = BigInt(Math.max(1, Math.ceil(users / atOnce)));
  for (let slice = 0n; slice < slices; slice++) {
    const from = (USER_NUMBERS * slice) / slices;
    const to = (USER_NUMBERS * (slice + 1n)) / slices - 1n;
    yield { condition: 'AND user BETWEEN {from:UInt128} AND {to:UInt128}', params: { from, to } };
  }
}

/** About how many users the larger generation has. */
async function countUsers({ analytics }: ComparisonParts, pair: Pair): Promise<number> {
  const databases = [await analytics.databaseOf(pair.live), await analytics.databaseOf(pair.fresh)];
  const counts = databases.map((db) => `(SELECT uniq(project_id, user) FROM ${db}.user_rows WHERE ${scope(pair)})`);
  const query = { sql: `SELECT greatest(${counts.join(', ')}) AS users`, params: scopeParams(pair) };
  const { rows } = await analytics.ask(query, COMPARISON_LIMITS);
  return Number(rows[0]?.['users']);
}

async function extremes(
  { database }: ComparisonParts,
  { live, fresh }: Pair,
  pick: typeof lower,
  positions: typeof progressOf,
): Promise<Offsets> {
  return pick(
    offsetsByPartition(await positions(database, 'analytics', live)),
    offsetsByPartition(await positions(database, 'analytics', fresh)),
  );
}

interface DifferencesRow {
  readonly groups: string;
  readonly differing: readonly (readonly [key: string, live: string, fresh: string])[];
}

/** The rows of one database that are of these people: `key`, how many there are (`n`), and a checksum of them (`h`). */
type Side = (database: string, whose: string) => string;

async function differences(
  { analytics, database }: ComparisonParts,
  pair: Pair,
  side: Side,
  params: Readonly<Record<string, unknown>>,
  mostDiffering: number,
) {
  const [before, now] = [await analytics.databaseOf(pair.live), await analytics.databaseOf(pair.fresh)];
  const hidden = (await hiddenUsers(database)).map(userNumber);
  const notThem = `AND user NOT IN CAST({hidden:Array(String)}, 'Array(UInt128)')`;
  const whose = `${scope(pair)} ${hidden.length > 0 ? notThem : ''}`;
  const sql = `
    SELECT count() AS groups, groupArrayIf(${mostDiffering})((key, toString(n0), toString(n1)), n0 != n1 OR h0 != h1) AS differing
    FROM (
      SELECT key, sumIf(n, side = 0) AS n0, sumIf(n, side = 1) AS n1, sumIf(h, side = 0) AS h0, sumIf(h, side = 1) AS h1
      FROM (SELECT 0 AS side, * FROM (${side(before, whose)}) UNION ALL SELECT 1 AS side, * FROM (${side(now, whose)}))
      GROUP BY key
    )
    SETTINGS max_bytes_before_external_group_by = ${SPILL_BYTES}`;
  const query = { sql, params: { ...params, ...scopeParams(pair), ...(hidden.length > 0 && { hidden }) } };
  const { rows } = await analytics.ask(query, COMPARISON_LIMITS);
  // Those of the meantime: of rows by user, the key tells; others are looked at again.
  const since = new Set((await hiddenUsers(database)).map(userNumber));
  const { groups, differing } = rows[0] as unknown as DifferencesRow;
  return {
    groups: Number(groups),
    differing: new Map(
      differing
        .filter(([key]) => !since.has(key.split('\n')[1] ?? ''))
        .map(([key, n0, n1]) => [key, { verdict: verdictOf(n0, n1), live: n0, fresh: n1 }] as const),
    ),
  };
}

function verdictOf(live: string, fresh: string): Verdict {
  if (live === '0') return 'extra';
  return fresh === '0' ? 'missing' : 'different';
}

function scope({ projectId }: Pair): string {
  return projectId === null ? 'project_id NOT IN {except:Array(String)}' : 'project_id = {project:String}';
}

function scopeParams({ projectId, except }: Pair): Readonly<Record<string, unknown>> {
  return projectId === null ? { except } : { project: projectId };
}

function only(keys: readonly string[] | null): string {
  return keys === null ? '' : 'AND key IN {keys:Array(String)}';
}
