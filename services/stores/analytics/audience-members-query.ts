/** The query of who was in a saved audience after an evaluation. Pure; for `AnalyticsReader.askHistory`. */
import type { Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { Query } from './analytics-store.ts';
import { userNumber } from './columns.ts';

/** Which members: a page of them, in the order of internal ids. */
export interface MembersQuery {
  readonly projectId: string;
  readonly audienceId: string;
  /** The evaluation; whoever left since, or left and came back, is not among them: later changes tell of them. */
  readonly at: Micros;
  /** Only after the user of this internal id; null for all. */
  readonly after: string | null;
  readonly limit: number;
}

/** Rows as the stream of changes has them, each the change by which the user entered. */
export function audienceMembersQuery({ projectId, audienceId, at, after, limit }: MembersQuery): Query {
  const ofAudience = 'project_id = {projectId:String} AND audience_id = {audienceId:String}';
  const members = `SELECT evaluated_at, user FROM audience_members FINAL
    WHERE ${ofAudience} AND change = 'entered' AND evaluated_at <= {at:DateTime64(6, 'UTC')}
      ${after === null ? '' : 'AND user > {after:UInt128}'} ORDER BY user LIMIT {limit:UInt64}`;
  return {
    projectId,
    sql: `SELECT nullIf(changes.user_id, '') AS user_id, nullIf(changes.anonymous_id, '') AS anonymous_id,
                 changes.internal_id AS internal_id, toString(changes.change) AS change,
                 concat(replaceOne(toString(changes.evaluated_at), ' ', 'T'), 'Z') AS at,
                 changes.version AS version, changes.cause AS cause
          FROM audience_changes AS changes WHERE ${ofAudience} AND (evaluated_at, user) IN (${members})
          ORDER BY user LIMIT 1 BY user`,
    params: {
      projectId,
      audienceId,
      at: formatMicros(at).replace('T', ' ').slice(0, -1),
      limit: String(limit),
      ...(after !== null && { after: userNumber(after) }),
    },
  };
}
