/** What stores and log know of people whom the lists of profiles, which are bounded, do not name. */
import type { EventLog } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import { MESSAGE_TOPICS } from '../../messages/message.ts';
import { isPlaceholder } from '../../messages/sdk/sightings.ts';
import { anonymousKeyOf } from '../../messages/user-key.ts';
import { isRetryable } from '../../runtime/errors.ts';
import type { AnalyticsReader, Query, QueryLimits } from '../../stores/analytics/analytics-store.ts';
import { userNumber } from '../../stores/analytics/columns.ts';
import type { Database } from '../../stores/database/database.ts';
import { userName } from '../../stores/erasures/erased-users.ts';
import { LiveGenerations } from '../../stores/generations/live-generations.ts';
import { progressOf } from '../../stores/profiles/progress-of.ts';
import { textOfKey } from './forgotten-records.ts';

/** A user and an anonymous id that came beside. */
export interface SeenBeside {
  readonly key: string;
  readonly anonymousId: string;
}

/** A statement has the ids: 256 KB is the most that ClickHouse reads of one. */
const IDS_OF_A_STATEMENT = 1_000;
const ROWS_WITH_IDS = ['track_rows', 'identify_rows'];
const LIMITS: QueryLimits = { maxMs: 60_000, maxMemoryBytes: 2 ** 31, maxRowsRead: 2 ** 40 };

/** Every anonymous id that analytics has of messages of these users. */
export async function seenBeside(
  analytics: Pick<AnalyticsReader, 'ask'>,
  projectId: string,
  keys: readonly string[],
): Promise<readonly SeenBeside[]> {
  const found: SeenBeside[] = [];
  for (let start = 0; start < keys.length; start += IDS_OF_A_STATEMENT) {
    const byNumber = new Map(keys.slice(start, start + IDS_OF_A_STATEMENT).map((key) => [userNumber(key), key]));
    const users = `user IN (${[...byNumber.keys()].map((number) => `'${number}'`).join()})`;
    for (const row of await pairsIn(analytics, { sql: users, params: { project: projectId } })) {
      const key = byNumber.get(row.user) ?? '';
      // Not that of a user who is known by it alone.
      if (anonymousKeyOf(projectId, row.anonymous_id) !== key && !isPlaceholder(row.anonymous_id))
        found.push({ key, anonymousId: row.anonymous_id });
    }
  }
  return found;
}

/** Those of these anonymous ids that analytics has of messages of other users. */
export async function seenWithOthers(
  analytics: Pick<AnalyticsReader, 'ask'>,
  projectId: string,
  anonymousIds: readonly string[],
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const own = new Set(keys.map(userNumber));
  const shared = new Set<string>();
  for (let start = 0; start < anonymousIds.length; start += IDS_OF_A_STATEMENT) {
    const ids = anonymousIds.slice(start, start + IDS_OF_A_STATEMENT);
    const sql = 'anonymous_id IN {ids:Array(String)}';
    for (const { user, anonymous_id: id } of await pairsIn(analytics, { sql, params: { project: projectId, ids } }))
      if (!own.has(user) && user !== userNumber(anonymousKeyOf(projectId, id))) shared.add(id);
  }
  return shared;
}

interface Pair {
  readonly user: string;
  readonly anonymous_id: string;
}

async function pairsIn(analytics: Pick<AnalyticsReader, 'ask'>, { sql, params }: Query): Promise<readonly Pair[]> {
  const selects = ROWS_WITH_IDS.map(
    (table) => `SELECT DISTINCT user, anonymous_id FROM ${table}
                WHERE project_id = {project:String} AND anonymous_id != '' AND ${sql}`,
  );
  const all = `SELECT DISTINCT toString(user) AS user, anonymous_id FROM (${selects.join(' UNION ALL ')})`;
  return (await analytics.ask({ sql: all, params }, LIMITS)).rows as readonly unknown[] as readonly Pair[];
}

export interface AheadParts {
  readonly database: Database;
  readonly log: Pick<EventLog, 'ends' | 'scan'>;
}

const MOST_RECORDS = 200_000;
const READ_AT_ONCE = { maxRecords: 10_000, maxBytes: 8 * 2 ** 20 };

/**
 * Those of these people of whom the log has a record that the projector has not come to. Where that is too much to be looked
 * at, or cannot be read now, all of them may have one.
 */
export async function maybeAhead(
  { database, log }: AheadParts,
  projectId: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const wanted = new Map(keys.map((key) => [userName(projectId, key), key]));
  const live = await new LiveGenerations(database).numberOf('profiles', projectId);
  try {
    const [ends, positions] = await Promise.all([log.ends(MESSAGE_TOPICS), progressOf(database, 'profiles', live)]);
    const read = new Map(positions.map((one) => [nameOf(one), one.offset]));
    const ranges = ends
      .map(({ topic, partition, offset: to }) => ({
        topic,
        partition,
        from: read.get(nameOf({ topic, partition })) ?? 0n,
        to,
      }))
      .filter(({ from, to }) => from < to);
    const ahead = ranges.reduce((sum, { from, to }) => sum + to - from, 0n);
    if (ahead > MOST_RECORDS) return new Set(keys);
    const found = new Set<string>();
    for await (const { records } of log.scan(ranges, READ_AT_ONCE))
      for (const record of records) {
        const key = wanted.get(textOfKey(record.key));
        if (key !== undefined) found.add(key);
      }
    return found;
  } catch (error) {
    if (!isRetryable(error)) throw error;
    return new Set(keys);
  }
}
