import type { Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { AnalyticsReader, Query, QueryLimits, QueryResult } from '../../stores/analytics/analytics-store.ts';
import {
  type Audience,
  type Condition,
  type ConditionOf,
  conditionsIn,
  type EventCondition,
  inSequence,
  type LocatedCondition,
  type Member,
  microsOf,
  type Period,
  type TraitCondition,
} from '../definition/audience.ts';
import { describe } from '../definition/describe.ts';
import { quotedPath } from '../operators/operators.ts';
import { isNameable } from '../sql/column-value.ts';
import {
  compileCondition,
  type CompileOptions,
  compilePreview,
  type PreviewOptions,
  readsEveryUser,
} from '../sql/compile.ts';
import { runnableSql } from '../sql/literal.ts';

/** The query of an audience and its estimated cost. Plain data. */
export interface Explanation {
  /** The evaluation, which relative times count back from. */
  readonly evaluatedAt: Micros;
  /** The database of analytics that answers for the project now. */
  readonly database: string;
  /** Runs by hand in that database: the count of a preview at that instant, and the numbers of some of the users. */
  readonly sql: string;
  /** The same as the service sends it. */
  readonly query: Query;
  /** The scan of all users, empty where the conditions have every user, then that of every condition, in the order of the definition. */
  readonly reads: readonly ScanEstimate[];
}

/** What one part of the query reads on its own. Together with the other parts it may read less. */
export interface ScanEstimate extends Cost {
  /** RFC 6901 pointer to the condition; '' with the definition as the document. Null: the table of all users. */
  readonly path: string | null;
  readonly condition: string;
  readonly reads: string;
  readonly table: string | null;
  /** ClickHouse's EXPLAIN indexes = 1, line by line. */
  readonly plan: readonly string[];
}

/** As ClickHouse estimates it before it runs anything: a mark is up to 8,192 rows. */
interface Cost {
  readonly parts: number;
  readonly rows: number;
  readonly marks: number;
}

type EstimateRow = Readonly<Record<'table' | keyof Cost, string>>;

const NO_SCAN = { table: null, parts: 0, rows: 0, marks: 0, plan: [] } as const;

/** Asks ClickHouse what it would read, without running the query. @throws TidemarkError as `AnalyticsReader.ask`. */
export async function explain(
  reader: AnalyticsReader,
  limits: QueryLimits,
  audience: Audience,
  path: string,
  options: PreviewOptions,
): Promise<Explanation> {
  const ask: Ask = async (query) => (await reader.ask({ projectId: options.projectId, ...query }, limits)).rows;
  const query = compilePreview(audience, options);
  const [named] = await ask({ sql: 'SELECT currentDatabase() AS database', params: {} });
  const reads = [await estimateUsersScan(ask, audience, options)];
  for (const placed of conditionsIn(audience, path)) reads.push(await estimateConditionScan(ask, placed, options));
  const database = String(named?.['database']);
  return { evaluatedAt: options.now, database, sql: runnableSql(query), query, reads };
}

/** A question of the project by itself, under the limits of one. */
type Ask = (query: Query) => Promise<QueryResult['rows']>;

async function estimateUsersScan(ask: Ask, audience: Audience, options: PreviewOptions): Promise<ScanEstimate> {
  const part = { path: null, condition: 'every user' };
  if (!readsEveryUser(audience, options))
    return { ...part, reads: 'nothing: the conditions have all users', ...NO_SCAN };
  const sql = 'SELECT user FROM user_rows WHERE project_id = {p0:String}';
  const reads = 'user_rows: every user of the project, by the key; the number of the user';
  return { ...part, reads, ...(await estimate(ask, { sql, params: { p0: options.projectId } })) };
}

async function estimateConditionScan(
  ask: Ask,
  { path, condition }: LocatedCondition,
  options: PreviewOptions,
): Promise<ScanEstimate> {
  const query = compileCondition(condition, options);
  const cost = query === null ? NO_SCAN : await estimate(ask, query);
  return { path, condition: describe(condition), reads: describeScan(condition, options), ...cost };
}

async function estimate(ask: Ask, query: Query): Promise<Cost & Pick<ScanEstimate, 'table' | 'plan'>> {
  const estimated = await ask({ ...query, sql: `EXPLAIN ESTIMATE ${query.sql}` });
  const planned = await ask({ ...query, sql: `EXPLAIN indexes = 1 ${query.sql}` });
  const rows = estimated as readonly unknown[] as readonly EstimateRow[];
  // Beside the table of the condition stands that of joined ids.
  const first = rows.find(({ table }) => table !== 'join_rows');
  const plan = planned.map((line) => String(line['explain']));
  if (first === undefined) return { ...NO_SCAN, plan };
  // A row of each shard.
  const ofTable = rows.filter(({ table }) => table === first.table);
  const sum = (name: keyof Cost): number => ofTable.reduce((total, row) => total + Number(row[name]), 0);
  return { table: first.table, parts: sum('parts'), rows: sum('rows'), marks: sum('marks'), plan };
}

/** What a condition makes ClickHouse read, in words. Pure. */

const READS: { readonly [K in Condition['kind']]: (condition: ConditionOf<K>, now: bigint) => string } = {
  trait: traitReads,
  event: eventReads,
  sample: () => 'nothing but the number of every user, which is hashed',
  users: () => 'user_rows: the users of these ids, by the key',
};

function describeScan(condition: Condition, { now }: Pick<CompileOptions, 'now'>): string {
  return (READS[condition.kind] as (condition: Condition, now: bigint) => string)(condition, now);
}

function traitReads({ path }: TraitCondition): string {
  const [trait, ...nested] = path;
  const what = nested.length === 0 ? 'its typed columns (its JSON only of lists)' : 'its JSON';
  return `trait_rows: the newest row of every user who has the trait ${JSON.stringify(trait)}, by the key; ${what}`;
}

function eventReads(condition: EventCondition, now: bigint): string {
  const { events, within, measure } = condition;
  if (isPassedByAll(condition)) return 'nothing: every user passes';
  const isAnyCopy = takesAnyCopy(condition);
  if (isAnyCopy && isOnce(condition) && events === null && within === null)
    return 'user_track_rows: every event of the project, by the key; the number of the user alone';
  const copies = isAnyCopy ? anyCopyOf(within) : 'the first copy of a repeat (FINAL)';
  const [, ...followers] = inSequence(condition);
  const later = followers.map((one) => `of what follows, ${eventsOf(one, now)}`);
  const read: readonly MaybeTested[] = [condition, ...followers].flatMap((one) => one.where);
  const columns = new Set([...read, ...(measure ? [measure] : [])].flatMap(columnsOf));
  return [`track_rows: ${eventsOf(condition, now)}`, ...later, copies, ...columns].join('; ');
}

function isPassedByAll({ times, first, last, measure }: EventCondition): boolean {
  return times.atLeast === 0 && times.atMost === null && first === null && last === null && measure === null;
}

/** Whether it only matters which messages there are. */
function takesAnyCopy({ where, first, last, sequence, measure }: EventCondition): boolean {
  return where.length === 0 && [first, last, sequence, measure].every((one) => one === null);
}

function isOnce({ times }: EventCondition): boolean {
  return times.atLeast <= 1 && (times.atMost ?? 0) === 0;
}

function eventsOf({ events, within }: EventCondition, now: bigint): string {
  const which = events === null ? 'all events' : `the events ${events.map((name) => JSON.stringify(name)).join(', ')}`;
  return `${which} ${within === null ? 'of any day' : daysOf(within, now)}, by the key`;
}

function anyCopyOf(within: Period | null): string {
  return `any copy of a repeat${within === null ? '' : ', the first on the days where the time begins and ends'}`;
}

function daysOf({ from, to }: Period, now: bigint): string {
  const day = (micros: bigint) => formatMicros(micros).slice(0, 10);
  const ends = [...(from ? [`from ${day(microsOf(from, now))}`] : []), ...(to ? [`to ${day(microsOf(to, now))}`] : [])];
  return `of the days ${ends.join(' ')}`;
}

/** A measure has no tests. */
type MaybeTested = Pick<Member, 'path'> & Partial<Member>;

function columnsOf(member: MaybeTested): readonly string[] {
  const { path, tests = [] } = member;
  const name = quotedPath(member);
  if (!isNameable(path)) return [`the whole text of the properties, since ClickHouse can name no subcolumn ${name}`];
  const isOfColumns = tests.length === 0 || tests.some(({ test }) => test !== 'has');
  return [
    ...(isOfColumns ? [`of the properties the subcolumns of ${name} alone`] : []),
    ...(tests.some(({ test }) => test === 'has')
      ? [`the whole text of the properties, for the objects in the list ${name}`]
      : []),
  ];
}
