/**
 * The statements that merge changes into what is stored: commutative, associative and idempotent as `mergeChanges` is.
 * Rows must come in one order everywhere (two projectors may write the same user at once), and each user once.
 */
import type { Queryable } from '../database/database.ts';
import type { ProfileChange } from './profile.ts';

/** A row is rewritten only where something of it changes. */
export async function mergeUsers(transaction: Queryable, changes: readonly ProfileChange[]): Promise<void> {
  await transaction.query(
    `insert into {users} as stored (project_id, user_key, user_id, anonymous_id, first_seen, last_seen, anonymous, anonymous_version)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int8[], $6::int8[], $7::bool[], $8::text[])
     on conflict (project_id, user_key) do update
     set user_id = greatest(stored.user_id, excluded.user_id),
         anonymous_id = greatest(stored.anonymous_id, excluded.anonymous_id),
         first_seen = least(stored.first_seen, excluded.first_seen),
         last_seen = greatest(stored.last_seen, excluded.last_seen),
         anonymous = case when excluded.anonymous_version > coalesce(stored.anonymous_version, '')
                          then excluded.anonymous else stored.anonymous end,
         anonymous_version = greatest(stored.anonymous_version, excluded.anonymous_version)
     where excluded.first_seen < stored.first_seen
        or excluded.last_seen > stored.last_seen
        or excluded.anonymous_version > coalesce(stored.anonymous_version, '')
        or excluded.user_id > coalesce(stored.user_id, '')
        or excluded.anonymous_id > coalesce(stored.anonymous_id, '')`,
    [
      changes.map(({ projectId }) => projectId),
      changes.map(({ userKey }) => userKey),
      changes.map(({ userId }) => userId),
      changes.map(({ anonymousId }) => anonymousId),
      changes.map(({ firstSeen }) => firstSeen),
      changes.map(({ lastSeen }) => lastSeen),
      changes.map(({ anonymous }) => anonymous?.value ?? null),
      changes.map(({ anonymous }) => anonymous?.version ?? null),
    ],
  );
}

/** Changes without traits must not come here. */
export async function mergeTraits(transaction: Queryable, changes: readonly ProfileChange[]): Promise<void> {
  await transaction.query(
    `insert into {profiles} as stored (project_id, user_key, traits, versions)
     select project_id, user_key, traits::jsonb, versions::jsonb
     from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as change (project_id, user_key, traits, versions)
     on conflict (project_id, user_key) do update
     set (traits, versions) = (
       select (stored.traits - coalesce(array_agg(trait), '{}'))
                || coalesce(jsonb_object_agg(trait, excluded.traits -> trait) filter (where excluded.traits ? trait), '{}'),
              stored.versions || coalesce(jsonb_object_agg(trait, version), '{}')
       from jsonb_each_text(excluded.versions) as newer (trait, version)
       where version collate "C" > coalesce(stored.versions ->> trait, '')
     )`,
    [
      changes.map(({ projectId }) => projectId),
      changes.map(({ userKey }) => userKey),
      changes.map(traitsJson),
      changes.map(versionsJson),
    ],
  );
}

/** The traits that are set; one that is deleted is in the versions alone. */
function traitsJson({ traits }: ProfileChange): string {
  let json = '';
  for (const [trait, { value }] of traits) if (value !== null) json += `,${JSON.stringify(trait)}:${value}`;
  return `{${json.slice(1)}}`;
}

function versionsJson({ traits }: ProfileChange): string {
  let json = '';
  for (const [trait, { version }] of traits) json += `,${JSON.stringify(trait)}:"${version}"`;
  return `{${json.slice(1)}}`;
}
