import type { Query } from '../../../schemas/operations.ts';
import { operation } from '../api/operations.ts';
import { linkTo } from '../frame/router.ts';

/** How the address names a person. */
export interface UserName {
  readonly id: string;
  readonly by: 'user_id' | 'internal_id';
}

/** To the page of a user, who is known by an id of the caller's or by none. */
export function userLink(user: { readonly user_id: string | null; readonly internal_id: string }): string {
  if (user.user_id !== null) return linkTo(['users', user.user_id]);
  return linkTo(['users', user.internal_id], { by: 'internal_id' });
}

/** The profile of this user. */
export function profileRequest({ id, by }: UserName) {
  return operation('GET /v1/users/{user_id}', { path: { user_id: id }, query: { by: otherThanUserId(by) } });
}

/** Their events, newest first. */
export function eventsRequest({ id, by }: UserName, query: Query<'GET /v1/users/{user_id}/events'>) {
  const all = { by: otherThanUserId(by), ...query };
  return operation('GET /v1/users/{user_id}/events', { path: { user_id: id }, query: all });
}

function otherThanUserId(by: UserName['by']): UserName['by'] | undefined {
  return by === 'user_id' ? undefined : by;
}
