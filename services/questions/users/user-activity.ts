/** How much a user did: in all, by name, and day by day. */
import type { Answer } from '../../../schemas/operations.ts';
import type { Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { Query } from '../../stores/analytics/analytics-store.ts';
import { userNumber } from '../../stores/analytics/columns.ts';
import type { ProjectUser } from '../../stores/analytics/of-user.ts';
import { userEventsWhere } from '../../stores/analytics/user-events.ts';
import type { QueryBudget } from '../query-budget.ts';
import { bucketSql } from '../events/event-rows.ts';
import { dayNames, lastDays, type TimeBuckets } from '../events/time-buckets.ts';
import { queryOf } from '../sql/compile.ts';
import { Params, type Scope } from '../sql/params.ts';

export interface ActivityQuestion extends ProjectUser {
  readonly now: Micros;
  /** How many days, up to that of now. */
  readonly days: number;
  /** An IANA time zone: whose days. */
  readonly timezone: string;
}

const TOP_EVENTS = 5;
/** In place of the number of a day: of events that lie in none of them. */
const OTHER_TIMES = 65535;

interface ActivityRow {
  readonly kind: 'all' | 'day' | 'event';
  readonly event: string;
  readonly bucket: number;
  readonly n: string;
  readonly first: string;
  readonly last: string;
}

/** @throws TidemarkError as `AnalyticsReader.ask`. */
export async function findActivity(
  budget: QueryBudget,
  question: ActivityQuestion,
): Promise<Answer<'GET /v1/users/{user_id}/activity'>> {
  const { timezone } = question;
  const buckets = lastDays(question.days, question.now, timezone);
  if (buckets === undefined) throw new Error('more days than a period may have');
  const rows = await budget.ask<ActivityRow>(activityQuery(question, buckets));
  const all = rows.find(({ kind, n }) => kind === 'all' && n !== '0');
  return {
    events: Number(all?.n ?? 0),
    first_event: all === undefined ? null : formatMicros(BigInt(all.first)),
    last_event: all === undefined ? null : formatMicros(BigInt(all.last)),
    top_events: rows
      .filter(({ kind }) => kind === 'event')
      .slice(0, TOP_EVENTS)
      .map(({ event, n }) => ({ name: event, count: Number(n) })),
    timezone,
    days: dayNames(buckets).map((day, index) => {
      const found = rows.find(({ kind, bucket }) => kind === 'day' && bucket === index);
      return { day, count: Number(found?.n ?? 0) };
    }),
  };
}

/**
 * Yields an `ActivityRow` for everything, for each of the last days, and for the most frequent names. Reads the rows of the
 * user alone. A message counts once a day (UTC), as in the list of a user's events.
 */
function activityQuery({ projectId, userKey, joined = [], now }: ActivityQuestion, days: TimeBuckets): Query {
  const params = new Params();
  const scope: Scope = { params, projectId, now };
  const isOne = (): string =>
    joined.length === 0
      ? `user = ${params.user(userKey)}`
      : `user IN ${params.userNumbers([userNumber(userKey), ...joined])}`;
  const begin = params.micros(days.buckets[0]?.start ?? now);
  const events =
    `SELECT toString(event) AS event, toUnixTimestamp64Micro(timestamp) AS at, ` +
    `if(at >= ${begin} AND at <= ${params.micros(now)}, ${bucketSql(params, days)}, ${OTHER_TIMES}) AS bucket, ` +
    `sipHash64(event, message_id, toDate32(timestamp)) AS message ` +
    `FROM ${userEventsWhere([`project_id = ${params.string(projectId)}`, isOne()])}`;
  return queryOf(
    scope,
    `SELECT multiIf(grouping(event) = 0, 'event', grouping(bucket) = 0, 'day', 'all') AS kind, event, bucket, ` +
      `uniqExact(message) AS n, min(at) AS first, max(at) AS last FROM (${events}) ` +
      `GROUP BY GROUPING SETS ((event), (bucket), ()) HAVING kind != 'day' OR bucket != ${OTHER_TIMES} ` +
      `ORDER BY kind, n DESC, event LIMIT ${params.count(Math.max(days.buckets.length, TOP_EVENTS))} BY kind`,
  );
}
