/** The query of who was in a saved audience after an evaluation. Pure; for `AnalyticsReader.askHistory`. */
import type { Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { Query } from './analytics-store.ts';
import { countsLive, epochParams } from './audience-history-sql.ts';
import { userNumber } from './columns.ts';
import type { LiveEpoch } from './live-history.ts';

/** Which members: a page of them, in the order of internal ids. */
export interface MembersQuery {
  readonly projectId: string;
  readonly audienceId: string;
  /** The evaluation; whoever left since is among them: later changes tell of it. So the list stays the same. */
  readonly at: Micros;
  /** Only after the user of this internal id; null for all. */
  readonly after: string | null;
  readonly limit: number;
  /** Which live changes count. */
  readonly epochs: readonly LiveEpoch[];
}

/** Rows as the stream of changes has them, each the change by which the user had entered. */
export function audienceMembersQuery({ projectId, audienceId, at, after, limit, epochs }: MembersQuery): Query {
  const ofAudience = 'project_id = {projectId:String} AND audience_id = {audienceId:String}';
  const behind = after === null ? '' : 'AND user > {after:UInt128}';
  const until = "evaluated_at <= {at:DateTime64(6, 'UTC')}";
  const newest = `FROM audience_members FINAL WHERE ${ofAudience} ${behind}`;
  const finalized = `SELECT evaluated_at FROM audience_evaluations WHERE ${ofAudience}`;
  // What changed since is looked up in the changes, which are many, for the users of whom the newest change is later alone.
  const members = `SELECT last, user FROM (
      SELECT evaluated_at AS last, user ${newest} AND ${until} AND change = 'entered'
      UNION ALL
      SELECT max(evaluated_at) AS last, user FROM audience_changes
      WHERE ${ofAudience} ${behind} AND ${until} AND user IN (SELECT user ${newest} AND NOT (${until}))
        AND (epoch = 0 AND evaluated_at IN (${finalized}) OR ${countsLive(epochs)})
      GROUP BY user HAVING argMax(change, evaluated_at) = 'entered'
    ) ORDER BY user LIMIT {limit:UInt64}`;
  return {
    projectId,
    sql: `SELECT nullIf(changes.user_id, '') AS user_id, nullIf(changes.anonymous_id, '') AS anonymous_id,
                 changes.internal_id AS internal_id, toString(changes.change) AS change,
                 concat(replaceOne(toString(changes.evaluated_at), ' ', 'T'), 'Z') AS at,
                 changes.version AS version, changes.cause AS cause, nullIf(changes.person, '') AS person
          FROM audience_changes AS changes WHERE ${ofAudience} AND (evaluated_at, user) IN (${members})
          ORDER BY user LIMIT 1 BY user`,
    params: {
      projectId,
      audienceId,
      at: formatMicros(at).replace('T', ' ').slice(0, -1),
      limit: String(limit),
      ...(after !== null && { after: userNumber(after) }),
      ...epochParams(epochs),
    },
  };
}
