/**
 * SQL of persons: a user with the anonymous ids that are that user's alone, where the project joins ids. `$1` is the project
 * everywhere. Pure.
 */
const JOINS = 'exists (select from projects where id = $1 and join_ids)';

/** As `anonymousKeyOf`. */
function anonymousKeySql(anonymousId: string): string {
  const part = (text: string): string => `octet_length(${text}) || ':' || ${text}`;
  return `encode(sha256(convert_to('9:anonymous' || ${part('$1::text')} || ${part(anonymousId)}, 'UTF8')), 'hex')`;
}

const DECIDED = `
  select from join_decisions as decided
  where decided.project_id = $1 and decided.says <> 'rule' and decided.anonymous_key = `;

/**
 * Rows `anonymous_id`, `version` of the first message that gave it, null where none did, and `user_key` of who is known by it
 * alone.
 */
function joinedIds(userKey: string): string {
  return `
    select seen.anonymous_id, seen.version, own.user_key
    from {sightings} as seen
    cross join lateral (select ${anonymousKeySql('seen.anonymous_id')} as user_key) as own
    where ${JOINS} and seen.project_id = $1 and seen.user_key = ${userKey}
      and not exists (select from {sightings} as other
                      where other.project_id = $1 and other.anonymous_id = seen.anonymous_id
                        and other.user_key <> seen.user_key)
      and not exists (${DECIDED} own.user_key)
    union all
    select decided.anonymous_id, seen.version, decided.anonymous_key
    from join_decisions as decided
    left join {sightings} as seen
      on seen.project_id = $1 and seen.user_key = ${userKey} and seen.anonymous_id = decided.anonymous_id
    where ${JOINS} and decided.project_id = $1 and decided.person_key = ${userKey}`;
}

/** The internal id of the person whose this one is. */
export function personSql(userKey: string): string {
  return `
    coalesce((select decided.person_key from join_decisions as decided
              where ${JOINS} and decided.project_id = $1 and decided.anonymous_key = ${userKey}),
             (select min(seen.user_key)
              from {users} as known
              join {sightings} as seen on seen.project_id = $1 and seen.anonymous_id = known.anonymous_id
              where ${JOINS} and known.project_id = $1 and known.user_key = ${userKey} and known.user_id is null
                and not exists (${DECIDED} known.user_key)
              having count(*) = 1), ${userKey})`;
}

/** JSON: the joined ids, each with its version and its internal id, the first one first; null where ids are not joined. */
export function joinedIdsSql(userKey: string): string {
  return `
    case when ${JOINS} then coalesce((select jsonb_agg(jsonb_build_array(joined.anonymous_id, joined.version, joined.user_key)
                               order by joined.version, joined.anonymous_id)
              from (${joinedIds(userKey)}) as joined), '[]')::text end`;
}

/**
 * The traits of a person. What the user's own messages say wins, deletions too; where they do not mention a trait, the newest of
 * the joined ids says it.
 *
 * @param profile Whose `traits` and `versions` the user's own are; all of it may be null.
 */
export function personTraitsSql(userKey: string, profile: string): string {
  return `
    case when ${JOINS} then coalesce(${profile}.traits, '{}') || coalesce((
      select jsonb_object_agg(newest.trait, newest.value)
      from (
        select distinct on (one.trait) one.trait, theirs.traits -> one.trait as value
        from (${joinedIds(userKey)}) as joined
        join {profiles} as theirs on theirs.project_id = $1 and theirs.user_key = joined.user_key
        cross join lateral jsonb_each_text(theirs.versions) as one (trait, version)
        where not coalesce(${profile}.versions ? one.trait, false)
        order by one.trait, one.version collate "C" desc
      ) as newest
      where newest.value is not null), '{}')
    else ${profile}.traits end`;
}

/** @param end `min` of `first_seen`, or `max` of `last_seen`. */
export function personSeenSql(userKey: string, own: string, end: 'min' | 'max'): string {
  const [choose, column] = end === 'min' ? ['least', 'first_seen'] : ['greatest', 'last_seen'];
  return `
    ${choose}(${own}, (select ${end}(theirs.${column})
                       from (${joinedIds(userKey)}) as joined
                       join {users} as theirs on theirs.project_id = $1 and theirs.user_key = joined.user_key))`;
}
