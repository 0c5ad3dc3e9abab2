import type { Micros } from '../../messages/message.ts';
import { type ErrorCode, hasCode } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { pause } from '../../runtime/pause.ts';
import type { QueryLimits } from '../../stores/analytics/analytics-store.ts';
import type { LiveHistory } from '../../stores/analytics/live-history.ts';
import type { LostAnalytics } from '../../stores/generations/lost-analytics.ts';
import type { AudienceFollower, EvaluatedBy } from '../saved/audience-follower.ts';
import type { SavedAudience } from '../saved/audience-store.ts';
import { EpochFolder } from './epoch-folder.ts';
import type { Followed, Inserted } from './followed.ts';
import { FollowedAudiences } from './followed-audiences.ts';
import { overtaken, type SqlLiveStore } from './sql-live-store.ts';
import { WhomTimeChanges } from './whom-time-changes.ts';
import { Lead } from './lead.ts';
import { OutdatedAudiences, type OutdatedAudiencesParts } from './outdated-audiences.ts';
import { type Chosen, Ticker, type TickParts } from './ticker.ts';
import type { SqlTouches } from './sql-touches.ts';
import { TouchReader } from './touch-reader.ts';

export interface LiveParts extends Pick<OutdatedAudiencesParts, 'saved' | 'projects'> {
  readonly store: SqlLiveStore;
  readonly analytics: TickParts['analytics'];
  readonly history: Pick<LiveHistory, 'writeChanges' | 'writeMembers' | 'dropUncounted'>;
  /** The number of the generation of analytics that answers for a project. */
  readonly generationOf: (projectId: string) => Promise<number>;
  readonly losses: Pick<LostAnalytics, 'expectNone'>;
  readonly limits: QueryLimits;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** How long ago the log stored what the sink has not inserted yet. */
  readonly lagMs: () => Promise<number>;
  readonly isClockWrong?: () => Promise<boolean>;
  /** What was deleted. */
  readonly leftOut: TickParts['leftOut'];
  /** Called after each tick with the milliseconds that it took: resolves when the next may begin. At once by default. */
  readonly rest?: (workedMs: number, signal: AbortSignal) => Promise<void>;
  /** What sinks of other processes insert; left out where there are none, and this process tells `inserted` itself. */
  readonly touches?: Pick<SqlTouches, 'read' | 'drop'>;
  /** The longest time between two ticks. */
  readonly everyMs?: number;
}

/** For metrics. */
export interface LiveFigures {
  /** Audiences that follow. */
  readonly following: number;
  /** How long ago the last tick was; 0 where none follows. */
  readonly lagMs: number;
  readonly ticks: number;
  /** Users decided. */
  readonly candidates: number;
  readonly changes: number;
  /** How long it took altogether to find whom time may change. */
  readonly horizonMs: number;
}

const TICK_EVERY_MS = 1_000;
const FAILED_AGAIN_MS = 1_000;
/** An audience that needs an evaluation again and again is evaluated no more often than this. */
const AGAIN_AFTER_MS = 10_000;
const EVERY_MINUTE_MS = 60_000;

/**
 * Keeps live audiences up to date: with every insert of the sink, and when time changes who is in them. Each begins with an
 * evaluation, after every start of the process too, and from then on the users are decided whom a message or time may have
 * changed. Where that is in doubt, it begins again. One of several processes does so, and another goes on once that one is gone.
 */
export class LiveAudiences implements AudienceFollower {
  readonly #parts: LiveParts;
  readonly #stopping = new AbortController();
  readonly #audiences = new FollowedAudiences();
  readonly #whomTimeChanges: WhomTimeChanges;
  readonly #outdated: OutdatedAudiences;
  readonly #folder: EpochFolder;
  readonly #lead: Lead;
  readonly #touches: TouchReader | undefined;
  /** While this process follows the audiences. */
  #ticker: Ticker | undefined;
  #ticking: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;
  #hasNews = false;
  #running: Promise<void> | undefined;
  #tickedAt = performance.now();
  /** How long the last tick took. */
  #workedMs = 0;
  readonly #totals = { ticks: 0, candidates: 0, changes: 0 };

