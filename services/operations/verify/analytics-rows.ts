/** Queries the rows of a topic's messages in analytics, by project and hour or by their coordinates in the log. */
import type { TopicPartition } from '../../event-log/event-log.ts';
import { dayOf } from '../../messages/day-and-hour.ts';
import { type Hour, hourOf } from '../../messages/day-and-hour.ts';
import { isImported, type Message, type MessageTopic, typeOf } from '../../messages/message.ts';
import { EARLIEST } from '../../messages/timestamp.ts';
import type { AnalyticsReader, Query, QueryLimits } from '../../stores/analytics/analytics-store.ts';
import { userNumber } from '../../stores/analytics/columns.ts';
import { surelyKept } from '../../stores/analytics/kept-events-sql.ts';
import { type EventCuts, NO_CUTS } from '../../stores/projects/kept-events.ts';
import { inSlices } from '../../stores/profiles/claims.ts';
import { type CellName, cellOf, type CheckedRange } from './checkpoints.ts';
import { CHECKSUM_MODULUS, type Located } from './log-cells.ts';
import { instantsOf, type Period } from './period.ts';

export interface StoredCell extends CellName {
  readonly rows: number;
  /** The first offset and the last. */
  readonly first: bigint;
  readonly last: bigint;
  readonly checksum: number;
}

/** The rows of a period, but for those of people who are being forgotten: they may be deleted, or not yet. */
export interface StoredPeriod extends Period {
  /** By their internal ids. */
  readonly hidden: readonly string[];
  /** Without the events that projects no longer keep. */
  readonly cuts: EventCuts;
}

/** A row as stored. */
export interface StoredRow {
  readonly projectId: string;
  readonly offset: bigint;
  readonly messageId: string;
}

// Reading a month of messages takes long, and no user waits for the answer.
const VERIFICATION_LIMITS: QueryLimits = {
  maxMs: 1_800_000,
  maxMemoryBytes: 4 * 2 ** 30,
  maxRowsRead: Number.MAX_SAFE_INTEGER,
};

const TABLES = { track: 'track_rows', session: 'session_rows', identify: 'identify_rows' } as const;

/** How many rows there are by project, partition and hour, of the offsets in the checked ranges, each message once. */
export async function storedCells(
  analytics: AnalyticsReader,
  topic: MessageTopic,
  checked: ReadonlyMap<number, CheckedRange>,
  period: StoredPeriod,
): Promise<ReadonlyMap<string, StoredCell>> {
  if (checked.size === 0) return new Map();
  const { rows } = await analytics.ask(cellsQuery(topic, checked, period), VERIFICATION_LIMITS);
  const cells = (rows as readonly unknown[] as readonly CellRow[]).map((row) => ({
    topic,
    partition: row.log_partition,
    projectId: row.project_id,
    hour: Number(row.hour) + hourOf(EARLIEST),
    rows: Number(row.held),
    first: BigInt(row.first),
    last: BigInt(row.last),
    checksum: Number(BigInt(row.checksum) % BigInt(CHECKSUM_MODULUS)),
  }));
  return new Map(cells.map((cell) => [cellOf(cell), cell]));
}

interface CellRow {
  readonly project_id: string;
  readonly log_partition: number;
  readonly hour: string;
  readonly held: string;
  readonly first: string;
  readonly last: string;
  readonly checksum: string;
}

function cellsQuery(topic: MessageTopic, checked: ReadonlyMap<number, CheckedRange>, period: StoredPeriod): Query {
  const where = whereOf(topic, period);
  const partitions = [...checked.keys()];
  return {
    sql: `SELECT project_id, log_partition, intDiv(toUnixTimestamp64Micro(received_at) - ${EARLIEST}, 3600000000) AS hour,
                 count() AS held, min(log_offset) AS first, max(log_offset) AS last,
                 sum(CRC32(concat(toString(log_partition), '/', toString(log_offset), '/', message_id))) AS checksum
          FROM ${tableOf(topic)} FINAL
          WHERE ${where.sql}
            AND log_offset >= transform(log_partition, {partitions:Array(UInt32)}, {froms:Array(UInt64)}, toUInt64(0))
            AND log_offset < transform(log_partition, {partitions:Array(UInt32)}, {ends:Array(UInt64)}, toUInt64(0))
          GROUP BY project_id, log_partition, hour`,
    params: {
      ...where.params,
      partitions,
      froms: partitions.map((partition) => checked.get(partition)?.from ?? 0n),
      ends: partitions.map((partition) => checked.get(partition)?.to ?? 0n),
    },
  };
}

/** The rows between these offsets of a partition, both inclusive. */
export async function rowsBetween(
  analytics: AnalyticsReader,
  { topic, partition }: TopicPartition,
  [first, last]: readonly [bigint, bigint],
  period: StoredPeriod,
): Promise<readonly StoredRow[]> {
  const where = whereOf(topic as MessageTopic, period);
  const query = {
    sql: `SELECT DISTINCT project_id, log_offset, message_id
          FROM ${tableOf(topic as MessageTopic)}
          WHERE ${where.sql} AND log_partition = {partition:UInt32}
            AND log_offset BETWEEN {first:UInt64} AND {last:UInt64}`,
    params: { ...where.params, partition, first: String(first), last: String(last) },
  };
  const { rows } = await analytics.ask(query, VERIFICATION_LIMITS);
  return (rows as readonly unknown[] as readonly { project_id: string; log_offset: string; message_id: string }[]).map(
    (row) => ({ projectId: row.project_id, offset: BigInt(row.log_offset), messageId: row.message_id }),
  );
}

