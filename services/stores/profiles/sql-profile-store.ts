import { randomUUID } from 'node:crypto';
import type { Position, TopicPartition } from '../../event-log/event-log.ts';
import { parseJson } from '../../messages/parse-json.ts';
import { hourOf } from '../../messages/day-and-hour.ts';
import type { Database, Queryable } from '../database/database.ts';
import { pipelined } from '../database/pipelined.ts';
import { SchemaDatabase } from '../database/schema-database.ts';
import { FIRST_GENERATION, schemaOf } from '../generations/generation.ts';
import { isHiddenSql } from '../erasures/hidden.ts';
import { mergeAnonymousIds } from './anonymous-ids.ts';
import { areRepeats, enterClaims, forgetClaims, inSlices } from './claims.ts';
import { refuseWhilePaused } from './refuse-while-paused.ts';
import { deletesTraits, mergeTraits, mergeUsers } from './merge-statements.ts';
import type { DroppedTraits } from './newest-traits.ts';
import { movePositions, noteAhead, noteAheadTo, readPositions } from './positions.ts';
import type { AppliedCount, Claim, ProfileStore, ReaderStep } from './profile-store.ts';
import { byUser, type Profile, type ProfileChange, type WholeProfile } from './profile.ts';
import { readTraits } from './read-traits.ts';
import { noteUnstored, unstoredOf } from './unstored-messages.ts';

const FORGOTTEN_AT_ONCE = 2_000;

// Each has up to MAX_ANONYMOUS_IDS rows; most have one.
const IDS_USERS = 200;

export interface SqlProfileStoreOptions {
  /** How many traits a profile keeps. */
  readonly maxTraits?: number;
  /** Called after each transaction that dropped some. */
  readonly onDropped?: (dropped: readonly DroppedTraits[]) => void;
}

/** A generation of profiles in a Postgres-compatible database, whose tables `schemas/postgres` makes. */
export class SqlProfileStore implements ProfileStore {
  readonly #database: Database;
  readonly #generation: number;
  readonly #options: SqlProfileStoreOptions;
  readonly traitsPage: ProfileStore['traitsPage'] = (...wanted) => readTraits(this.#database, ...wanted);

  constructor(database: Database, generation = FIRST_GENERATION, options: SqlProfileStoreOptions = {}) {
    this.#database = new SchemaDatabase(database, schemaOf('profiles', generation));
    this.#generation = generation;
    this.#options = options;
  }

  async find(projectId: string, userKey: string): Promise<Profile | undefined> {
    const [row] = await this.#database.query<ProfileRow>(FIND, [projectId, userKey]);
    return row && { projectId, userKey, ...row };
  }

  async findPage(
    projectId: string,
    userKeys: readonly string[],
    maxChars: number,
  ): Promise<readonly (Profile | undefined)[]> {
    const rows = await this.#database.query<PageRow>(FIND_PAGE, [projectId, userKeys, maxChars]);
    return rows.map(({ isKnown, ...row }) => (isKnown ? { projectId, ...row } : undefined));
  }

  async findWhole(projectId: string, userKey: string): Promise<WholeProfile | undefined> {
    const [row] = await this.#database.query<WholeRow>(FIND_WHOLE, [projectId, userKey]);
    if (row === undefined) return undefined;
    const { seenWith, ...profile } = row;
    const ids = parseJson(seenWith) as readonly (readonly [string, string])[];
    const lastSeenWith = ids.map(([anonymousId, at]) => ({ anonymousId, lastSeen: BigInt(at) }));
    return { projectId, userKey, ...profile, lastSeenWith };
  }

  async seenWith(projectId: string, anonymousId: string, after: string, limit: number): Promise<readonly string[]> {
    const values = [projectId, anonymousId, after, limit];
    const rows = await this.#database.query<{ readonly user_key: string }>(SEEN_WITH, values);
    return rows.map(({ user_key }) => user_key);
  }

  async positions(partitions: readonly TopicPartition[]): Promise<readonly Position[]> {
    return readPositions(this.#database, partitions);
  }

  async write(
    steps: readonly ReaderStep[],
    claims: readonly Claim[],
    fold: (counts: readonly boolean[]) => readonly ProfileChange[],
    tally: (counts: readonly boolean[]) => readonly AppliedCount[] = () => [],
  ): Promise<void> {
    await this.#writing(async (transaction) => {
      await this.#begin(transaction, () => movePositions(transaction, steps));
      await noteUnstored(transaction, 'projector', this.#generation, steps.flatMap(unstoredOf));
      const counts = await enterClaims(transaction, 'projector', claims);
      return merge(transaction, fold(counts), tally(counts), this.#options.maxTraits);
    });
  }

  areRepeats(claims: readonly Claim[]): Promise<readonly boolean[]> {
    return areRepeats(this.#database, 'projector', claims);
  }

  async noteAhead(steps: readonly ReaderStep[]): Promise<void> {
    await this.#database.transaction((transaction) => this.#begin(transaction, () => noteAhead(transaction, steps)));
  }

  async merge(changes: readonly ProfileChange[]): Promise<void> {
    await this.#writing(async (transaction) => {
      await this.#begin(transaction);
      return merge(transaction, changes, [], this.#options.maxTraits);
    });
  }

  async mergeAhead(...[ends, changes]: Parameters<ProfileStore['mergeAhead']>): Promise<void> {
    await this.#writing(async (transaction) => {
      await this.#begin(transaction, () => noteAheadTo(transaction, ends));
      return merge(transaction, changes, [], this.#options.maxTraits);
    });
  }

  async probe(steps: readonly ReaderStep[]): Promise<void> {
    const { claim, changes, count } = madeUp();
    await this.#takeBack(async (transaction) => {
      await this.#begin(transaction, () => movePositions(transaction, steps));
      await enterClaims(transaction, 'projector', [claim]);
      // The second time the rows are there.
      for (const change of changes) await merge(transaction, [change], [count], this.#options.maxTraits);
    });
  }

