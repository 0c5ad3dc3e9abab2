import { setTimeout as delay } from 'node:timers/promises';
import type { Micros } from '../../messages/message.ts';
import { hasCode } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { allSettledOrThrow } from '../../runtime/pause.ts';
import type { AnalyticsReader, Query, QueryLimits } from '../../stores/analytics/analytics-store.ts';
import { userNumber } from '../../stores/analytics/columns.ts';
import type { JoinChange } from '../../stores/analytics/joins.ts';
import type { LiveChange, LiveEpoch, LiveHistory } from '../../stores/analytics/live-history.ts';
import { byShard } from '../../stores/analytics/placement.ts';
import { ALL_TIME, userName, type ErasedUsers } from '../../stores/erasures/erased-users.ts';
import { knownIds } from '../known-ids.ts';
import { Params } from '../sql/params.ts';
import { decideAll, type Turn } from './decide.ts';
import { memberKey } from './members-among.ts';
import type { Followed } from './followed.ts';
import { type LiveCounts, overtaken, type SqlLiveStore } from './sql-live-store.ts';
import type { RowReader } from '../one-user/user-events-query.ts';

export interface TickParts {
  readonly store: SqlLiveStore;
  readonly analytics: Pick<AnalyticsReader, 'ask' | 'askHistory' | 'placementOf'>;
  readonly history: Pick<LiveHistory, 'writeChanges' | 'writeMembers'>;
  readonly limits: QueryLimits;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly stopping: AbortSignal;
  /** Whose changes are not written any more. */
  readonly leftOut: () => Promise<ErasedUsers>;
}

/** What a tick takes of an audience. */
export interface Chosen {
  readonly followed: Followed;
  readonly users: ReadonlySet<string>;
  /** By the user, what has changed of whose anonymous ids are, in the project. */
  readonly joinChanges: ReadonlyMap<string, JoinChange>;
}

export interface Ticked {
  readonly at: Micros;
  readonly changes: number;
  /** Audiences that cannot be decided user by user. */
  readonly undecided: ReadonlySet<Followed>;
}

const TRY_AGAIN_MS = 500;
const NAMES_AT_ONCE = 1_000;

/** Decides users, one tick after another, and makes what changes count: all of a tick or nothing of it. */
export class Ticker {
  readonly #parts: TickParts;
  readonly #ask: RowReader['ask'];
  readonly #askHistory: RowReader['ask'];
  #epoch: bigint;
  #lastAt: Micros;
  /** The last change of members, while it is written. */
  #writing: Promise<void> = Promise.resolve();
  /** Whether a user is a member by it, by `memberKey`. */
  #unwritten: ReadonlyMap<string, boolean> = new Map();

  constructor(parts: TickParts, { epoch, through }: LiveEpoch) {
    const { analytics, limits } = parts;
    this.#parts = parts;
    this.#epoch = epoch;
    this.#lastAt = through;
    this.#ask = async (query) => (await analytics.ask({ ...query, isLookUp: true }, limits)).rows;
    this.#askHistory = async (query) => (await analytics.askHistory({ ...query, isLookUp: true }, limits)).rows;
  }

  get epoch(): bigint {
    return this.#epoch;
  }

  /** When the last tick was; no instant goes back behind it. */
  get lastAt(): Micros {
    return this.#lastAt;
  }

  /** Resolves when the members of every tick before are written, or cannot be. */
  async written(): Promise<void> {
    await this.#writing.catch(() => undefined);
  }

