/**
 * The statements that merge changes into what is stored: commutative, associative and idempotent as `mergeChanges` is.
 * Rows must come in one order everywhere (two projectors may write the same user at once), and each user once.
 */
import type { Queryable } from '../database/database.ts';
import { MAX_TRAITS } from '../../messages/message.ts';
import { type DroppedTraits, newestTraitsSql } from './newest-traits.ts';
import type { ProfileChange } from './profile.ts';

/** A row is rewritten only where something of it changes. Columns that are null in every change are left out: each costs. */
export async function mergeUsers(transaction: Queryable, changes: readonly ProfileChange[]): Promise<void> {
  const columns = OPTIONAL_COLUMNS.filter(({ of }) => changes.some((change) => of(change) !== null));
  const values = [
    changes.map(({ projectId }) => projectId),
    changes.map(({ userKey }) => userKey),
    changes.map(({ firstSeen }) => firstSeen),
    changes.map(({ lastSeen }) => lastSeen),
    ...columns.map(({ of }) => changes.map(of)),
  ];
  await transaction.query(usersStatement(columns), values);
}

interface OptionalColumn {
  readonly name: string;
  readonly type: string;
  readonly of: (change: ProfileChange) => string | boolean | null;
  /** What is stored after a conflict. */
  readonly merged: string;
  /** Where that is another value than before. */
  readonly isNew?: string;
}

function idColumn(name: string, of: OptionalColumn['of']): OptionalColumn {
  return {
    name,
    type: 'text',
    of,
    merged: `greatest(stored.${name}, excluded.${name})`,
    isNew: `excluded.${name} > coalesce(stored.${name}, '')`,
  };
}

const IS_NEWER = "excluded.anonymous_version > coalesce(stored.anonymous_version, '')";

const OPTIONAL_COLUMNS: readonly OptionalColumn[] = [
  idColumn('user_id', ({ userId }) => userId),
  idColumn('anonymous_id', ({ anonymousId }) => anonymousId),
  {
    name: 'anonymous',
    type: 'bool',
    of: ({ anonymous }) => anonymous?.value ?? null,
    merged: `case when ${IS_NEWER} then excluded.anonymous else stored.anonymous end`,
  },
  {
    name: 'anonymous_version',
    type: 'text',
    of: ({ anonymous }) => anonymous?.version ?? null,
    merged: 'greatest(stored.anonymous_version, excluded.anonymous_version)',
    isNew: IS_NEWER,
  },
];

function usersStatement(optional: readonly OptionalColumn[]): string {
  const names = optional.map(({ name }) => `, ${name}`).join('');
  const arrays = optional.map(({ type }, index) => `, $${index + 5}::${type}[]`).join('');
  const merged = optional.map(({ name, merged: value }) => `, ${name} = ${value}`).join('');
  const isNew = optional
    .flatMap(({ isNew: condition }) => condition ?? [])
    .map((condition) => ` or ${condition}`)
    .join('');
  return `
    insert into {users} as stored (project_id, user_key, first_seen, last_seen${names})
    select * from unnest($1::text[], $2::text[], $3::int8[], $4::int8[]${arrays})
    on conflict (project_id, user_key) do update
    set first_seen = least(stored.first_seen, excluded.first_seen),
        last_seen = greatest(stored.last_seen, excluded.last_seen)${merged}
    where excluded.first_seen < stored.first_seen or excluded.last_seen > stored.last_seen${isNew}`;
}

/**
 * Changes without traits must not come here. Returns whose traits became more than `maxTraits`, and were trimmed to the
 * newest.
 */
export async function mergeTraits(
  transaction: Queryable,
  changes: readonly ProfileChange[],
  maxTraits = MAX_TRAITS,
): Promise<readonly DroppedTraits[]> {
  const wide = await transaction.query<WideRow>(changes.some(deletesTraits) ? SET_AND_DELETE_TRAITS : SET_TRAITS, [
    changes.map(({ projectId }) => projectId),
    changes.map(({ userKey }) => userKey),
    changes.map(traitsJson),
    changes.map(versionsJson),
    maxTraits * BYTES_A_VERSION,
  ]);
  if (wide.length === 0) return [];
  const trimmed = await transaction.query<TrimmedRow>(TRIM_TRAITS, [
    wide.map(({ project_id }) => project_id),
    wide.map(({ user_key }) => user_key),
    maxTraits,
  ]);
  return trimmed.map(({ project_id, user_key, dropped }) => ({
    projectId: project_id,
    userKey: user_key,
    traits: Number(dropped),
  }));
}

