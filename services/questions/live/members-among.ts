/** Membership of some users in audiences, by the history of these: as their last evaluation, or what follows them, left it. */
import type { Query } from '../../stores/analytics/analytics-store.ts';
import type { RowReader } from '../one-user/user-events-query.ts';
import { Params } from '../sql/params.ts';
import type { Followed } from './followed.ts';

/** By `memberKey`. @param users Numbers. @throws What asking throws. */
export async function membersAmong(
  askHistory: RowReader['ask'],
  projectId: string,
  audiences: readonly Pick<Followed, 'id'>[],
  users: readonly string[],
): Promise<ReadonlySet<string>> {
  const params = new Params();
  const sql =
    `SELECT audience_id, user FROM audience_members_by_user FINAL WHERE project_id = ${params.string(projectId)} ` +
    `AND user IN ${params.userNumbers(users)} ` +
    `AND audience_id IN ${params.strings(audiences.map(({ id }) => id))} AND change = 'entered'`;
  const query: Query = { projectId, sql, params: params.values() };
  const rows = (await askHistory(query)) as readonly { readonly audience_id: string; readonly user: string }[];
  return new Set(rows.map((row) => memberKey(row.audience_id, row.user)));
}

/** @param user The number of the user. */
export function memberKey(audienceId: string, user: string): string {
  return `${audienceId} ${user}`;
}
