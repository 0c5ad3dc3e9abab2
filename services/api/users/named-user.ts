/** The user whom a request names, in its path or by a parameter. */
import { isHex } from '../../messages/hex.ts';
import { anonymousKeyOf, userKeyOf } from '../../messages/user-key.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { personOf } from '../../questions/one-user/person.ts';
import { type AnalyticsParts, budgetOf } from '../../questions/query-budget.ts';
import type { ProjectUser } from '../../stores/analytics/of-user.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { type Checked, contextOf, refuseParameter } from '../query.ts';
import type { UserStores } from './store-parts.ts';

/** A user of the path: by `user_id`, or by another of a user's ids. */
export interface NamedUser {
  readonly path: { readonly user_id: string };
  readonly query: { readonly by: 'user_id' | 'anonymous_id' | 'internal_id' };
}

/** The internal id of the user that the path names. */
export function userKeyOfPath(project: Pick<Project, 'id'>, { path, query: { by } }: NamedUser): Checked<string> {
  const id = path.user_id;
  if (by !== 'internal_id') return { ok: true, value: (by === 'user_id' ? userKeyOf : anonymousKeyOf)(project.id, id) };
  return isHex(id, 64) ? { ok: true, value: id } : refuseParameter('user_id', 'must be 64 hexadecimal digits');
}

/** The person whose id that is, where the project joins ids. @throws TidemarkError as `AnalyticsReader.ask`. */
export function personNamed(parts: AnalyticsParts, project: Project, userKey: string): Promise<ProjectUser> {
  return personOf(budgetOf(parts, project), contextOf(project), userKey);
}

export const NOBODY: Refusal = { refused: 'not-found', detail: 'No user of this project is known by this id.' };

/** The sink may be ahead of the projector: a user is unknown only where analytics has nothing and there is no profile. */
export async function answerIfKnown(
  { profiles }: Pick<UserStores, 'profiles'>,
  { projectId, userKey }: ProjectUser,
  isInAnalytics: boolean,
  body: string,
): Promise<Answer | Refusal> {
  const isKnown = isInAnalytics || (await profiles.find(projectId, userKey)) !== undefined;
  return isKnown ? { status: 200, body } : NOBODY;
}

/** The ids that may name a user, each as a parameter or a member of a body. */
export interface UserIds {
  readonly user_id?: string;
  readonly anonymous_id?: string;
  readonly internal_id?: string;
}

/** The internal id of the user whom these ids name; undefined where not exactly one is given. */
export function userKeyIn(projectId: string, ids: UserIds): string | undefined {
  const [key, other] = [
    ids.user_id === undefined ? [] : userKeyOf(projectId, ids.user_id),
    ids.anonymous_id === undefined ? [] : anonymousKeyOf(projectId, ids.anonymous_id),
    ids.internal_id ?? [],
  ].flat();
  return other === undefined ? key : undefined;
}
