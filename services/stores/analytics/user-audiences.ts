/** The queries of what evaluations kept of one user. Pure; for `AnalyticsReader.askHistory`. */
import type { Micros } from '../../messages/message.ts';
import type { Query } from './analytics-store.ts';
import { countsLive, epochParams } from './audience-history-sql.ts';
import { userNumber } from './columns.ts';
import type { LiveEpoch } from './live-history.ts';
import type { ProjectUser } from './user-messages.ts';

/** A row of `lastChangesQuery`; the time in microseconds. */
export interface LastChangeRow {
  readonly audience_id: string;
  readonly change: 'entered' | 'left';
  readonly at: string;
}

/** A row of `userChangesQuery`. */
export interface UserChangeRow extends LastChangeRow {
  /** Version of the definition. */
  readonly version: number;
  readonly cause: string;
}

/** The newest change of the user in each of these audiences; those that the user was never in are left out. */
export function lastChangesQuery({ projectId, userKey }: ProjectUser, audienceIds: readonly string[]): Query {
  return {
    projectId,
    sql: `SELECT audience_id, toString(change) AS change, toUnixTimestamp64Micro(evaluated_at) AS at
          FROM audience_members FINAL
          WHERE project_id = {projectId:String} AND audience_id IN {audienceIds:Array(String)} AND user = {user:UInt128}`,
    params: { projectId, user: userNumber(userKey), audienceIds },
  };
}

/** A position in the changes of a user: the next page begins after it. */
export interface UserChangesCursor {
  readonly at: Micros;
  readonly audienceId: string;
}

/** Which changes of a user come next. */
export interface UserChangesPage {
  readonly after: UserChangesCursor;
  /** The epochs whose changes count, besides those of finalized evaluations. */
  readonly epochs: readonly LiveEpoch[];
  readonly limit: number;
}

/** Every change of the user in any audience, oldest first. Reads the changes of all users of the project. */
export function userChangesQuery(
  { projectId, userKey }: ProjectUser,
  { after, epochs, limit }: UserChangesPage,
): Query {
  const ofProject = 'project_id = {projectId:String}';
  const finalized = `SELECT audience_id, evaluated_at FROM audience_evaluations WHERE ${ofProject}`;
  return {
    projectId,
    sql: `SELECT audience_id, toString(change) AS change, version, cause, toUnixTimestamp64Micro(evaluated_at) AS at
          FROM audience_changes FINAL
          WHERE ${ofProject} AND user = {user:UInt128}
            AND (epoch = 0 AND (audience_id, evaluated_at) IN (${finalized}) OR ${countsLive(epochs)})
            AND (evaluated_at, audience_id) > (fromUnixTimestamp64Micro({at:Int64}, 'UTC'), {audienceId:String})
          ORDER BY evaluated_at, audience_id LIMIT {limit:UInt64}`,
    params: {
      projectId,
      ...epochParams(epochs),
      user: userNumber(userKey),
      at: String(after.at),
      audienceId: after.audienceId,
      limit: String(limit),
    },
  };
}
