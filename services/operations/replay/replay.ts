import { setTimeout as delay } from 'node:timers/promises';
import type { EventLog } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import type { AsOf } from '../../messages/as-of.ts';
import { MESSAGE_TOPICS, type Micros } from '../../messages/message.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { AnalyticsStore } from '../../stores/analytics/analytics-store.ts';
import type { Database } from '../../stores/database/database.ts';
import { migrateSchema } from '../../stores/database/migrate.ts';
import {
  FIRST_GENERATION,
  type Generation,
  type GenerationKind,
  schemaOf,
} from '../../stores/generations/generation.ts';
import { liveNumberOf, liveNumbersOf, type LiveRow, SqlGenerations } from '../../stores/generations/sql-generations.ts';
import { checkedRangesOf, progressOf, progressSoFar } from '../../stores/profiles/progress-of.ts';
import { isPast, type Offsets, offsetsByPartition, sumOf } from './between.ts';
import { compareAnalytics } from './compare-analytics.ts';
import { compareProfiles } from './compare-profiles.ts';
import type { Compared } from './compared.ts';

/** Replays the log: a new generation is built beside the live one, compared with it, and swapped in. */

export interface ReplayParts {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly database: Database;
  readonly analytics: AnalyticsStore;
}

/** The kind of generation, and the project; null for all projects. */
export interface Target {
  readonly kind: GenerationKind;
  readonly projectId: string | null;
}

/** How far a generation is behind. */
export interface GenerationProgress {
  readonly read: bigint;
  readonly end: bigint;
}

const PROGRESS_POLL_MS = 250;
// In a growing log, a reader is never at the very end. It has caught up once it passes, within this time, the position
// at which the log ended when the check began.
const CAUGHT_UP_WITHIN_MS = 10_000;

const OTHERWISE = 'with another as_of: give the same, or drop it first.';

const PAUSE_MS = 10_000;
const PAUSE_RENEWAL_MS = 3_000;
const SWAP_WITHIN_MS = 60_000;

// After this time no process queries the generation any more (see LiveGenerations), and its readers have stopped.
const DROP_AFTER_MS = 3_000;

export class Replay {
  readonly #parts: ReplayParts;
  readonly #generations: SqlGenerations;

  constructor(parts: ReplayParts) {
    this.#parts = parts;
    this.#generations = new SqlGenerations(parts.database);
  }

  /**
   * Returns the generation that is being built for this target, or creates one. The readers discover it by themselves.
   */
  async make({ kind, projectId }: Target, rateLimit: number | null | undefined, asOf?: Micros): Promise<Generation> {
    const { database, analytics } = this.#parts;
    const live = await liveNumberOf(database, kind, projectId);
    const rules = await this.#rulesOf(kind, live, asOf);
    const made = await this.#generations.make({ kind, projectId, rateLimit: rateLimit ?? null, asOf: rules });
    if (asOf !== undefined && made.asOf.at(-1)?.instant !== asOf) {
      throw new TidemarkError('COMMAND_INVALID', `Generation ${made.number} of ${kind} is being built ${OTHERWISE}`);
    }
    if (rateLimit !== undefined) await this.#generations.setRateLimit(kind, made.number, rateLimit);
    if (kind === 'analytics') await analytics.makeGeneration(made.number);
    await makeTables(database, made);
    if (kind === 'analytics') await analytics.ofGeneration(made.number);
    return made;
  }

