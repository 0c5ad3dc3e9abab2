/** Compiles an audience to queries of all members. Pure. As in compile.ts, no text of a caller becomes SQL. */
import type { Query } from '../../stores/analytics/analytics-store.ts';
import type { Micros } from '../../messages/message.ts';
import type { Audience } from '../definition/audience.ts';
import { filter, queryOf } from './compile.ts';
import { Params } from './params.ts';

export interface MembersOptions {
  readonly projectId: string;
  /** The evaluation, which relative times count back from. */
  readonly now: Micros;
  /** Only users beyond this number. */
  readonly after: bigint;
  /** The maximum number of members; null for all. */
  readonly limit: number | null;
}

/**
 * Yields one row per member: `user_id` (null if it is not known), `anonymous_id` (of a user known by that alone) and
 * `internal_id`, in the order of user numbers, which is that of internal ids. It reads in the order of the table and
 * merges by FINAL, so it needs memory only for its sets: 2.1 million members took 2.2 s, compared to 3.2 s by GROUP BY,
 * which also holds them in memory.
 */
export function compileMembers(audience: Audience, { projectId, now, after, limit }: MembersOptions): Query {
  const params = new Params();
  const select =
    `SELECT nullIf(user_id, '') AS user_id, nullIf(anonymous_id, '') AS anonymous_id, internal_id FROM user_rows FINAL ` +
    `WHERE project_id = ${params.string(projectId)} AND user > ${params.userNumber(after)} ` +
    `AND ${filter({ params, projectId, now }, audience)} ORDER BY project_id, user` +
    (limit === null ? '' : ` LIMIT ${params.count(limit)}`);
  return queryOf({ params, projectId, now }, select);
}

/** A row for every user of the project, with the boolean `is_in`. */
export function compileMembership(
  audience: Audience,
  { projectId, now }: Omit<MembersOptions, 'after' | 'limit'>,
): Query {
  const params = new Params();
  const isIn = filter({ params, projectId, now }, audience);
  const select =
    `SELECT user, user_id, anonymous_id, internal_id, toBool(${isIn}) AS is_in FROM user_rows FINAL ` +
    `WHERE project_id = ${params.string(projectId)}`;
  return queryOf({ params, projectId, now }, select);
}
