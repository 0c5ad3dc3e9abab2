/** Reads what a project records from the end of the log, once for all who listen with the same filter. */
import type { EventLog, LogRecord, ScanRange, TopicPartition } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import type { Codec } from '../../messages/codec.ts';
import { LIVE_TOPICS, type Message } from '../../messages/message.ts';
import { textOfKey } from '../../operations/erasure/forgotten-records.ts';
import { isRetryable } from '../../runtime/errors.ts';
import { pause, untilAborted } from '../../runtime/pause.ts';
import { type ErasedUsers, isLeftOut, mayBeLeftOut, NOBODY_ERASED } from '../../stores/erasures/erased-users.ts';
import { type LiveFilter, RecordFilter } from './record-filter.ts';
import { MatchCollector } from './match-collector.ts';

export interface LiveParts {
  readonly log: Pick<EventLog, 'ends' | 'scan'>;
  readonly codec: Pick<Codec, 'decode' | 'prepare'>;
  /** Whose messages are left out; nobody by default. */
  readonly leftOut?: () => Promise<ErasedUsers>;
  /** PartitionEnds every stream: a stop of the service must not wait for listeners. */
  readonly stopping?: AbortSignal;
}

/** Every half second one event, with rows or without: it also keeps the connection alive. */
const INTERVAL_MS = 500;
/** At most 50 rows a second: more cannot be read by people, and what is left out is counted. */
const ROWS_AT_ONCE = 25;
/** Bounds what one interval costs the thread that answers requests: about 100 ms. What is more waits for the next. */
const RECORDS_AT_ONCE = 20_000;
const PIECE = { maxRecords: 1_000, maxBytes: 1_000_000 } as const;
/** A listener further behind than this goes on at the end of the log, and is told what it missed. */
const MAX_BEHIND = 200_000n;
/** A listener that is more events behind reads alone from there on, until it has caught up. */
const MOST_KEPT = 4;
const UNREACHABLE = ': the event log is unreachable\n\n';
const NEVER = new AbortController().signal;

export type PartitionEnd = TopicPartition & { readonly offset: bigint };
type PartitionEnds = readonly PartitionEnd[];

/** The text of an event, and up to where the log was read with it. */
interface LiveEvent {
  readonly text: string;
  readonly ends: PartitionEnds;
}

export class LiveReader {
  readonly #parts: LiveParts;
  readonly #projectId: string;
  readonly #records: RecordFilter;
  readonly #textOf: (tick: Tick) => Promise<string>;
  #listeners = 0;
  /** How far the shared reading has come; undefined while nobody shares it. */
  #ends: PartitionEnds | undefined;
  /** Its last events, each by where it began: the very ends of the one before. */
  #kept: readonly (readonly [from: PartitionEnds, LiveEvent])[] = [];
  /** Those who have come as far as it has. */
  readonly #waiting = new Set<PromiseWithResolvers<LiveEvent>>();
  /** How many ticks ago somebody last waited for one. */
  #unheard = 0;
  #leftOut = NOBODY_ERASED;
  #ticking: Promise<unknown> = Promise.resolve();

  /** @param textOf The event of a tick, made once for all. */
  constructor(parts: LiveParts, projectId: string, filter: LiveFilter, textOf: (tick: Tick) => Promise<string>) {
    this.#parts = parts;
    this.#projectId = projectId;
    this.#records = new RecordFilter(projectId, filter);
    this.#textOf = textOf;
  }

