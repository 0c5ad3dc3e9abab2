/** The anonymous ids seen beside a user id: which of them a user keeps, and the statements that merge them. */
import type { Message, Micros } from '../../messages/message.ts';
import { parseJson } from '../../messages/parse-json.ts';
import type { Queryable } from '../database/database.ts';
import { compareBytes } from './newest-traits.ts';
import type { AnonymousIds, ProfileChange } from './profile.ts';

/** How many anonymous ids of a user are kept. */
export const MAX_ANONYMOUS_IDS = 100;

export const NO_ANONYMOUS_IDS: AnonymousIds = new Map();

/** What a message says of them: nothing where an anonymous id names the user itself. */
export function anonymousIdsOf({ userId, anonymousId, timestamp }: Message): AnonymousIds {
  return userId === null || anonymousId === null ? NO_ANONYMOUS_IDS : new Map([[anonymousId, timestamp]]);
}

/**
 * Those of several, the newest of them: by time and, of one time, by id, the lower bytes first. They are the same in any
 * order and grouping, since the time of an id only rises: a dropped id stays below the kept ones until it is seen again.
 */
export function newestAnonymousIds(several: readonly AnonymousIds[]): AnonymousIds {
  if (several.every(({ size }) => size === 0)) return NO_ANONYMOUS_IDS;
  const merged = new Map<string, Micros>();
  for (const ids of several) {
    for (const [id, at] of ids) {
      const known = merged.get(id);
      if (known === undefined || at > known) merged.set(id, at);
    }
  }
  return merged.size <= MAX_ANONYMOUS_IDS ? merged : new Map([...merged].sort(byNewest).slice(0, MAX_ANONYMOUS_IDS));
}

function byNewest([a, x]: readonly [string, Micros], [b, y]: readonly [string, Micros]): number {
  if (x !== y) return x > y ? -1 : 1;
  return compareBytes(a, b);
}

/** The stored ones of a user as a JSON object of texts. @param users The alias of the user's row. */
export function anonymousIdsSql(users: string, table: string): string {
  return `(select coalesce(jsonb_object_agg(ids.anonymous_id, ids.last_seen::text), '{}') from ${table} as ids
           where (ids.project_id, ids.user_key) = (${users}.project_id, ${users}.user_key))`;
}

/** Whether that JSON object has these ids. */
export function areAnonymousIds(json: string, ids: AnonymousIds): boolean {
  const stored = Object.entries(parseJson(json) as Record<string, string>);
  return stored.length === ids.size && stored.every(([id, at]) => String(ids.get(id)) === at);
}

/**
 * Merges the anonymous ids of users whose rows this transaction has merged before: until it ends, another one that names
 * the same user waits for that row. Each user comes once.
 */
export async function mergeAnonymousIds(transaction: Queryable, changes: readonly ProfileChange[]): Promise<void> {
  const ids = changes.flatMap(({ projectId, userKey, anonymousIds }) =>
    [...anonymousIds].map(([id, lastSeen]) => ({ projectId, userKey, id, lastSeen })),
  );
  const grown = await transaction.query<GrownRow>(MERGE, [
    ids.map(({ projectId }) => projectId),
    ids.map(({ userKey }) => userKey),
    ids.map(({ id }) => id),
    ids.map(({ lastSeen }) => lastSeen),
  ]);
  if (grown.length === 0) return;
  await transaction.query(TRIM, [grown.map(({ project_id }) => project_id), grown.map(({ user_key }) => user_key)]);
}

interface GrownRow {
  readonly project_id: string;
  readonly user_key: string;
}

/** Returns the users who have a new one: only they may have too many. A row that was inserted has no `xmax`. */
const MERGE = `
  with merged as (
    insert into {anonymous_ids} as stored (project_id, user_key, anonymous_id, last_seen)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::int8[])
    on conflict (project_id, user_key, anonymous_id) do update
    set last_seen = excluded.last_seen
    where excluded.last_seen > stored.last_seen
    returning project_id, user_key, xmax = 0 as is_new
  )
  select distinct project_id, user_key from merged where is_new`;

const TRIM = `
  delete from {anonymous_ids} as stored
  using unnest($1::text[], $2::text[]) as named (project_id, user_key)
  cross join lateral (
    select anonymous_id
    from {anonymous_ids} as ids
    where ids.project_id = named.project_id and ids.user_key = named.user_key
    order by last_seen desc, anonymous_id
    offset ${MAX_ANONYMOUS_IDS}
  ) as oldest
  where stored.project_id = named.project_id and stored.user_key = named.user_key
    and stored.anonymous_id = oldest.anonymous_id`;
