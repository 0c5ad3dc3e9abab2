import { operation } from '../api/client.ts';
import { linkTo } from '../api/address.ts';

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

/** What names this user in an operation of `/v1/users/{user_id}`. */
export function targetOf({ id, by }: UserName) {
  return { path: { user_id: id }, query: { by: by === 'user_id' ? undefined : by } };
}

export const SHOWN_VALUES = 20;

/** The newest values that a trait of theirs had, newest first. */
export function traitHistoryRequest(name: UserName, trait: string) {
  const { path, query } = targetOf(name);
  return operation('GET /v1/users/{user_id}/traits/{name}/history', {
    path: { ...path, name: trait },
    query: { ...query, limit: SHOWN_VALUES },
  });
}
