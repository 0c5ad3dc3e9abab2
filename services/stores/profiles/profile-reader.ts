/** What is read of one generation of profiles. */
import { parseJson } from '../../messages/parse-json.ts';
import type { Queryable } from '../database/database.ts';
import { isHiddenSql } from '../erasures/hidden.ts';
import type { JsonText, Micros } from '../../messages/message.ts';
import type { Profile, TraitPath, TraitValues, WholeProfile } from './profile.ts';
import { joinedIdsSql, personSeenSql, personSql, personTraitsSql } from './persons-sql.ts';
import { firstSeenAt, MAX_SIGHTINGS } from './sightings.ts';

/** What others may read of profiles. Arguments and results can be cloned between threads. */
export class ProfileReader {
  readonly #database: Queryable;

  /** @param database With the schema of the generation. */
  constructor(database: Queryable) {
    this.#database = database;
  }

  /**
   * By any internal id of the person.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE`, retryable.
   */
  async find(projectId: string, userKey: string): Promise<Profile | undefined> {
    const [row] = await this.#database.query<ProfileRow>(FIND, [projectId, userKey]);
    return row && profileOf(projectId, row);
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
    return rows.map(({ isKnown, ...row }) => (isKnown ? profileOf(projectId, row) : undefined));
  }

  /**
   * What these users have at each path, users and paths in order. A user without a profile has nothing. Ends early as
   * `findPage` does, by the characters of what it returns.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE`, retryable.
   */
  async traitsPage(
    projectId: string,
    userKeys: readonly string[],
    paths: readonly TraitPath[],
    maxChars: number,
  ): Promise<readonly TraitValues[]> {
    // Only what was asked for leaves the database: a profile may be wide.
    const values = [projectId, userKeys, maxChars, ...paths];
    const rows = await this.#database.query<TraitsRow>(traitsStatement(paths.length), values);
    const none = paths.map(() => null);
    return rows.map(({ found }) => found ?? none);
  }