interface WideRow {
  readonly project_id: string;
  readonly user_key: string;
}

interface TrimmedRow extends WideRow {
  readonly dropped: bigint;
}

/** The fewest bytes of jsonb that a trait and its version take. Traits of smaller objects need not be counted. */
const BYTES_A_VERSION = 40;

// Subtracting names compares each with every key of the profile, at about 2 ns; making it anew costs about 1 µs a key.
const MOST_SUBTRACTED = 300;

/**
 * A wide profile is stored compressed, and every operator that is given the column inflates it anew: for k traits onto S
 * that took k times S. `||` with nothing is inflated, once a row. Which of the rows are too wide is told by the size of
 * what was merged, which costs nothing.
 */
function mergeStatement(merged: string): string {
  return `
  with merged as (
    insert into {profiles} as stored (project_id, user_key, traits, versions)
    select project_id, user_key, traits::jsonb, versions::jsonb
    from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as change (project_id, user_key, traits, versions)
    on conflict (project_id, user_key) do update
    set (traits, versions) = (
      ${merged}
      from jsonb_each_text(excluded.versions) as newer (trait, version)
      where version collate "C" > coalesce((select stored.versions || '{}') ->> trait, '')
    )
    returning project_id, user_key, pg_column_size(versions) as bytes
  )
  select project_id, user_key from merged where bytes > $5::int8`;
}

/** Merges changes that only set traits, by far the most. */
const SET_TRAITS = mergeStatement(`
      select stored.traits || coalesce(jsonb_object_agg(trait, excluded.traits -> trait), '{}'),
             stored.versions || coalesce(jsonb_object_agg(trait, version), '{}')`);

const IS_GONE = 'not excluded.traits ? trait';

const SET_AND_DELETE_TRAITS = mergeStatement(`
      select case when count(*) filter (where ${IS_GONE}) <= ${MOST_SUBTRACTED}
                  then stored.traits - coalesce(array_agg(trait) filter (where ${IS_GONE}), '{}')
                  else (select coalesce(jsonb_object_agg(name, value), '{}')
                        from jsonb_each(stored.traits) as one (name, value)
                        where not jsonb_object_agg(trait, version) ? name)
             end || coalesce(jsonb_object_agg(trait, excluded.traits -> trait) filter (where excluded.traits ? trait), '{}'),
             stored.versions || coalesce(jsonb_object_agg(trait, version), '{}')`);

const TRIM_TRAITS = `
  with wide as (
    select project_id, user_key, count - $3::int4 as dropped
    from unnest($1::text[], $2::text[]) as named (project_id, user_key)
    join {profiles} using (project_id, user_key)
    cross join lateral (select count(*) from jsonb_object_keys(versions)) as traits
    where count > $3::int4
  )
  update {profiles} as stored
  set (versions, traits) = (${newestTraitsSql('stored', '$3::int4')})
  from wide
  where (stored.project_id, stored.user_key) = (wide.project_id, wide.user_key)
  returning stored.project_id, stored.user_key, wide.dropped`;

/** Whether it deletes any trait: merging such takes longer, so that they are best merged apart. */
export function deletesTraits({ traits }: ProfileChange): boolean {
  for (const { value } of traits.values()) if (value === null) return true;
  return false;
}

/** The traits that are set; one that is deleted is in the versions alone. */
export function traitsJson({ traits }: ProfileChange): string {
  let json = '';
  for (const [trait, { value }] of traits) if (value !== null) json += `,${JSON.stringify(trait)}:${value}`;
  return `{${json.slice(1)}}`;
}

function versionsJson({ traits }: ProfileChange): string {
  let json = '';
  for (const [trait, { version }] of traits) json += `,${JSON.stringify(trait)}:"${version}"`;
  return `{${json.slice(1)}}`;
}