  /** Merges these changes as `write` does, and takes it back: resolves where the store would take them now. */
  async tryOut(changes: readonly ProfileChange[]): Promise<void> {
    await this.#takeBack(async (transaction) => {
      await merge(transaction, changes, [], this.#options.maxTraits);
    });
  }

  async #takeBack(run: (transaction: Queryable) => Promise<void>): Promise<void> {
    try {
      await this.#database.transaction(async (transaction) => {
        await run(transaction);
        throw TAKEN_BACK;
      });
    } catch (error) {
      if (error !== TAKEN_BACK) throw error;
    }
  }

  async #writing(run: (transaction: Queryable) => Promise<readonly DroppedTraits[]>): Promise<void> {
    const dropped = await this.#database.transaction(run);
    if (dropped.length > 0) this.#options.onDropped?.(dropped);
  }

  async #begin(transaction: Queryable, ...first: readonly (() => Promise<void>)[]): Promise<void> {
    await pipelined([() => refuseWhilePaused(transaction, 'profiles', this.#generation), ...first]);
  }

  async forgetRepeats(windowMs: number, readAtMs: number): Promise<number> {
    let forgotten = 0;
    let last: number;
    do {
      last = await forgetClaims(this.#database, readAtMs - windowMs, windowMs, FORGOTTEN_AT_ONCE);
      forgotten += last;
    } while (last === FORGOTTEN_AT_ONCE);
    return forgotten;
  }
}

/** What a transaction that is only tried rejects with, so that it is rolled back. */
const TAKEN_BACK = new Error('taken back');

type ProfileRow = Omit<Profile, 'projectId' | 'userKey'>;

const ANONYMOUS_IDS = `
  case when user_id is null then array_remove(array[anonymous_id], null)
       else array(select ids.anonymous_id from {anonymous_ids} as ids
                  where ids.project_id = {users}.project_id and ids.user_key = {users}.user_key
                  order by ids.last_seen desc, ids.anonymous_id)
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
         (select coalesce(jsonb_agg(jsonb_build_array(ids.anonymous_id, ids.last_seen::text)
                                    order by ids.last_seen desc, ids.anonymous_id), '[]')::text
          from {anonymous_ids} as ids
          where ids.project_id = {users}.project_id and ids.user_key = {users}.user_key) as "seenWith"
  ${FROM_USERS}`;

type WholeRow = ProfileRow & { readonly versions: string; readonly seenWith: string };

const SEEN_WITH = `
  select user_key from {anonymous_ids} as ids
  where project_id = $1 and anonymous_id = $2 and user_key > $3 and not ${isHiddenSql('$1', 'ids.user_key')}
  order by user_key limit $4`;

/** Returns what was dropped. */
async function merge(
  transaction: Queryable,
  changes: readonly ProfileChange[],
  counts: readonly AppliedCount[],
  maxTraits: number | undefined,
): Promise<readonly DroppedTraits[]> {
  const dropped: DroppedTraits[] = [];
  const merges = function* (): Generator<() => Promise<void>> {
    yield () => addCounts(transaction, counts);
    const sorted = changes.toSorted(byUser);
    for (const slice of inSlices(sorted)) yield () => mergeUsers(transaction, slice);
    const named = sorted.filter(({ anonymousIds }) => anonymousIds.size > 0);
    for (const slice of inSlices(named, IDS_USERS)) yield () => mergeAnonymousIds(transaction, slice);
    // Whoever shares a user with another transaction waits for it there: these may come in any order.
    const { setting = [], deleting = [] } = Object.groupBy(
      sorted.filter(({ traits }) => traits.size > 0),
      (change) => (deletesTraits(change) ? 'deleting' : 'setting'),
    );
    for (const slice of [...inSlices(setting), ...inSlices(deleting)])
      yield async () => void dropped.push(...(await mergeTraits(transaction, slice, maxTraits)));
  };
  await pipelined(merges());
  return dropped;
}

/** Statements on `applied_counts`: what was applied, by project and hour. */

/** Each of (topic, partition, project, hour) once. A handful of rows, of partitions that the transaction holds. */
async function addCounts(transaction: Queryable, counts: readonly AppliedCount[]): Promise<void> {
  if (counts.length === 0) return;
  await transaction.query(
    `insert into {applied_counts} as stored (topic, partition, project_id, hour, messages, repeats)
     select * from unnest($1::text[], $2::int4[], $3::text[], $4::int4[], $5::int8[], $6::int8[])
     on conflict (topic, partition, project_id, hour) do update
     set messages = stored.messages + excluded.messages, repeats = stored.repeats + excluded.repeats`,
    [
      counts.map(({ topic }) => topic),
      counts.map(({ partition }) => partition),
      counts.map(({ projectId }) => projectId),
      counts.map(({ hour }) => hour),
      counts.map(({ messages }) => messages),
      counts.map(({ repeats }) => repeats),
    ],
  );
}

/**
 * What two messages say that nobody sent, of a user whom nobody else has: the second changes what the first has written.
 * For a transaction that is rolled back.
 */
function madeUp(): {
  readonly claim: Claim;
  readonly changes: readonly ProfileChange[];
  readonly count: AppliedCount;
} {
  const name = randomUUID();
  const who = { projectId: `probe-${name}`, userKey: name };
  const place = { topic: `probe-${name}`, partition: 0 };
  const changes = [1n, 2n].map((at) => {
    const version = at.toString(16).padStart(32, '0');
    const traits = new Map([['probe', { value: String(at), version }]]);
    const anonymous = { value: false, version };
    return {
      ...who,
      userId: name,
      anonymousId: null,
      anonymousIds: new Map([[name, at]]),
      firstSeen: 1n,
      lastSeen: at,
      anonymous,
      traits,
    };
  });
  return {
    claim: { ...who, ...place, messageId: name, offset: 0n, appendedAtMs: 0 },
    changes,
    count: { ...place, projectId: who.projectId, hour: hourOf(0n), messages: 1, repeats: 0 },
  };
}
