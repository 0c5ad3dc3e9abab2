import type { Query } from '../api/client.ts';
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

/** The path and the parameters that name this user to the service. */
export function requestOf({ id, by }: UserName, below = ''): { readonly path: string; readonly query: Query } {
  return {
    path: `v1/users/${encodeURIComponent(id)}${below}`,
    query: { by: by === 'user_id' ? undefined : by },
  };
}
