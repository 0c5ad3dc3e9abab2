/** What is read of one generation of profiles. */
import { parseJson } from '../../messages/parse-json.ts';
import type { Queryable } from '../database/database.ts';
import { isHiddenSql } from '../erasures/hidden.ts';
import type { JsonText } from '../../messages/message.ts';
import type { Profile, TraitPath, TraitValues, WholeProfile } from './profile.ts';
import { firstSeenAt } from './sightings.ts';

/** What others may read of profiles. Arguments and results can be cloned between threads. */
export class ProfileReader {
  readonly #database: Queryable;

  /** @param database With the schema of the generation. */
  constructor(database: Queryable) {
    this.#database = database;
  }

  /** @throws TidemarkError `STORE_UNAVAILABLE`, retryable. */
  async find(projectId: string, userKey: string): Promise<Profile | undefined> {
    const [row] = await this.#database.query<ProfileRow>(FIND, [projectId, userKey]);
    return row && { projectId, userKey, ...row };
  }

  /**
   * The profile of each of these users, in order; undefined for a user who has none. Ends early once the traits of those
   * that it returns have `maxChars` characters or more, so that a page of wide profiles is short.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE`, retryable.
   */
  async findPage(
    projectId: string,
    userKeys: readonly string[],
    maxChars: number,
  ): Promise<readonly (Profile | undefined)[]> {
    const rows = await this.#database.query<PageRow>(FIND_PAGE, [projectId, userKeys, maxChars]);
    return rows.map(({ isKnown, ...row }) => (isKnown ? { projectId, ...row } : undefined));
  }

  /**
   * What these users have at each path, users and paths in order. A user without a profile has nothing. Ends early as
   * `findPage` does, by the characters of what it returns.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE`, retryable.
   */
  traitsPage(
    projectId: string,
    userKeys: readonly string[],
    paths: readonly TraitPath[],
    maxChars: number,
  ): Promise<readonly TraitValues[]> {
    return readTraits(this.#database, projectId, userKeys, paths, maxChars);
  }

  /** @throws TidemarkError `STORE_UNAVAILABLE`, retryable. */
  async findWhole(projectId: string, userKey: string): Promise<WholeProfile | undefined> {
    const [row] = await this.#database.query<WholeRow>(FIND_WHOLE, [projectId, userKey]);
    if (row === undefined) return undefined;
    const { seenWith, ...profile } = row;
    const ids = parseJson(seenWith) as readonly (readonly [string, string])[];
    const pairs = ids.map(([anonymousId, version]) => ({ anonymousId, firstSeen: firstSeenAt(version) }));
    return { projectId, userKey, ...profile, seenWith: pairs };
  }

  /**
   * The internal ids of users with a user id beside which this anonymous id was seen, those above `after`, ascending.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE`, retryable.
   */
  async seenWith(projectId: string, anonymousId: string, after: string, limit: number): Promise<readonly string[]> {
    const values = [projectId, anonymousId, after, limit];
    const rows = await this.#database.query<{ readonly user_key: string }>(SEEN_WITH, values);
    return rows.map(({ user_key }) => user_key);
  }
}

type ProfileRow = Omit<Profile, 'projectId' | 'userKey'>;

const ANONYMOUS_IDS = `
  case when user_id is null then array_remove(array[anonymous_id], null)
       else array(select seen.anonymous_id from {sightings} as seen
                  where seen.project_id = {users}.project_id and seen.user_key = {users}.user_key
                  order by seen.version desc, seen.anonymous_id)
  end`;

const PROFILE = `
  user_id as "userId", anonymous, ${ANONYMOUS_IDS} as "anonymousIds", coalesce(traits, '{}')::text as traits,
  first_seen as "firstSeen", last_seen as "lastSeen"`;

const FROM_USERS = `
  from {users}
  left join {profiles} using (project_id, user_key)
  where project_id = $1 and user_key = $2 and not ${isHiddenSql('$1', '$2')}`;

const FIND = `select ${PROFILE} ${FROM_USERS}`;

// The recursion reads one profile a step, and none past the last of the page: the sum of a window function would read all.
const FIND_PAGE = `
  with recursive page (number, key, chars) as (
    select 0, '', 0::int8
    union all
    select number + 1, ($2::text[])[number + 1],
           chars + coalesce((select length(traits::text) from {profiles}
                             where project_id = $1 and user_key = ($2::text[])[number + 1]), 0)
    from page
    where number < cardinality($2::text[]) and chars < $3::int8
  )
  select page.key as "userKey", {users}.user_key is not null as "isKnown", ${PROFILE}
  from page
  left join {users} on {users}.project_id = $1 and {users}.user_key = page.key and not ${isHiddenSql('$1', 'page.key')}
  left join {profiles} using (project_id, user_key)
  where number > 0
  order by number`;

type PageRow = Omit<Profile, 'projectId'> & { readonly isKnown: boolean };

const FIND_WHOLE = `
  select ${PROFILE}, coalesce(versions, '{}')::text as versions,
         (select coalesce(jsonb_agg(jsonb_build_array(seen.anonymous_id, seen.version)
                                    order by seen.version desc, seen.anonymous_id), '[]')::text
          from {sightings} as seen
          where seen.project_id = {users}.project_id and seen.user_key = {users}.user_key) as "seenWith"
  ${FROM_USERS}`;

type WholeRow = ProfileRow & { readonly versions: string; readonly seenWith: string };

const SEEN_WITH = `
  select user_key from {sightings} as seen
  where project_id = $1 and anonymous_id = $2 and user_key > $3 and not ${isHiddenSql('$1', 'seen.user_key')}
  order by user_key limit $4`;

/** Some traits of many users in one statement: of a wide profile only what was asked for leaves the database. */
async function readTraits(
  database: Queryable,
  projectId: string,
  userKeys: readonly string[],
  paths: readonly TraitPath[],
  maxChars: number,
): Promise<readonly TraitValues[]> {
  const rows = await database.query<TraitsRow>(traitsStatement(paths.length), [
    projectId,
    userKeys,
    maxChars,
    ...paths,
  ]);
  const none = paths.map(() => null);
  return rows.map(({ found }) => found ?? none);
}

interface TraitsRow {
  readonly found: readonly (JsonText | null)[] | null;
}

// The recursion reads one profile a step, and none past the last of the page, as that of whole profiles does.
function traitsStatement(paths: number): string {
  const values = Array.from({ length: paths }, (_, index) => `(traits #> $${index + 4}::text[])::text`);
  return `
    with recursive page (number, found, chars) as (
      select 0, null::text[], 0::int8
      union all
      select number + 1, here.found, chars + coalesce(length(array_to_string(here.found, '')), 0)
      from page
      left join lateral (
        select array[${values.join(', ')}] as found
        from {profiles}
        where project_id = $1 and user_key = ($2::text[])[number + 1]
          and not ${isHiddenSql('$1', '($2::text[])[number + 1]')}
      ) as here on true
      where number < cardinality($2::text[]) and chars < $3::int8
    )
    select found from page where number > 0 order by number`;
}