  constructor(parts: LiveParts) {
    this.#parts = parts;
    const { touches, store, logger } = parts;
    this.#lead = new Lead({ store, logger, isAlone: touches === undefined });
    this.#touches = touches && new TouchReader({ touches, logger, live: this });
    this.#whomTimeChanges = new WhomTimeChanges(parts, (followed) => this.#beByTheMinute([followed]));
    this.#outdated = new OutdatedAudiences(parts, this.#audiences);
    this.#folder = new EpochFolder(parts);
  }

  start(): void {
    this.#running ??= this.#run();
    this.#touches?.start();
  }

  /** Waits for the tick under way. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await Promise.all([this.#running, this.#touches?.stop()]);
    await this.#folder.stop();
  }

  get epoch(): bigint {
    return this.#ticker?.epoch ?? 0n;
  }

  get isFollowing(): boolean {
    return this.#audiences.following().length > 0;
  }

  figures(): LiveFigures {
    const following = this.#audiences.following().length;
    const lagMs = following === 0 ? 0 : performance.now() - this.#tickedAt;
    return { following, lagMs, ...this.#totals, horizonMs: this.#whomTimeChanges.tookMs };
  }

  /** Whether inserts of this generation are to be told. */
  wants(generation: number): boolean {
    return this.#audiences.wants(generation);
  }

