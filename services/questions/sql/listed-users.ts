/** The users of a list, by their internal ids: the same in ClickHouse and here. Pure. */
import { userKeyOf } from '../../messages/user-key.ts';
import { userNumber } from '../../stores/analytics/columns.ts';
import type { UsersCondition } from '../definition/audience.ts';
import type { Scope } from './params.ts';

/** Made once for each list: a definition is that of one project. */
const KEYS_OF_LISTS = new WeakMap<UsersCondition, ReadonlySet<string>>();

/** The internal ids of a list. */
export function listedKeys(projectId: string, condition: UsersCondition): ReadonlySet<string> {
  const keys = KEYS_OF_LISTS.get(condition) ?? new Set(condition.ids.map((id) => userKeyOf(projectId, id)));
  KEYS_OF_LISTS.set(condition, keys);
  return keys;
}

/** The condition on `user`. */
export function listedSql({ params, projectId }: Scope, condition: UsersCondition): string {
  return `user IN ${params.userNumbers([...listedKeys(projectId, condition)].map(userNumber))}`;
}