  /** Every tick from now on is later than this. */
  comeAfter(at: Micros): void {
    if (at > this.#lastAt) this.#lastAt = at;
  }

  /** An instant for a tick, later than every one before. */
  now(): Promise<Micros> {
    return this.#parts.store.now(this.#lastAt);
  }

  /**
   * Decides what was chosen at this instant. `beforeCounting` is called with the audiences that are left undecided, before
   * anything counts.
   *
   * @throws TidemarkError `AUDIENCE_BUSY` if somebody else has opened an epoch: nothing can be done any more. Anything else:
   *   nothing counts, and what was chosen is to be decided again.
   */
  async tick(
    at: Micros,
    chosen: readonly Chosen[],
    beforeCounting: (undecided: ReadonlySet<Followed>) => Promise<void>,
  ): Promise<Ticked> {
    const forgotten = await this.#parts.leftOut();
    const decidedTo: Turn[] = [];
    // As it is before anything is read: what is written by then is read.
    const unwritten = this.#unwritten;
    const undecided = new Set<Followed>();
    for (const [projectId, ofProject] of Map.groupBy(chosen, ({ followed }) => followed.projectId)) {
      const { shards } = await this.#parts.analytics.placementOf({ projectId });
      const parts = { ask: this.#ask, askHistory: this.#askHistory, unwritten, shards };
      const decided = await decideAll(parts, projectId, candidatesOf(ofProject, forgotten), at);
      decidedTo.push(...decided.changes);
      for (const followed of decided.undecided) undecided.add(followed);
    }
    if (undecided.size > 0) await beforeCounting(undecided);
    const counting = decidedTo.filter(({ followed }) => !undecided.has(followed));
    // All audiences of a project have one map.
    const joinChanges = [...new Set(chosen.map((one) => one.joinChanges))];
    await this.#count(at, counting, new Map(joinChanges.flatMap((ofProject) => [...ofProject])));
    this.comeAfter(at);
    return { at, changes: counting.length, undecided };
  }

  async #count(at: Micros, members: readonly Turn[], joinChanges: ReadonlyMap<string, JoinChange>): Promise<void> {
    const { store, history } = this.#parts;
    if (members.length === 0) {
      if (!(await store.advance(this.#epoch, at, []))) throw overtaken();
      return;
    }
    const changes = await this.#changesOf(at, members, joinChanges);
    // After a crash the members of the last tick alone are written again.
    await this.#writing;
    try {
      await history.writeChanges(changes);
      if (!(await store.advance(this.#epoch, at, countsOf(members)))) throw overtaken();
    } catch (error) {
      // What was written is not undone: it never counts, in an epoch that ends before it.
      if (!(await this.#isCounted(at))) throw error;
    }
    this.#writeMembers(changes);
  }

  /** The next tick begins meanwhile. Where it fails, the next change does. */
  #writeMembers(changes: readonly LiveChange[]): void {
    const { history } = this.#parts;
    const keyOf = ({ audienceId, userKey }: LiveChange): string => memberKey(audienceId, userNumber(userKey));
    this.#unwritten = new Map(changes.map((one) => [keyOf(one), one.change === 'entered']));
    this.#writing = this.#untilDone('note who is in live audiences', () => history.writeMembers(changes)).then(() => {
      this.#unwritten = new Map();
    });
    this.#writing.catch(() => undefined);
  }

  /** Whether the tick counts although its end is in doubt. If not, it never will. */
  async #isCounted(at: Micros): Promise<boolean> {
    const { epoch, through } = await this.#untilDone('end an epoch', () => this.#parts.store.reopen(this.#epoch));
    this.#epoch = epoch;
    return through === at;
  }

  /** @throws TidemarkError `AUDIENCE_BUSY`; `STOPPING`. */
  async #untilDone<T>(what: string, run: () => Promise<T>): Promise<T> {
    const { logger, stopping } = this.#parts;
    for (;;) {
      try {
        return await run();
      } catch (error) {
        if (stopping.aborted || hasCode(error, 'AUDIENCE_BUSY') || hasCode(error, 'STOPPING')) throw error;
        logger.warn({ err: error }, `cannot ${what} now`);
        await delay(TRY_AGAIN_MS, undefined, { signal: stopping });
      }
    }
  }

  /** With the ids by which the users are known now. */
  async #changesOf(
    at: Micros,
    members: readonly Turn[],
    joinChanges: ReadonlyMap<string, JoinChange>,
  ): Promise<readonly LiveChange[]> {
    const changes: LiveChange[] = [];
    for (const [projectId, ofProject] of Map.groupBy(members, ({ followed }) => followed.projectId)) {
      const names = await this.#namesOf(projectId, [...new Set(ofProject.map(({ userKey }) => userKey))]);
      for (const { followed, userKey, change, joinedTo } of ofProject) {
        const { userId, anonymousId } = names.get(userKey) ?? knownIds(userKey, '', '');
        const version = followed.by?.version ?? 0;
        const ofAudience = { projectId, audienceId: followed.id, version, epoch: this.#epoch, at, change };
        const joined = joinedTo === null ? undefined : ({ cause: 'joined', person: joinedTo } as const);
        const why = joined ?? joinChanges.get(userKey) ?? { cause: 'live', person: null };
        changes.push({ ...ofAudience, userKey, userId, anonymousId, ...why });
      }
    }
    return changes;
  }

  async #namesOf(projectId: string, users: readonly string[]) {
    const names = new Map<string, ReturnType<typeof knownIds>>();
    const { shards } = await this.#parts.analytics.placementOf({ projectId });
    const namesOn = async ({ shard, users: ofShard }: ReturnType<typeof byShard>[number]): Promise<void> => {
      for (let from = 0; from < ofShard.length; from += NAMES_AT_ONCE) {
        const query = namesQuery(projectId, ofShard.slice(from, from + NAMES_AT_ONCE));
        for (const row of (await this.#ask({ ...query, shard })) as readonly NameRow[])
          names.set(row.internal_id, knownIds(row.internal_id, row.user_id, row.anonymous_id));
      }
    };
    await allSettledOrThrow(byShard(users, shards).map(namesOn));
    return names;
  }
}

function namesQuery(projectId: string, users: readonly string[]): Query {
  const params = new Params();
  const numbers = params.userNumbers(users.map(userNumber));
  const sql =
    'SELECT internal_id, user_id, anonymous_id FROM user_rows FINAL ' +
    `WHERE project_id = ${params.string(projectId)} AND user IN ${numbers}`;
  return { projectId, sql, params: params.values() };
}

interface NameRow {
  readonly internal_id: string;
  readonly user_id: string;
  readonly anonymous_id: string;
}

/** Without those who are forgotten: they go without a change. */
function candidatesOf(chosen: readonly Chosen[], forgotten: ErasedUsers): ReadonlyMap<string, ReadonlySet<Followed>> {
  const candidates = new Map<string, Set<Followed>>();
  for (const { followed, users } of chosen) {
    for (const user of users) {
      if (forgotten.get(userName(followed.projectId, user)) === ALL_TIME) continue;
      const of = candidates.get(user);
      if (of === undefined) candidates.set(user, new Set([followed]));
      else of.add(followed);
    }
  }
  return candidates;
}

function countsOf(members: readonly Turn[]): readonly LiveCounts[] {
  return [...Map.groupBy(members, ({ followed }) => followed)].map(([followed, ofOne]) => {
    const entered = ofOne.filter(({ change }) => change === 'entered').length;
    return { audienceId: followed.id, version: followed.by?.version ?? 0, entered, left: ofOne.length - entered };
  });
}