  /** Tells what an insert wrote, once analytics shows all of it. */
  inserted(generation: number, users: Inserted): void {
    if (this.#audiences.touch(generation, users)) this.#nudge();
  }

  async hold({ id, projectId, isLive }: SavedAudience, isDeleted: boolean): Promise<Micros> {
    const ticker = this.#ticker;
    if (ticker === undefined) {
      if (isLive) throw overtaken();
      return 0n;
    }
    if (isLive && !isDeleted) this.#audiences.hold(id, projectId, await this.#parts.generationOf(projectId));
    else this.#audiences.remove(id);
    await this.#ticking;
    await ticker.written();
    return ticker.lastAt;
  }

  async follow({ id }: SavedAudience, by: EvaluatedBy, at: Micros): Promise<void> {
    const [ticker, followed] = [this.#ticker, this.#audiences.get(id)];
    if (ticker === undefined || followed === undefined) return;
    ticker.comeAfter(at);
    if (!(await this.#parts.store.follow(id, by.version, ticker.epoch))) throw overtaken();
    this.#audiences.follow(followed, by, at);
    this.#nudge();
  }

  leave(id: string): void {
    this.#audiences.remove(id);
  }

  #nudge(): void {
    this.#hasNews = true;
    this.#wake();
  }

  async #run(): Promise<void> {
    const stopping = this.#stopping.signal;
    for (;;) {
      const opened = await this.#lead.take(stopping);
      if (opened === undefined) return;
      const ticker = new Ticker({ ...this.#parts, stopping }, opened);
      const release = this.#lead.hold(() => ticker.epoch);
      this.#ticker = ticker;
      await this.#follow(ticker);
      await ticker.written();
      await release();
    }
  }

  /** Until the process is stopped, or another one follows the audiences. */
  async #follow(ticker: Ticker): Promise<void> {
    const { logger } = this.#parts;
    let isFailing = false;
    while (!this.#stopping.signal.aborted && this.#ticker === ticker) {
      this.#hasNews = false;
      this.#ticking = this.#step(ticker).then(
        () => {
          isFailing = false;
        },
        async (error: unknown) => {
          if (hasCode(error, 'AUDIENCE_BUSY')) this.#end(error);
          else if (!isFailing && !this.#stopping.signal.aborted)
            logger.warn({ err: error }, 'live audiences cannot be followed now');
          isFailing = true;
        },
      );
      await this.#ticking;
      await (isFailing ? pause(FAILED_AGAIN_MS, this.#stopping.signal) : this.#rest(ticker));
    }
  }

  /** An audience may be held meanwhile. */
  async #rest(ticker: Ticker): Promise<void> {
    if (this.#workedMs > 0) await this.#parts.rest?.(this.#workedMs, this.#stopping.signal);
    await this.#untilDue(ticker);
  }

  /** Somebody else follows the audiences: what this process would write does not count. */
  #end(error: unknown): void {
    this.#parts.logger.warn({ err: error }, 'live audiences are followed by another process now');
    this.#audiences.clear();
    this.#ticker = undefined;
  }

  async #step(ticker: Ticker): Promise<void> {
    const { isClockWrong } = this.#parts;
    this.#workedMs = 0;
    this.#lead.expectOpen(ticker.epoch);
    this.#folder.foldIfDue();
    await this.#beginAgain(await this.#outdated.find(), 0);
    await this.#beginAgain(this.#audiences.flooded(), AGAIN_AFTER_MS);
    if (this.#outdated.isBehind || (await isClockWrong?.()) === true) return;
    const at = await ticker.now();
    // What was inserted by then is decided, also where nobody has told it yet.
    while ((await this.#touches?.read()) === true);
    const following = this.#audiences.following();
    if (following.length === 0) return;
    await this.#beginAgain(
      following.filter((followed) => followed.hasJoined && at >= followed.datedUntil),
      0,
    );
    const startedMs = performance.now();
    const chosen = this.#audiences.take(at);
    try {
      const ticked = await ticker.tick(at, chosen, (undecided) => this.#beByTheMinute([...undecided]));
      this.#totals.changes += ticked.changes;
    } catch (error) {
      this.#audiences.giveBack(chosen);
      throw error;
    }
    this.#workedMs = performance.now() - startedMs;
    this.#note(chosen);
    await this.#join(ticker, at);
    for (const followed of this.#audiences.following()) this.#whomTimeChanges.askIfDue(followed, at);
  }

  #note(chosen: readonly Chosen[]): void {
    this.#tickedAt = performance.now();
    this.#totals.ticks++;
    for (const { users } of chosen) this.#totals.candidates += users.size;
    this.#audiences.noteDecided(chosen);
    for (const { followed } of chosen) {
      if (followed.undated?.length !== 0) continue;
      followed.undated = null;
      followed.datedUntil = followed.horizonEnd;
    }
  }

  async #join(ticker: Ticker, at: Micros): Promise<void> {
    for (const followed of this.#audiences.following()) {
      if (followed.hasJoined || followed.by === undefined || at >= followed.datedUntil) continue;
      followed.hasJoined = await this.#parts.store.join(followed.id, followed.by.version, ticker.epoch);
    }
  }

  /** Where a user cannot be decided alone, or not all whom time changes: they are evaluated as often as others may be. */
  #beByTheMinute(audiences: readonly Followed[]): Promise<void> {
    return this.#beginAgain(audiences, EVERY_MINUTE_MS, 'QUERY_LIMIT');
  }

  /** They are evaluated after this time, and follow again from there. */
  async #beginAgain(audiences: readonly Followed[], afterMs: number, failure?: ErrorCode): Promise<void> {
    const current = audiences.filter((followed) => this.#audiences.get(followed.id) === followed);
    const ids = current.map(({ id }) => id);
    if (ids.length > 0) await this.#parts.store.makeDue(ids, afterMs, failure);
    for (const followed of current) this.#audiences.removeExactly(followed);
  }

  /** Until somebody is due, something was inserted, or the time between two ticks is over. */
  async #untilDue(ticker: Ticker): Promise<void> {
    const { everyMs = TICK_EVERY_MS } = this.#parts;
    if (this.#hasNews || this.#stopping.signal.aborted) return;
    const next = this.#audiences.nextDue();
    const toNext = next === undefined ? everyMs : Number((next - ticker.lastAt) / 1000n) + 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, Math.max(1, Math.min(everyMs, toNext)));
    await promise;
    clearTimeout(timer);
    this.#wake = () => undefined;
  }
}
