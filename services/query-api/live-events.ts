/**
 * `GET /v1/events/live`: what a project records, as server-sent events, read from the end of the log. It reads the log
 * only while somebody listens, and moves no reader's position.
 */
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventLog, LogRecord, ScanRange, TopicPartition } from '../event-log/event-log.ts';
import type { Call } from '../http/call.ts';
import type { Refusal } from '../http/problems.ts';
import { encodeReceipt } from '../http/receipt.ts';
import { type ReceiptSigner, receiptSignerOf } from '../http/receipt-signer.ts';
import type { Answer } from '../http/route.ts';
import type { Codec } from '../messages/codec.ts';
import { LIVE_TOPICS, type Message } from '../messages/message.ts';
import { formatMicros } from '../messages/timestamp.ts';
import { isRetryable } from '../runtime/errors.ts';
import type { Project } from '../stores/projects/project-store.ts';
import { type LiveFilter, matches, readFilter, RecordFilter } from './live-filter.ts';
import { refuseParameter } from './query.ts';

export interface LiveParts {
  readonly log: Pick<EventLog, 'ends' | 'scan'>;
  readonly codec: Pick<Codec, 'decode' | 'prepare'>;
  /** Ends every stream: a stop of the service must not wait for listeners. */
  readonly stopping?: AbortSignal;
}

type PartitionEnd = TopicPartition & { readonly offset: bigint };

/** Every half second one event, with rows or without: it also keeps the connection alive. */
const INTERVAL_MS = 500;
/** At most 50 rows a second: more cannot be read by people, and what is left out is counted. */
const ROWS_AT_ONCE = 25;
/** Bounds what one interval costs the thread that answers requests: about 100 ms. What is more waits for the next. */
const RECORDS_AT_ONCE = 20_000;
const PIECE = { maxRecords: 1_000, maxBytes: 1_000_000 } as const;
/** A listener further behind than this goes on at the end of the log, and is told what it missed. */
const MAX_BEHIND = 200_000n;
/** A traits or properties text of more characters is cut: the whole is in the user's events. */
const MAX_CONTENT_CHARS = 8_000;

/** @throws TidemarkError `LOG_UNAVAILABLE` where the log cannot be read now. */
export async function answerLive(parts: LiveParts, call: Call): Promise<Answer | Refusal> {
  const filter = readFilter(call.query);
  if (!filter.ok) return filter.refusal;
  const given = call.headers['last-event-id'];
  const after = typeof given === 'string' ? decodeEnds(given) : undefined;
  if (given !== undefined && after === undefined) {
    return refuseParameter('Last-Event-ID', 'is not an id of this stream').refusal;
  }
  const from = after ?? (await parts.log.ends(LIVE_TOPICS));
  const { seconds, ...wanted } = filter.value;
  const ends = [call.signal, parts.stopping, seconds === undefined ? undefined : AbortSignal.timeout(seconds * 1_000)];
  const signal = AbortSignal.any(ends.filter((end) => end !== undefined));
  const listener = new LiveListener(parts, call.project, wanted, signal);
  return {
    status: 200,
    type: 'text/event-stream',
    body: Readable.from(listener.events(from), { objectMode: false, highWaterMark: 1 }),
    // Proxies pass on what they get at once.
    headers: { 'X-Accel-Buffering': 'no' },
  };
}

class LiveListener {
  readonly #parts: LiveParts;
  readonly #projectId: string;
  readonly #signer: ReceiptSigner;
  readonly #filter: LiveFilter;
  readonly #records: RecordFilter;
  readonly #signal: AbortSignal;

  constructor(parts: LiveParts, project: Project, filter: LiveFilter, signal: AbortSignal) {
    this.#parts = parts;
    this.#projectId = project.id;
    this.#signer = receiptSignerOf(project);
    this.#filter = filter;
    this.#records = new RecordFilter(project.id, filter);
    this.#signal = signal;
  }