/** Those of the messages without a row for which an earlier copy has one. */
export async function haveEarlierCopy(
  analytics: AnalyticsReader,
  topic: MessageTopic,
  messages: readonly Located[],
): Promise<ReadonlySet<Located>> {
  const found = new Set<Located>();
  for (const some of inSlices(messages)) {
    const { rows } = await analytics.ask(copiesQuery(topic, some), VERIFICATION_LIMITS);
    const highest = new Map(
      (rows as readonly unknown[] as readonly CopyRow[]).map((row) => [
        JSON.stringify(row.key),
        BigInt(row.precedence),
      ]),
    );
    for (const message of some) {
      if ((highest.get(JSON.stringify(rowKey(message.content))) ?? 0n) > precedenceOf(message)) found.add(message);
    }
  }
  return found;
}

interface CopyRow {
  readonly key: readonly string[];
  readonly precedence: string;
}

/** Compares the columns of the key one by one: there are few candidates, and the index excludes most rows. */
function copiesQuery(topic: MessageTopic, messages: readonly Located[]): Query {
  const isTrack = typeOf(topic) === 'track';
  const distinct = (of: (message: Message) => string): string[] => [
    ...new Set(messages.map(({ content }) => of(content))),
  ];
  return {
    sql: `SELECT ${isTrack ? '[project_id, toString(user), message_id, event, toString(toInt32(day))]' : '[project_id, toString(user), message_id]'} AS key,
                 max(precedence) AS precedence
          FROM ${tableOf(topic)}
          WHERE project_id IN {projects:Array(String)} AND user IN {users:Array(UInt128)}
            AND message_id IN {ids:Array(String)} AND ${isTrack ? 'event IN {events:Array(String)}' : topicCondition(topic)}
          GROUP BY key`,
    params: {
      projects: distinct(({ projectId }) => projectId),
      users: distinct(({ userKey }) => userNumber(userKey)).map(BigInt),
      ids: distinct(({ messageId }) => messageId),
      ...(typeOf(topic) === 'identify' && { topic }),
      ...(isTrack && { events: distinct((message) => (message.type === 'track' ? message.event : '')) }),
    },
  };
}

function rowKey(message: Message): readonly string[] {
  const { projectId, userKey, messageId, timestamp } = message;
  const key = [projectId, userNumber(userKey), messageId];
  if (message.type !== 'track') return key;
  return [...key, message.event, String(dayOf(timestamp))];
}

// As in schemas/clickhouse and services/stores/analytics/columns.ts: a lower offset has a higher version, and imported
// tracks have lower versions than all live ones.
const LOWEST_LIVE = 2n ** 63n;

function precedenceOf({ topic, record: { offset } }: Located): bigint {
  return (topic === 'tidemark.import-track' ? LOWEST_LIVE : 2n ** 64n) - 1n - offset;
}

function tableOf(topic: MessageTopic): string {
  return TABLES[typeOf(topic)];
}

/** The condition for a topic and a period. */
function whereOf(topic: MessageTopic, period: StoredPeriod): Query {
  const { from, to } = instantsOf(period);
  const conditions = [topicCondition(topic)];
  if (from !== undefined) conditions.push("received_at >= fromUnixTimestamp64Micro({received_from:Int64}, 'UTC')");
  if (to !== undefined) conditions.push("received_at < fromUnixTimestamp64Micro({received_to:Int64}, 'UTC')");
  if (period.projectId !== undefined) conditions.push('project_id = {project:String}');
  if (period.hidden.length > 0) conditions.push('user NOT IN {hidden:Array(UInt128)}');
  const kept = surelyKept(typeOf(topic) === 'track' ? period.cuts : NO_CUTS);
  conditions.push(kept.sql);
  return {
    sql: conditions.join(' AND '),
    params: {
      ...(typeOf(topic) === 'identify' && { topic }),
      ...(from !== undefined && { received_from: String(from) }),
      ...(to !== undefined && { received_to: String(to) }),
      ...kept.params,
      ...(period.projectId !== undefined && { project: period.projectId }),
      ...(period.hidden.length > 0 && { hidden: period.hidden.map((key) => BigInt(userNumber(key))) }),
    },
  };
}

function topicCondition(topic: MessageTopic): string {
  if (typeOf(topic) === 'identify') return 'log_topic = {topic:String}';
  if (typeOf(topic) === 'session') return '1';
  return `precedence ${isImported(topic) ? '<' : '>='} ${LOWEST_LIVE}`;
}

/** The period that covers the hours of these cells. */
export function hoursAround(hours: readonly Hour[], { projectId }: Period): Period {
  return { since: Math.min(...hours), until: Math.max(...hours) + 1, projectId };
}