  /** Those of the live generation, so that another replay brings nothing back, and the new one. */
  async #rulesOf(kind: GenerationKind, live: number, instant: Micros | undefined): Promise<readonly AsOf[]> {
    const inherited = (await this.#generations.find(kind, live))?.asOf ?? [];
    if (instant === undefined) return inherited;
    const below = offsetsByPartition(await this.#parts.log.ends(MESSAGE_TOPICS));
    return [...inherited, { instant, after: BigInt(Date.now()) * 1000n, below }];
  }

  /** The generation that is being built for this target, if there is one. */
  async building({ kind, projectId }: Target): Promise<Generation | undefined> {
    const all = await this.#generations.list();
    return all.find((one) => one.kind === kind && one.state === 'building' && one.projectId === projectId);
  }

  async progressOf({ kind, number }: Pick<Generation, 'kind' | 'number'>): Promise<GenerationProgress> {
    const { log, database } = this.#parts;
    const end = sumOf(offsetsByPartition(await log.ends(MESSAGE_TOPICS)));
    return { read: sumOf(offsetsByPartition(await progressSoFar(database, kind, number))), end };
  }

  /** Copies to a generation of analytics what the live one has of messages that are no longer on the log. */
  async takeDeleted(
    { kind, number, projectId }: Generation,
    signal: AbortSignal,
    onCopied: (messages: number) => void,
  ): Promise<void> {
    const { log, database, analytics } = this.#parts;
    const deleted = (await log.beginnings(MESSAGE_TOPICS)).filter(({ offset }) => offset > 0n);
    if (kind !== 'analytics' || deleted.length === 0) return;
    const live = await liveNumberOf(database, kind, projectId);
    const ranges = deleted.map(({ offset, ...at }) => ({ ...at, from: 0n, to: offset }));
    await analytics.copyMessages(live, number, { ranges, projectId, signal, onCopied });
  }

  /** Resolves once the generation has caught up with the log. */
  async caughtUp(
    { kind, number }: Pick<Generation, 'kind' | 'number'>,
    signal: AbortSignal,
    onStep: (standing: GenerationProgress) => void,
  ): Promise<void> {
    const { log, database } = this.#parts;
    for (;;) {
      const goal = offsetsByPartition(await log.ends(MESSAGE_TOPICS));
      const begunAt = performance.now();
      let offsets: Offsets;
      do {
        signal.throwIfAborted();
        offsets = offsetsByPartition(await progressOf(database, kind, number));
        onStep({ read: sumOf(offsets), end: sumOf(offsetsByPartition(await log.ends(MESSAGE_TOPICS))) });
        if (isPast(offsets, goal)) break;
        await delay(PROGRESS_POLL_MS, undefined, { signal });
      } while (!isPast(offsets, goal));
      if (performance.now() - begunAt > CAUGHT_UP_WITHIN_MS) continue;
      await this.#generations.noteCaughtUp(kind, number, sumOf(offsets));
      return;
    }
  }

  /** Compares a generation with the live one for the same messages. */
  async compare(
    { kind, number, projectId }: Generation,
    signal: AbortSignal,
    onStep: (done: number, unit: string) => void,
  ): Promise<readonly Compared[]> {
    const live = await liveNumberOf(this.#parts.database, kind, projectId);
    const own = projectId === null ? liveRowsWithOwn(await this.#generations.live(), kind) : [];
    const pair = { live, fresh: number, projectId, except: own };
    const parts = { ...this.#parts, signal, onStep };
    if (kind === 'profiles') return [await compareProfiles(parts, pair)];
    return compareAnalytics(parts, pair);
  }

  /** Makes the generation `to` live, in one step, once it has passed everything that the previous one has. */
  async swap({ kind, projectId }: Target, to: number, signal: AbortSignal, asAll = false): Promise<void> {
    const { database } = this.#parts;
    const from = await liveNumberOf(database, kind, projectId);
    if (from === to) return;
    const until = performance.now() + SWAP_WITHIN_MS;
    let pausedAt = -Infinity;
    try {
      for (;;) {
        signal.throwIfAborted();
        // The live readers pause for a moment, so that the new ones can overtake them. Nothing else waits.
        if (performance.now() - pausedAt > PAUSE_RENEWAL_MS) {
          await this.#generations.hold(kind, from, PAUSE_MS);
          pausedAt = performance.now();
        }
        const check = async (transaction: Pick<Database, 'query'>): Promise<boolean> =>
          isPast(
            offsetsByPartition(await progressOf(transaction, kind, to)),
            offsetsByPartition(await checkedRangesOf(transaction, kind, from)),
          );
        const isReady = await check(database);
        if (isReady && (await this.#generations.swap({ kind, projectId, from, to, asAll }, check))) break;
        if (performance.now() > until) throw notCaughtUp(kind, to);
        await delay(PROGRESS_POLL_MS, undefined, { signal });
      }
    } finally {
      await this.#generations.hold(kind, from, 0);
    }
    await this.show();
  }

  /** Makes the previous generation live again. Resolves with the numbers of the generations live before and now. */
  async rollback(
    { kind, projectId }: Target,
    signal: AbortSignal,
  ): Promise<{ readonly from: number; readonly to: number }> {
    const row = (await this.#generations.live()).find((one) => one.kind === kind && one.projectId === projectId);
    if (row === undefined || row.previous === row.number) {
      throw new TidemarkError(
        'COMMAND_INVALID',
        `There is nothing to go back to: no generation of ${kind} was swapped in.`,
      );
    }
    const from = await liveNumberOf(this.#parts.database, kind, projectId);
    const to = row.previous ?? (await liveNumberOf(this.#parts.database, kind, null));
    await this.swap({ kind, projectId }, to, signal, row.previous === null);
    return { from, to };
  }

  /** Deletes the data of a generation. @throws TidemarkError `COMMAND_INVALID` if it is live or does not exist. */
  async drop(kind: GenerationKind, number: number, signal: AbortSignal): Promise<void> {
    const { database, analytics } = this.#parts;
    const generation = await this.#generations.find(kind, number);
    if (generation === undefined || generation.state === 'dropped') {
      throw new TidemarkError('COMMAND_INVALID', `There is no generation ${number} of ${kind}.`);
    }
    await this.#generations.beginDrop(kind, number);
    await delay(DROP_AFTER_MS, undefined, { signal });
    if (kind === 'analytics') await analytics.dropGeneration(number);
    await dropTables(database, kind, number);
    await this.#generations.endDrop(kind, number);
  }

  list(): Promise<readonly Generation[]> {
    return this.#generations.list();
  }

  live(): Promise<readonly LiveRow[]> {
    return this.#generations.live();
  }

  /** Makes the plain views of ClickHouse show the live generations. The sinks do so too, within seconds. */
  async show(): Promise<void> {
    await this.#parts.analytics.showGenerations(liveNumbersOf(await this.#generations.live()));
  }
}

/** The projects that have a live generation of their own. */
function liveRowsWithOwn(rows: readonly LiveRow[], kind: GenerationKind): readonly string[] {
  return rows.flatMap((row) =>
    row.kind === kind && row.projectId !== null && row.number !== null ? [row.projectId] : [],
  );
}

function notCaughtUp(kind: GenerationKind, number: number): TidemarkError {
  return new TidemarkError(
    'STORE_UNAVAILABLE',
    `generation ${number} of ${kind} did not catch up in time: is a reader of it running?`,
  );
}

/** Creates the empty tables of a generation in Postgres if they do not exist. */
export async function makeTables(database: Database, { kind, number }: Pick<Generation, 'kind' | 'number'>) {
  const schema = schemaOf(kind, number);
  if (schema !== undefined) await migrateSchema(database, schema);
}

/**
 * The tables of the first generation that are emptied. They are not dropped, because their schema also has projects.
 */
export const FIRST_TABLES: Readonly<Record<GenerationKind, readonly string[]>> = {
  profiles: ['users', 'profiles', 'reader_positions', 'applied_counts', 'sightings'],
  analytics: ['sink_plans'],
};

/** Deletes the data of a generation in Postgres. Idempotent. */
async function dropTables(database: Database, kind: GenerationKind, number: number): Promise<void> {
  const schema = schemaOf(kind, number);
  await database.transaction(
    async (transaction) => {
      if (number !== FIRST_GENERATION) {
        await transaction.query(`drop schema if exists ${schema} cascade`);
        return;
      }
      await transaction.query(`truncate ${FIRST_TABLES[kind].join(', ')}`);
      await transaction.query('delete from applied where reader = $1', [kind === 'profiles' ? 'projector' : 'sink']);
    },
    { isUnhurried: true },
  );
}
