import { setTimeout as delay } from 'node:timers/promises';
import type { ScanRange } from '../../event-log/event-log.ts';
import { tableOf } from '../../stores/generations/generation.ts';
import { MAX_TRAITS, type Message } from '../../messages/message.ts';
import { parseJson } from '../../messages/parse-json.ts';
import { userName, userNamed } from '../../stores/erasures/erased-users.ts';
import { isHiddenSql } from '../../stores/erasures/hidden.ts';
import { hasSightingsSql, sightingsSql } from '../../stores/profiles/sightings.ts';
import { newestTraitsSql } from '../../stores/profiles/newest-traits.ts';
import { between, higher, lower, namedWithin, type Offsets } from './between.ts';
import { type Compared, type ComparisonParts, countVerdicts, type Pair, SAMPLE, type Verdict } from './compared.ts';

// Users of both generations together, in one statement, which occupies an embedded database for some 50 ms.
const USERS_AT_ONCE = 4_000;

// A user of whom a message lies between the readers is looked at again. Most are decided at the second look.
const LOOKS = 6;
const BETWEEN_LOOKS_MS = 500;

/**
 * Compares profiles while messages go on arriving. A statement sees both generations at one instant, with where each
 * stands. What differs there is a difference only if no message of that user lies between the two positions: the log is
 * read there, and the others are looked at again.
 */
export async function compareProfiles(parts: ComparisonParts, pair: Pair, maxTraits = MAX_TRAITS): Promise<Compared> {
  const found = new Map<string, Verdict>();
  const sql = statementsOf(pair, maxTraits);
  let equal = 0;
  let undecided = new Map<string, Verdict>();
  let from: Key = ['', ''];
  for (;;) {
    parts.signal.throwIfAborted();
    const [upper] = await parts.database.query<KeyRow>(sql.upper, [...scopeOf(pair), ...from]);
    const to: Key | undefined = upper && [upper.project_id, upper.user_key];
    const chunk = await look(parts, sql.chunk, [...scopeOf(pair), ...from, ...(to ?? [null, null])]);
    equal += chunk.equal;
    for (const [user, verdict] of chunk.decided) found.set(user, verdict);
    for (const [user, verdict] of chunk.undecided) undecided.set(user, verdict);
    parts.onStep(equal + found.size + undecided.size, 'users');
    if (to === undefined) break;
    from = to;
  }
  for (let looks = 1; undecided.size > 0 && looks < LOOKS; looks++) {
    await delay(BETWEEN_LOOKS_MS, undefined, { signal: parts.signal });
    const again = await look(parts, sql.some, arraysOf([...undecided.keys()]));
    equal += again.equal;
    for (const [user, verdict] of again.decided) found.set(user, verdict);
    undecided = again.undecided;
  }
  const counts = countVerdicts(found.values());
  const sample = await userIdsOf(parts, pair, [...found].slice(0, SAMPLE));
  return { what: 'profiles', unit: 'users', equal, ...counts, undecided: undecided.size, sample };
}

type Key = readonly [projectId: string, userKey: string];

interface KeyRow {
  readonly project_id: string;
  readonly user_key: string;
}

interface ProfilePair {
  readonly equal: number;
  /** By `project/user`. */
  readonly decided: ReadonlyMap<string, Verdict>;
  readonly undecided: Map<string, Verdict>;
}

interface PositionColumns {
  readonly live_positions: string | null;
  readonly fresh_positions: string | null;
  readonly live_ahead: string | null;
  readonly fresh_ahead: string | null;
}

interface VerdictRow extends PositionColumns {
  readonly verdict: Verdict | 'equal';
  readonly users: bigint;
  readonly names: readonly string[];
}

async function look(parts: ComparisonParts, sql: string, values: Parameters<ComparisonParts['database']['query']>[1]) {
  const rows = await parts.database.query<VerdictRow>(sql, values);
  const differing = rows.flatMap(({ verdict, names }) =>
    verdict === 'equal' ? [] : names.map((name) => [name, verdict] as const),
  );
  const [any] = rows;
  const ranges = any === undefined ? [] : doubtfulRanges(any);
  const asked = new Set(differing.map(([name]) => name));
  const doubtful = await namedWithin(parts, ranges, asked, userOf, parts.signal);
  const result: ProfilePair = {
    equal: Number(rows.find(({ verdict }) => verdict === 'equal')?.users ?? 0n),
    decided: new Map(differing.filter(([name]) => !doubtful.has(name))),
    undecided: new Map(differing.filter(([name]) => doubtful.has(name))),
  };
  return result;
}

/** What one of them may have and the other may not: from where the one behind stands to where the other may be ahead. */
function doubtfulRanges(row: PositionColumns): readonly ScanRange[] {
  const stand = lower(offsetsIn(row.live_positions), offsetsIn(row.fresh_positions));
  const ahead = higher(offsetsIn(row.live_ahead), offsetsIn(row.fresh_ahead));
  return between(stand, ahead);
}

function offsetsIn(json: string | null): Offsets {
  return new Map(Object.entries(parseJson(json ?? '{}') as Record<string, string>).map(([k, v]) => [k, BigInt(v)]));
}

function userOf({ projectId, userKey }: Message): string {
  return userName(projectId, userKey);
}

