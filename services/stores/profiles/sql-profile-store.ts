import { randomUUID } from 'node:crypto';
import type { LogCoordinates, Position, TopicPartition } from '../../event-log/event-log.ts';
import { hourOf } from '../../messages/day-and-hour.ts';
import type { Database, Queryable } from '../database/database.ts';
import { pipelined } from '../database/pipelined.ts';
import { SchemaDatabase } from '../database/schema-database.ts';
import { FIRST_GENERATION, schemaOf } from '../generations/generation.ts';
import { areRepeats, enterClaims, forgetClaims, inSlices } from './claims.ts';
import { ProfileReader } from './profile-reader.ts';
import { refuseWhilePaused } from './refuse-while-paused.ts';
import { deletesTraits, mergeTraits, mergeUsers } from './merge-statements.ts';
import type { DroppedTraits } from './newest-traits.ts';
import { movePositions, noteAhead, noteAheadTo, readPositions } from './positions.ts';
import type { AppliedCount, Claim, ReaderStep } from './profile-store.ts';
import { byUser, type ProfileChange } from './profile.ts';
import { mergeSightings } from './sightings.ts';
import { noteUnstored, unstoredOf } from './unstored-messages.ts';

const FORGOTTEN_AT_ONCE = 2_000;

// Each has up to MAX_SIGHTINGS rows; most have one.
const SEEN_USERS = 200;

export interface SqlProfileStoreOptions {
  /** How many traits a profile keeps. */
  readonly maxTraits?: number;
  /** Called after each transaction that dropped some. */
  readonly onDropped?: (dropped: readonly DroppedTraits[]) => void;
}

/**
 * A generation of profiles in a Postgres-compatible database, whose tables `schemas/postgres` makes, and the projector's
 * positions, which move with them.
 */
export class SqlProfileStore extends ProfileReader {
  readonly #database: Database;
  readonly #generation: number;
  readonly #options: SqlProfileStoreOptions;

  constructor(database: Database, generation = FIRST_GENERATION, options: SqlProfileStoreOptions = {}) {
    const ofGeneration = new SchemaDatabase(database, schemaOf('profiles', generation));
    super(ofGeneration);
    this.#database = ofGeneration;
    this.#generation = generation;
    this.#options = options;
  }

  /** The projector's positions; partitions never written are left out. */
  async positions(partitions: readonly TopicPartition[]): Promise<readonly Position[]> {
    return readPositions(this.#database, partitions);
  }

  /**
   * One transaction: moves every step's position, enters the claims (insert or leave), asks `fold` for the changes
   * given which claims count (same order as `claims`), merges them; adds what `tally` counts of the same messages, to
   * be held against the log; records what the steps say of messages that are not stored. Both are pure and may be called again. A repeat of the whole call is refused by the
   * positions; merging itself is idempotent.
   *
   * @throws TidemarkError `POSITION_MOVED` where a partition's position is not `from`: nothing is written.
   */
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

  /** Whether another copy of each claim's message counts, in order. Enters nothing. */
  areRepeats(claims: readonly Claim[]): Promise<readonly boolean[]> {
    return areRepeats(this.#database, 'projector', claims);
  }

  /**
   * Notes that profiles may be ahead of the positions, up to the ends of these steps: to be called before `merge` of what
   * lies between, so that nobody takes it for an error meanwhile.
   *
   * @throws TidemarkError `POSITION_MOVED` as `write`: nothing is written.
   */
  async noteAhead(steps: readonly ReaderStep[]): Promise<void> {
    await this.#database.transaction((transaction) => this.#begin(transaction, () => noteAhead(transaction, steps)));
  }

  /**
   * One transaction: merges these changes, at most one for each user, and moves no position. `write` of the steps from
   * which they come, with no changes, follows; until then they are merged again after a crash, to the same profiles.
   */
  async merge(changes: readonly ProfileChange[]): Promise<void> {
    await this.#writing(async (transaction) => {
      await this.#begin(transaction);
      return merge(transaction, changes, [], this.#options.maxTraits);
    });
  }

  /**
   * `merge` of changes that come from messages before these ends, whatever the positions are, with the note that profiles may
   * be ahead up to there. Their messages are merged again once the positions move past them.
   */
  async mergeAhead(ends: readonly LogCoordinates[], changes: readonly ProfileChange[]): Promise<void> {
    await this.#writing(async (transaction) => {
      await this.#begin(transaction, () => noteAheadTo(transaction, ends));
      return merge(transaction, changes, [], this.#options.maxTraits);
    });
  }

  /**
   * Does what `write` does with these steps and two messages of a made-up user, and takes it back: resolves where the
   * store takes that now. It fails as `write` does.
   */
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

  /**
   * Forgets claims, of either reader, entered longer ago than `windowMs`: a repeat that comes later counts again.
   * Returns how many.
   *
   * @param readAtMs When the log stored the newest record that was read: a later clock of the store is not believed.
   */
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
    const seen = sorted.filter(({ sightings }) => sightings.size > 0);
    for (const slice of inSlices(seen, SEEN_USERS)) yield () => mergeSightings(transaction, slice);
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
      sightings: new Map([[name, version]]),
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
