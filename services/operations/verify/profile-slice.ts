/** The stored profiles of a part of the users. */
import type { TopicPartition } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import { MAX_TRAITS } from '../../messages/message.ts';
import { userName } from '../../stores/erasures/erased-users.ts';
import type { Database, Queryable } from '../../stores/database/database.ts';
import { newestTraitsSql } from '../../stores/profiles/newest-traits.ts';
import { hasSightingsSql, sightingsSql } from '../../stores/profiles/sightings.ts';

interface SliceParts {
  readonly profiles: Database;
  /** Only its users. */
  readonly projectId?: string | undefined;
  /** Only these. */
  readonly userKeys?: readonly string[] | undefined;
  /** How many traits a profile keeps. */
  readonly maxTraits?: number;
}

export interface StoredUser {
  readonly project_id: string;
  readonly user_key: string;
  readonly user_id: string | null;
  readonly anonymous_id: string | null;
  /** Null in a generation from before there were sightings, which lacks some. */
  readonly sightings: string | null;
  readonly first_seen: bigint;
  readonly last_seen: bigint;
  readonly anonymous: boolean | null;
  readonly anonymous_version: string | null;
  readonly traits: string;
  readonly versions: string;
}

export interface Stored {
  readonly users: ReadonlyMap<string, StoredUser>;
  readonly ends: ReadonlyMap<string, StoredEnd>;
}

interface StoredEnd {
  /** Up to where the projector had come. */
  readonly next: bigint;
  /** Up to where profiles may hold messages already. */
  readonly ahead: bigint;
}

/** Reads a consistent snapshot. @param slice Index below `slices`. */
export function readSlice(parts: SliceParts, slices: number, slice: number): Promise<Stored> {
  const { profiles, projectId = null, userKeys, maxTraits = MAX_TRAITS } = parts;
  return profiles.transaction(async (transaction: Queryable) => {
    await transaction.query('set transaction isolation level repeatable read');
    const users = await transaction.query<StoredUser>(SLICE, [slices, slice, projectId, maxTraits, userKeys ?? null]);
    const positions = await transaction.query<TopicPartition & StoredEnd>(
      'select topic, partition, next_offset as next, greatest(next_offset, ahead_to) as ahead from {reader_positions}',
    );
    return {
      users: new Map(users.map((user) => [userName(user.project_id, user.user_key), user])),
      ends: new Map(positions.map((position) => [nameOf(position), position])),
    };
  });
}

/**
 * A column of `profiles` with the newest traits alone: a profile written before there was a bound keeps all that it had until
 * something is merged into it. A version takes more characters than 32: where there are fewer, no trait needs to be counted.
 */
function keptSql(column: 'traits' | 'versions'): string {
  const kept = `(select ${column} from (${newestTraitsSql('profiles', '$4::int4')}) as newest)`;
  return `coalesce(case when length(versions::text) > 32 * $4::int4 then ${kept} else ${column} end, '{}')::text as ${column}`;
}

const SLICE = `
  select project_id, user_key, user_id, anonymous_id, first_seen, last_seen, anonymous, anonymous_version,
         case when ${hasSightingsSql('{reader_positions}')} then ${sightingsSql('users', '{sightings}')}::text end as sightings,
         ${keptSql('traits')}, ${keptSql('versions')}
  from {users} as users
  left join {profiles} as profiles using (project_id, user_key)
  where ('x' || substr(user_key, 1, 7))::bit(28)::int4 % $1::int4 = $2::int4 and ($3::text is null or project_id = $3)
    and ($5::text[] is null or user_key = any ($5::text[]))`;