  /** As `find`. @throws TidemarkError `STORE_UNAVAILABLE`, retryable. */
  async findWhole(projectId: string, userKey: string): Promise<WholeProfile | undefined> {
    const [row] = await this.#database.query<WholeRow>(FIND_WHOLE, [projectId, userKey]);
    if (row === undefined) return undefined;
    const { seenWith, versions, ...profile } = row;
    const ids = parseJson(seenWith) as readonly (readonly [string, string])[];
    const pairs = ids.map(([anonymousId, version]) => ({ anonymousId, firstSeen: firstSeenAt(version) }));
    return { ...profileOf(projectId, profile), versions, seenWith: pairs };
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

  /** @throws TidemarkError `STORE_UNAVAILABLE`, retryable. */
  async sightedId(projectId: string, anonymousId: string): Promise<SightedId> {
    const [row] = await this.#database.query<SightedRow>(SIGHTED_ID, [projectId, anonymousId]);
    const { users = 0, first = null, version = null } = row ?? {};
    return { users, onlyUser: users === 1 ? first : null, since: version === null ? null : firstSeenAt(version) };
  }

  /** Reads every sighting of the project. @throws TidemarkError `STORE_UNAVAILABLE`, retryable. */
  async countJoins(projectId: string): Promise<JoinCounts> {
    const [counts] = await this.#database.query<Omit<JoinCounts, 'mostShared'>>(COUNT_JOINS, [projectId]);
    const mostShared = await this.#database.query<JoinCounts['mostShared'][number]>(MOST_SHARED, [projectId]);
    return { ...(counts ?? { joined: 0, shared: 0, unseen: 0, usersAtLimit: 0 }), mostShared };
  }
}

/** With whom an anonymous id was seen. */
export interface SightedId {
  readonly users: number;
  /** The internal id of the only one; null where there are none or several. */
  readonly onlyUser: string | null;
  /** The time of the first message that gave it beside a user id. */
  readonly since: Micros | null;
}

/** How many anonymous ids of a project are whose, by the rule. */
export interface JoinCounts {
  readonly joined: number;
  readonly shared: number;
  /** Seen with nobody. */
  readonly unseen: number;
  /** Users of whom as many were seen as count. */
  readonly usersAtLimit: number;
  readonly mostShared: readonly { readonly anonymousId: string; readonly users: number }[];
}

type ProfileRow = Omit<Profile, 'projectId' | 'joinedIds'> & { readonly joined: string | null };

function profileOf(projectId: string, { joined, ...row }: ProfileRow): Profile {
  const ids = parseJson(joined ?? 'null') as
    readonly (readonly [id: string, version: string | null, userKey: string])[] | null;
  const joinedIds =
    ids &&
    ids.map(([anonymousId, version, userKey]) => ({
      anonymousId,
      userKey,
      since: version === null ? null : firstSeenAt(version),
    }));
  return { projectId, ...row, joinedIds };
}

const ANONYMOUS_IDS = `
  case when user_id is null then array_remove(array[anonymous_id], null)
       else array(select seen.anonymous_id from {sightings} as seen
                  where seen.project_id = {users}.project_id and seen.user_key = {users}.user_key
                  order by seen.version desc, seen.anonymous_id)
  end`;

const USER_KEY = '{users}.user_key';

const PROFILE = `
  {users}.user_key as "userKey", user_id as "userId", anonymous, ${ANONYMOUS_IDS} as "anonymousIds",
  coalesce(${personTraitsSql(USER_KEY, '{profiles}')}, '{}')::text as traits, ${joinedIdsSql(USER_KEY)} as joined,
  ${personSeenSql(USER_KEY, '{users}.first_seen', 'min')} as "firstSeen",
  ${personSeenSql(USER_KEY, '{users}.last_seen', 'max')} as "lastSeen"`;

const FROM_USERS = `
  from {users}
  left join {profiles} using (project_id, user_key)
  where project_id = $1 and user_key = ${personSql('$2')} and not ${isHiddenSql('$1', '{users}.user_key')}`;

const FIND = `select ${PROFILE} ${FROM_USERS}`;

// The recursion reads one profile a step, and none past the last of the page: the sum of a window function would read all.
const FIND_PAGE = `
  with recursive page (number, key, chars) as (
    select 0, '' collate "C", 0::int8
    union all
    select number + 1, here.key,
           chars + coalesce((select length(traits::text) from {profiles}
                             where project_id = $1 and user_key = here.key), 0)
    from page
    cross join lateral (select ${personSql('($2::text[])[page.number + 1]')} as key) as here
    where number < cardinality($2::text[]) and chars < $3::int8
  )
  select {users}.user_key is not null as "isKnown", ${PROFILE}
  from page
  left join {users} on {users}.project_id = $1 and {users}.user_key = page.key and not ${isHiddenSql('$1', 'page.key')}
  left join {profiles} using (project_id, user_key)
  where number > 0
  order by number`;

type PageRow = ProfileRow & { readonly isKnown: boolean };

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

interface SightedRow {
  readonly users: number;
  readonly first: string | null;
  readonly version: string | null;
}

const SIGHTED_ID = `
  select count(*)::int4 as users, min(user_key) as first, min(version) as version from {sightings}
  where project_id = $1 and anonymous_id = $2`;

const COUNT_JOINS = `
  with sighted as (select count(*) as users from {sightings} where project_id = $1 group by anonymous_id)
  select (select count(*)::int4 from sighted where users = 1) as joined,
         (select count(*)::int4 from sighted where users > 1) as shared,
         (select count(*)::int4 from {users} as known
          where project_id = $1 and user_id is null and anonymous_id is not null
            and not exists (select from {sightings} as seen
                            where seen.project_id = $1 and seen.anonymous_id = known.anonymous_id)) as unseen,
         (select count(*)::int4 from (select from {sightings} where project_id = $1 group by user_key
                                      having count(*) >= ${MAX_SIGHTINGS}) as crowded) as "usersAtLimit"`;

const MOST_SHARED = `
  select anonymous_id as "anonymousId", count(*)::int4 as users from {sightings} where project_id = $1
  group by anonymous_id having count(*) > 1 order by count(*) desc, anonymous_id limit 20`;

interface TraitsRow {
  readonly found: readonly (JsonText | null)[] | null;
}

// The recursion reads one profile a step, and none past the last of the page, as that of whole profiles does.
function traitsStatement(paths: number): string {
  const values = Array.from({ length: paths }, (_, index) => `(theirs.traits #> $${index + 4}::text[])::text`);
  return `
    with recursive page (number, found, chars) as (
      select 0, null::text[], 0::int8
      union all
      select number + 1, here.found, chars + coalesce(length(array_to_string(here.found, '')), 0)
      from page
      left join lateral (
        select array[${values.join(', ')}] as found
        from (select ${personSql('($2::text[])[page.number + 1]')} as key) as person
        left join {profiles} on project_id = $1 and user_key = person.key
        cross join lateral (select ${personTraitsSql('person.key', '{profiles}')} as traits) as theirs
        where not ${isHiddenSql('$1', 'person.key')}
      ) as here on true
      where number < cardinality($2::text[]) and chars < $3::int8
    )
    select found from page where number > 0 order by number`;
}
