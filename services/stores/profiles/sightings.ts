/** The sightings of a user: which a profile keeps, and the statements that merge them. */
import type { Message, Micros } from '../../messages/message.ts';
import { parseJson } from '../../messages/parse-json.ts';
import { sightingsOf } from '../../messages/sdk/sightings.ts';
import { timesOfVersion } from '../../messages/version.ts';
import type { Queryable } from '../database/database.ts';
import { compareBytes } from './newest-traits.ts';
import type { ProfileChange, Sightings } from './profile.ts';

/** How many anonymous ids of a user count. */
export const MAX_SIGHTINGS = 100;

const NO_SIGHTINGS: Sightings = new Map();

/** The version of rows from before there were versions: later than all, until a message gives the id again. */
const UNKNOWN_VERSION = 'f'.repeat(32);

/** What a message says of them. */
export function sightingsIn(message: Message): Sightings {
  const ids = sightingsOf(message);
  return ids.length === 0 ? NO_SIGHTINGS : new Map(ids.map((id) => [id, message.version]));
}

/**
 * Those of several, the first of them: by version and, of one version, by id, the lower bytes first. They are the same in any
 * order and grouping, since the version of an id only falls: a dropped id stays behind the kept ones until it comes with a
 * lower version.
 */
export function firstSightings(several: readonly Sightings[]): Sightings {
  const merged = new Map<string, string>();
  for (const sightings of several) {
    for (const [id, version] of sightings) {
      const known = merged.get(id);
      if (known === undefined || version < known) merged.set(id, version);
    }
  }
  return merged.size <= MAX_SIGHTINGS ? merged : new Map([...merged].sort(byFirst).slice(0, MAX_SIGHTINGS));
}

function byFirst([a, x]: readonly [string, string], [b, y]: readonly [string, string]): number {
  if (x !== y) return x < y ? -1 : 1;
  return compareBytes(a, b);
}

/** When an id was first seen; null where only rows from before there were versions say that it was. */
export function firstSeenAt(version: string): Micros | null {
  return version === UNKNOWN_VERSION ? null : timesOfVersion(BigInt(`0x${version}`)).timestamp;
}

/** The stored ones of a user as a JSON object. @param users The alias of the user's row. */
export function sightingsSql(users: string, table: string): string {
  return `(select coalesce(jsonb_object_agg(seen.anonymous_id, seen.version), '{}') from ${table} as seen
           where (seen.project_id, seen.user_key) = (${users}.project_id, ${users}.user_key))`;
}

/** Whether a generation has every sighting. It has not if it was begun before there were any: a replay makes one that has. */
export function hasSightingsSql(positions: string): string {
  return `not exists (select from ${positions} where lacks_sightings)`;
}

/** Whether that JSON object has these sightings; null, of a generation that lacks some, may have any. */
export function areSightings(json: string | null, sightings: Sightings): boolean {
  if (json === null) return true;
  const stored = Object.entries(parseJson(json) as Record<string, string>);
  return stored.length === sightings.size && stored.every(([id, version]) => sightings.get(id) === version);
}

/**
 * Merges the sightings of users whose rows this transaction has merged before: until it ends, another one that names the same
 * user waits for that row. Each user comes once.
 */
export async function mergeSightings(transaction: Queryable, changes: readonly ProfileChange[]): Promise<void> {
  const seen = changes.flatMap(({ projectId, userKey, sightings }) =>
    [...sightings].map(([id, version]) => ({ projectId, userKey, id, version })),
  );
  const grown = await transaction.query<GrownRow>(MERGE, [
    seen.map(({ projectId }) => projectId),
    seen.map(({ userKey }) => userKey),
    seen.map(({ id }) => id),
    seen.map(({ version }) => version),
  ]);
  if (grown.length === 0) return;
  await transaction.query(TRIM, [grown.map(({ project_id }) => project_id), grown.map(({ user_key }) => user_key)]);
}

interface GrownRow {
  readonly project_id: string;
  readonly user_key: string;
}

/**
 * Returns the users who have a new one: only they may have too many. A row that was inserted has no `xmax`. A message of a
 * pair that is known changes nothing, as its version is higher.
 */
const MERGE = `
  with merged as (
    insert into {sightings} as stored (project_id, user_key, anonymous_id, version)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])
    on conflict (project_id, user_key, anonymous_id) do update
    set version = excluded.version
    where excluded.version < stored.version
    returning project_id, user_key, xmax = 0 as is_new
  )
  select distinct project_id, user_key from merged where is_new`;

const TRIM = `
  delete from {sightings} as stored
  using unnest($1::text[], $2::text[]) as named (project_id, user_key)
  cross join lateral (
    select anonymous_id
    from {sightings} as seen
    where seen.project_id = named.project_id and seen.user_key = named.user_key
    order by version, anonymous_id
    offset ${MAX_SIGHTINGS}
  ) as latest
  where stored.project_id = named.project_id and stored.user_key = named.user_key
    and stored.anonymous_id = latest.anonymous_id`;