  /** The stream's text, event by event, until the listener has gone. */
  async *events(start: readonly PartitionEnd[]): AsyncGenerator<string> {
    let from = start;
    yield 'retry: 2000\n\n';
    while (!this.#signal.aborted) {
      try {
        const to = await this.#parts.log.ends(LIVE_TOPICS);
        const tick = await this.#readTo(to, from);
        from = tick.ends;
        yield eventOf(tick, this.#signer);
      } catch (error) {
        if (this.#signal.aborted) return;
        if (!isRetryable(error)) throw error;
        yield ': the event log is unreachable\n\n';
      }
      await delay(INTERVAL_MS, undefined, { signal: this.#signal }).catch(() => undefined);
    }
  }

  #readTo(to: readonly PartitionEnd[], from: readonly PartitionEnd[]): Promise<Tick> {
    const behind = rangesBetween(from, to).reduce((sum, range) => sum + range.to - range.from, 0n);
    if (behind <= MAX_BEHIND) return this.#read(from, to);
    return Promise.resolve({ matched: [], seen: 0, lagMs: 0, skipped: behind, ends: to });
  }

  /** What was recorded between two ends of the log, the newest rows; less where it is too much for one interval. */
  async #read(from: readonly PartitionEnd[], to: readonly PartitionEnd[]): Promise<Tick> {
    const ends = new Map(from.map((end) => [nameOfPartition(end), end]));
    const ranges = rangesBetween(from, to);
    const found = new MatchCollector();
    let records = 0;
    for await (const piece of this.#parts.log.scan(ranges, { ...PIECE, signal: this.#signal })) {
      await this.#parts.codec.prepare(piece.records.map(({ value }) => value));
      for (const record of piece.records) this.#add(found, piece, record);
      const last = piece.records.at(-1);
      if (last === undefined) continue;
      const { topic, partition } = piece;
      ends.set(nameOfPartition(piece), { topic, partition, offset: last.offset + 1n });
      records += piece.records.length;
      const lagMs = Math.max(0, Date.now() - last.appendedAtMs);
      if (records >= RECORDS_AT_ONCE) return { ...this.#shownOf(found), lagMs, ends: [...ends.values()] };
    }
    return { ...this.#shownOf(found), lagMs: 0, ends: to };
  }

  /** A record that the bytes decide on is not decoded, unless it is to be shown. */
  #add(found: MatchCollector, at: TopicPartition, record: LogRecord): void {
    const judged = this.#records.judge(at.topic, record.value);
    if (judged === 'other') return;
    if (judged === 'matches') {
      found.add({ at, record });
      return;
    }
    const message = decodedOrUndefined(this.#parts.codec, at.topic, record.value);
    if (message !== undefined && this.#wants(message)) found.add({ at, record });
  }

  #shownOf(found: MatchCollector): Pick<Tick, 'matched' | 'seen'> {
    const matched = found.newest().flatMap(({ at, record }): Matched[] => {
      const message = decodedOrUndefined(this.#parts.codec, at.topic, record.value);
      if (message === undefined || !this.#wants(message)) return [];
      return [{ message, at: { topic: at.topic, partition: at.partition, offset: record.offset } }];
    });
    return { matched, seen: found.seen };
  }

  #wants(message: Message): boolean {
    return message.projectId === this.#projectId && matches(message, this.#filter);
  }
}

interface FoundRecord {
  readonly at: TopicPartition;
  readonly record: LogRecord;
}

/** Counts records, and keeps the newest of all partitions. */
class MatchCollector {
  seen = 0;
  #kept: FoundRecord[] = [];

  add(one: FoundRecord): void {
    this.seen++;
    this.#kept.push(one);
    if (this.#kept.length >= 4 * ROWS_AT_ONCE) this.#kept = this.newest();
  }

  /** Oldest first. */
  newest(): FoundRecord[] {
    return this.#kept
      .toSorted((one, other) => one.record.appendedAtMs - other.record.appendedAtMs)
      .slice(-ROWS_AT_ONCE);
  }
}

interface Matched {
  readonly message: Message;
  readonly at: PartitionEnd;
}

/** What one event of the stream tells. */
interface Tick {
  /** The newest of those that matched. */
  readonly matched: readonly Matched[];
  /** How many messages matched, shown or not; of a project's own records also those that cannot be decoded. */
  readonly seen: number;
  /** How far behind the log's end it is. */
  readonly lagMs: number;
  /** Records that were not looked at, because the listener was too far behind. */
  readonly skipped?: bigint;
  /** Up to where the log was read: the event's id. */
  readonly ends: readonly PartitionEnd[];
}

function eventOf({ matched, seen, lagMs, skipped = 0n, ends }: Tick, signer: ReceiptSigner): string {
  const rows = matched.map((one) => liveRowOf(one, signer));
  const counts = `"seen":${seen},"shown":${rows.length},"skipped":${skipped},"lag_ms":${lagMs}`;
  const data = `{"rows":[${rows.join(',')}],${counts}}`;
  return `id: ${encodeEnds(ends)}\ndata: ${data}\n\n`;
}

function liveRowOf({ message, at }: Matched, signer: ReceiptSigner): string {
  const { type, messageId, userId, anonymousId, userKey, timestamp, receivedAt, source } = message;
  const content = type === 'track' ? message.properties : message.traits;
  const acceptedAtMs = Number(receivedAt / 1000n);
  const isCut = content.length > MAX_CONTENT_CHARS;
  const head = JSON.stringify({
    type,
    ...(type === 'track' && { event: message.event }),
    user_id: userId,
    anonymous_id: anonymousId,
    internal_id: userKey,
    message_id: messageId,
    timestamp: formatMicros(timestamp),
    received_at: formatMicros(receivedAt),
    source,
    log: { topic: at.topic, partition: at.partition, offset: String(at.offset) },
    receipt: encodeReceipt(signer, acceptedAtMs, [{ ...at, appendedAtMs: acceptedAtMs }]),
    ...(isCut && { cut: true }),
  });
  return `${head.slice(0, -1)},"${type === 'track' ? 'properties' : 'traits'}":${isCut ? '{}' : content}}`;
}

/** Undefined where it cannot be decoded: such a record is a dead letter, which the readers deal with. */
function decodedOrUndefined(codec: LiveParts['codec'], topic: string, value: Uint8Array): Message | undefined {
  try {
    return codec.decode(topic, value);
  } catch {
    return undefined;
  }
}

function nameOfPartition({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}

/** A partition that the start does not name is read from where it ends now. */
function rangesBetween(from: readonly PartitionEnd[], to: readonly PartitionEnd[]): ScanRange[] {
  const starts = new Map(from.map((end) => [nameOfPartition(end), end.offset]));
  return to.flatMap((end) => {
    const start = starts.get(nameOfPartition(end)) ?? end.offset;
    return start < end.offset ? [{ topic: end.topic, partition: end.partition, from: start, to: end.offset }] : [];
  });
}

function encodeEnds(ends: readonly PartitionEnd[]): string {
  return ends
    .map(
      ({ topic, partition, offset }) =>
        `${LIVE_TOPICS.indexOf(topic as (typeof LIVE_TOPICS)[number])}.${partition}.${offset}`,
    )
    .join('-');
}

const MAX_ID_LENGTH = 8_000;
const END = /^([0-2])\.(\d{1,6})\.(\d{1,18})$/;

function decodeEnds(id: string): readonly PartitionEnd[] | undefined {
  if (id.length > MAX_ID_LENGTH) return undefined;
  const ends = id.split('-').map((text): PartitionEnd | undefined => {
    const [, topic, partition, offset] = END.exec(text) ?? [];
    if (topic === undefined || partition === undefined || offset === undefined) return undefined;
    return { topic: LIVE_TOPICS[Number(topic)] ?? '', partition: Number(partition), offset: BigInt(offset) };
  });
  return ends.every((end) => end !== undefined) ? ends : undefined;
}
