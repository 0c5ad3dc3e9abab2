/** Which server has the rows of a user, where analytics is on several. Pure. */
import { userNumber } from './columns.ts';

/** Where a generation has the rows of users. */
export interface Placement {
  /** Over how many shards users are spread: the rows of one are on the shard of their number modulo this. */
  readonly shards: number;
  /** Whether a server may still lack a row whose insert was acknowledged, because it is one of several with that row. */
  readonly hasReplicas: boolean;
}

/** The users whose numbers leave `index` when divided by `of`. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** These users, by internal ids, with the shard that has their rows, for each shard that has any of them. */
export function byShard(
  userKeys: readonly string[],
  of: number,
): readonly { readonly shard: Shard; readonly users: readonly string[] }[] {
  const indexOf = (userKey: string): number => (of === 1 ? 0 : Number(BigInt(userNumber(userKey)) % BigInt(of)));
  return [...Map.groupBy(userKeys, indexOf)].map(([index, users]) => ({ shard: { index, of }, users }));
}