function scopeOf({ projectId, except }: Pair): readonly [string | null, readonly string[]] {
  return [projectId, except];
}

function statementsOf({ live, fresh, projectId }: Pair, maxTraits: number) {
  const scope =
    projectId === null
      ? '$1::text is null and project_id <> all($2::text[])'
      : 'project_id = $1 and $2::text[] is not null';
  const after = '(project_id, user_key) > ($3, $4)';
  const keys = (number: number): string =>
    `(select project_id, user_key from ${tableOf('profiles', number, 'users')}
      where ${scope} and ${after} order by project_id, user_key limit ${USERS_AT_ONCE})`;
  return {
    upper: `select project_id, user_key from (${keys(live)} union all ${keys(fresh)}) as keys
            order by project_id, user_key offset ${USERS_AT_ONCE - 1} limit 1`,
    chunk: verdictsOf(
      live,
      fresh,
      maxTraits,
      `${scope} and ${after} and ($5::text is null or (project_id, user_key) <= ($5, $6))`,
    ),
    some: verdictsOf(
      live,
      fresh,
      maxTraits,
      '(project_id, user_key) in (select * from unnest($1::text[], $2::text[]))',
    ),
  };
}

const AHEAD = 'greatest(next_offset, ahead_to)';

const STORED_COLUMNS = ['user_id', 'anonymous_id', 'first_seen', 'last_seen', 'anonymous', 'anonymous_version'];
const USER_COLUMNS = [...STORED_COLUMNS, 'sightings'];
const COMPARED_COLUMNS = [...USER_COLUMNS, 'traits', 'versions'];

function verdictsOf(live: number, fresh: number, maxTraits: number, condition: string): string {
  // A generation from before there were sightings lacks some, which a fresh one has.
  const areWhole = [live, fresh]
    .map((number) => hasSightingsSql(tableOf('profiles', number, 'reader_positions')))
    .join(' and ');
  const side = (number: number): string =>
    `select project_id, user_key, ${STORED_COLUMNS.join(', ')}, traits, versions,
            case when ${areWhole} then ${sightingsSql('users', tableOf('profiles', number, 'sightings'))} end as sightings
     from ${tableOf('profiles', number, 'users')} as users
     left join ${tableOf('profiles', number, 'profiles')} using (project_id, user_key)
     where ${condition} and not ${isHiddenSql('users.project_id', 'users.user_key')}`;
  const row = (of: string, columns = COMPARED_COLUMNS): string =>
    `(${columns.map((column) => `${of}.${column}`).join(', ')})`;
  // Only those that differ: a profile written before there was a bound keeps all that it had until its next merge.
  const kept = (of: string): string =>
    `(select (versions, traits) from (${newestTraitsSql(of, String(maxTraits))}) as kept)`;
  const offsets = (number: number, offset: string): string =>
    `(select jsonb_object_agg(topic || '/' || partition, (${offset})::text)::text
      from ${tableOf('profiles', number, 'reader_positions')})`;
  return `
    with live as (${side(live)}), fresh as (${side(fresh)}), pairs as (
      select project_id || '/' || user_key as name,
             case when fresh.first_seen is null then 'missing'
                  when live.first_seen is null then 'extra'
                  when ${row('live')} is not distinct from ${row('fresh')} then 'equal'
                  when ${row('live', USER_COLUMNS)} is not distinct from ${row('fresh', USER_COLUMNS)}
                   and ${kept('live')} is not distinct from ${kept('fresh')} then 'equal'
                  else 'different' end as verdict
      from live full join fresh using (project_id, user_key)
    )
    select verdict, count(*) as users,
           coalesce(array_agg(name) filter (where verdict <> 'equal'), '{}')::text[] as names,
           ${offsets(live, 'next_offset')} as live_positions, ${offsets(fresh, 'next_offset')} as fresh_positions,
           ${offsets(live, AHEAD)} as live_ahead, ${offsets(fresh, AHEAD)} as fresh_ahead
    from pairs
    group by verdict`;
}

/** By what callers know them, where there is such an id. */
async function userIdsOf(
  { database }: ComparisonParts,
  { live, fresh }: Pair,
  users: readonly (readonly [string, Verdict])[],
): Promise<readonly string[]> {
  const ids = await database.query<{ readonly name: string; readonly user_id: string | null }>(
    `select asked.project_id || '/' || asked.user_key as name, coalesce(live.user_id, fresh.user_id) as user_id
     from unnest($1::text[], $2::text[]) as asked (project_id, user_key)
     left join ${tableOf('profiles', live, 'users')} as live using (project_id, user_key)
     left join ${tableOf('profiles', fresh, 'users')} as fresh using (project_id, user_key)`,
    arraysOf(users.map(([name]) => name)),
  );
  const byName = new Map(ids.map(({ name, user_id }) => [name, user_id]));
  return users.map(([name, verdict]) => {
    const { projectId, userKey } = userNamed(name);
    return `${verdict}: ${projectId} ${byName.get(name) ?? userKey}`;
  });
}

/** The projects and the internal ids of these users. */
function arraysOf(names: readonly string[]): readonly (readonly string[])[] {
  const users = names.map(userNamed);
  return [users.map(({ projectId }) => projectId), users.map(({ userKey }) => userKey)];
}