  /**
   * Where the log ends now, the shared reading having come there too.
   *
   * @throws TidemarkError `LOG_UNAVAILABLE`
   */
  async now(): Promise<PartitionEnds> {
    if (this.#ends !== undefined) await this.#tick();
    return this.#ends ?? this.#parts.log.ends(LIVE_TOPICS);
  }

  /**
   * The text of an event with the newest rows before these ends, at most `count`: those among the newest records of each
   * partition, as many as an interval may cost.
   *
   * @throws TidemarkError `LOG_UNAVAILABLE`; the signal's reason.
   */
  async recent(ends: PartitionEnds, count: number, signal: AbortSignal): Promise<string> {
    const depth = BigInt(Math.floor(RECORDS_AT_ONCE / Math.max(ends.length, 1)));
    const from = ends.map((end) => ({ ...end, offset: end.offset > depth ? end.offset - depth : 0n }));
    const { matched } = await this.#read(from, ends, signal, count);
    return this.#textOf({ matched, seen: matched.length, lagMs: 0, ends, isRecent: true });
  }

  /** The text of every event from there on, until the signal aborts. */
  async *events(start: PartitionEnds, signal: AbortSignal): AsyncGenerator<string> {
    this.#listeners++;
    try {
      for (let from = start; !signal.aborted;) {
        const { text, ends } = await this.#after(from, signal);
        from = ends;
        yield text;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#listeners--;
    }
  }

  /** By itself where the shared reading stands elsewhere: what lies between would be missed, or seen twice. */
  async #after(from: PartitionEnds, signal: AbortSignal): Promise<LiveEvent> {
    const [, kept] = this.#kept.find(([begin]) => begin === from) ?? [];
    if (kept !== undefined) return kept;
    const ends = this.#ends ?? from;
    if (isBehind(from, ends) || isBehind(ends, from)) return this.#readAlone(from, signal);
    const next = Promise.withResolvers<LiveEvent>();
    this.#waiting.add(next);
    this.#unheard = 0;
    if (this.#ends === undefined) void this.#run(from);
    return untilAborted(next.promise, signal).finally(() => this.#waiting.delete(next));
  }

  async #run(from: PartitionEnds): Promise<void> {
    const { stopping = NEVER } = this.#parts;
    this.#ends = from;
    // For those who take nothing the log is read no further.
    for (; this.#listeners > 0 && this.#unheard < MOST_KEPT && !stopping.aborted; this.#unheard++) {
      await this.#tick().catch((error: unknown) => this.#fail(error));
      await pause(INTERVAL_MS, stopping);
    }
    this.#ends = undefined;
    this.#kept = [];
  }

  /** One at a time. Resolves with how far the shared reading has come; undefined where nobody shares it. */
  #tick(): Promise<PartitionEnds | undefined> {
    const run = async (): Promise<PartitionEnds | undefined> => {
      const from = this.#ends;
      if (from === undefined) return undefined;
      const to = await this.#parts.log.ends(LIVE_TOPICS);
      const tick = await this.#readTo(to, from, this.#parts.stopping ?? NEVER);
      const event = { text: await this.#textOf(tick), ends: tick.ends };
      // All who shared it have left meanwhile, and others may have begun elsewhere.
      if (this.#ends !== from) return this.#ends;
      this.#ends = tick.ends;
      this.#kept = [...this.#kept, [from, event] as const].slice(-MOST_KEPT);
      for (const { resolve } of this.#waiting) resolve(event);
      return tick.ends;
    };
    const ticking = this.#ticking.then(run, run);
    this.#ticking = ticking;
    return ticking;
  }

  #fail(error: unknown): void {
    for (const { resolve, reject } of this.#waiting) {
      if (isRetryable(error)) resolve({ text: UNREACHABLE, ends: this.#ends ?? [] });
      else reject(error);
    }
  }

  async #readAlone(from: PartitionEnds, signal: AbortSignal): Promise<LiveEvent> {
    try {
      const tick = await this.#readTo(await this.#meetingPoint(from), from, signal);
      return { text: await this.#textOf(tick), ends: tick.ends };
    } catch (error) {
      if (!isRetryable(error)) throw error;
      await pause(INTERVAL_MS, signal);
      return { text: UNREACHABLE, ends: from };
    }
  }

  /**
   * Where a listener that has come so far can join the shared reading, which is brought there if it is behind; the end of
   * the log where nobody shares. One that names records behind the end of the log is taken back to the end.
   */
  async #meetingPoint(from: PartitionEnds): Promise<PartitionEnds> {
    for (let ends = this.#ends; ends !== undefined && isBehind(ends, from);) {
      const next = await this.#tick();
      if (next === undefined || !isBehind(ends, next)) break;
      ends = next;
    }
    return this.#ends ?? this.#parts.log.ends(LIVE_TOPICS);
  }

  #readTo(to: PartitionEnds, from: PartitionEnds, signal: AbortSignal): Promise<Tick> {
    const behind = rangesBetween(from, to).reduce((sum, range) => sum + range.to - range.from, 0n);
    if (behind <= MAX_BEHIND) return this.#read(from, to, signal);
    return Promise.resolve({ matched: [], seen: 0, lagMs: 0, skipped: behind, ends: to });
  }

  /** What was recorded between two ends of the log, the newest rows; less where it is too much for one interval. */
  async #read(from: PartitionEnds, to: PartitionEnds, signal: AbortSignal, rows = ROWS_AT_ONCE): Promise<Tick> {
    const ends = new Map(from.map((end) => [nameOf(end), end]));
    const ranges = rangesBetween(from, to);
    const found = new MatchCollector(rows);
    let records = 0;
    this.#leftOut = (await this.#parts.leftOut?.()) ?? NOBODY_ERASED;
    for await (const piece of this.#parts.log.scan(ranges, { ...PIECE, signal })) {
      await this.#parts.codec.prepare(piece.records.map(({ value }) => value));
      for (const record of piece.records) this.#add(found, piece, record);
      const last = piece.records.at(-1);
      if (last === undefined) continue;
      const { topic, partition } = piece;
      ends.set(nameOf(piece), { topic, partition, offset: last.offset + 1n });
      records += piece.records.length;
      const lagMs = Math.max(0, Date.now() - last.appendedAtMs);
      if (records >= RECORDS_AT_ONCE) return { ...this.#shownOf(found), lagMs, ends: [...ends.values()] };
    }
    return { ...this.#shownOf(found), lagMs: 0, ends: to };
  }

  /** A record that the bytes decide on is not decoded, unless it is to be shown or its person was forgotten. */
  #add(found: MatchCollector, at: TopicPartition, record: LogRecord): void {
    const judged = this.#records.judge(at.topic, record.value);
    if (judged === 'other') return;
    if (judged === 'matches' && !mayBeLeftOut(this.#leftOut, textOfKey(record.key))) {
      found.add({ at, record });
      return;
    }
    const message = decodedOrUndefined(this.#parts.codec, at.topic, record.value);
    if (message !== undefined && this.#wants(message)) found.add({ at, record });
  }

  #shownOf(found: MatchCollector): Pick<Tick, 'matched' | 'seen'> {
    const matched = found.newest().flatMap(({ at, record }) => {
      const message = decodedOrUndefined(this.#parts.codec, at.topic, record.value);
      if (message === undefined || !this.#wants(message)) return [];
      const { topic, partition } = at;
      return [{ message, at: { topic, partition, offset: record.offset }, appendedAtMs: record.appendedAtMs }];
    });
    matched.sort(
      (one, other) =>
        one.appendedAtMs - other.appendedAtMs || Number(one.message.receivedAt - other.message.receivedAt),
    );
    return { matched: matched.slice(-found.rows), seen: found.seen };
  }

  #wants(message: Message): boolean {
    const isOfProject = message.projectId === this.#projectId && !isLeftOut(this.#leftOut, message);
    return isOfProject && this.#records.matches(message);
  }
}

export interface Matched {
  readonly message: Message;
  readonly at: PartitionEnd;
}

/** What one event of the stream tells. */
export interface Tick {
  /** The newest of those that matched. */
  readonly matched: readonly Matched[];
  /** How many messages matched, shown or not; of a project's own records also those that cannot be decoded. */
  readonly seen: number;
  /** How far behind the log's end it is. */
  readonly lagMs: number;
  /** Records that were not looked at, because the listener was too far behind. */
  readonly skipped?: bigint;
  /** Whether they were recorded before the listener came. */
  readonly isRecent?: boolean;
  /** Up to where the log was read: the event's id. */
  readonly ends: PartitionEnds;
}

/** Undefined where it cannot be decoded: such a record is a dead letter, which the readers deal with. */
function decodedOrUndefined(codec: LiveParts['codec'], topic: string, value: Uint8Array): Message | undefined {
  try {
    return codec.decode(topic, value);
  } catch {
    return undefined;
  }
}

/** Whether there is a partition in which the other has come further. */
function isBehind(one: PartitionEnds, other: PartitionEnds): boolean {
  return rangesBetween(one, other).length > 0;
}

/** A partition that the start does not name is read from where it ends now. */
function rangesBetween(from: PartitionEnds, to: PartitionEnds): ScanRange[] {
  const starts = new Map(from.map((end) => [nameOf(end), end.offset]));
  return to.flatMap((end) => {
    const start = starts.get(nameOf(end)) ?? end.offset;
    return start < end.offset ? [{ topic: end.topic, partition: end.partition, from: start, to: end.offset }] : [];
  });
}
