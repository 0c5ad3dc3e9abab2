import type { Registry } from 'prom-client';
import type { Appended, EventLog, NewRecord } from '../event-log/event-log.ts';
import type { Refusal } from '../http/problems.ts';
import { encodeReceipt } from '../http/receipt.ts';
import type { Codec } from '../messages/codec.ts';
import { type Identify, type Message, type Micros, type Session, topicOf, type Track } from '../messages/message.ts';
import { idempotentMessageId, newMessageId } from '../messages/message-id.ts';
import { partitionKeyOf } from '../messages/user-key.ts';
import { type ArrivalClock, versionOf } from '../messages/version.ts';
import type { Project } from '../projects/project-store.ts';
import { isRetryable } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import type { ClockGuard } from './clock-guard.ts';
import { IngestMetrics } from './ingest-metrics.ts';

type Stamp = 'messageId' | 'messageIdGiven' | 'projectId' | 'timestamp' | 'receivedAt' | 'version';

interface Unstamped {
  /** Null: the service names it. */
  readonly messageId: string | null;
  /** Null: when it arrived. */
  readonly timestamp: Micros | null;
}

/** A message as its caller gave it, still to be named and dated. */
export type Arrival =
  (Omit<Identify, Stamp> & Unstamped) | (Omit<Track, Stamp> & Unstamped) | (Omit<Session, Stamp> & Unstamped);

/** A request's messages, all safe in the log, or on local disk until the log has them. */
export interface Accepted {
  /** In the order given. */
  readonly messageIds: readonly string[];
  /** Null where they wait on local disk: where in the log they will be is not known yet. */
  readonly receipt: string | null;
}

/** What ingest needs of the event log, or of what stands before it. */
export interface IngestLog extends Pick<EventLog, 'check'> {
  /** As the log's own; null where the records are safe on local disk instead. */
  append(records: readonly NewRecord[]): Promise<readonly Appended[] | null>;
}

export interface AcceptOptions {
  /** With it, a message that the caller did not name is named after project, key and its index in the request. */
  readonly idempotencyKey?: string | undefined;
  /** The index in the request of each arrival, where some of the request were left out. */
  readonly indexes?: readonly number[];
}

export interface IngestorParts {
  readonly log: IngestLog;
  readonly codec: Pick<Codec, 'encode'>;
  readonly clock: ArrivalClock;
  readonly guard: ClockGuard;
  /** 20 bits that tell this process's versions from another's. */
  readonly processBits: number;
  readonly maxUnacknowledgedBytes: number;
  readonly registry: Registry;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** How often a log that was away is looked for. */
  readonly checkEveryMs?: number;
}

/** What `/readyz` says of ingest. */
export type IngestState = 'ready' | 'log away' | 'clock skewed';

/** Names, dates and encodes what arrives, and answers when it is safe. */
export class Ingestor {
  readonly #parts: IngestorParts;
  readonly #metrics: IngestMetrics;
  #unacknowledgedBytes = 0;
  #probe: NodeJS.Timeout | undefined;

  constructor(parts: IngestorParts) {
    this.#parts = parts;
    this.#metrics = new IngestMetrics(parts.registry, () => this.#unacknowledgedBytes);
  }

  get state(): IngestState {
    if (this.#probe !== undefined) return 'log away';
    return this.#parts.guard.skewed ? 'clock skewed' : 'ready';
  }

  /** Bytes handed to the log and not yet safe. */
  get unacknowledgedBytes(): number {
    return this.#unacknowledgedBytes;
  }

  /** Refuses while more waits for the log than may. One request at most goes over the bound. */
  admit(): Refusal | undefined {
    return this.#unacknowledgedBytes < this.#parts.maxUnacknowledgedBytes ? undefined : OVERLOADED;
  }

  /**
   * Resolves once every message would survive a crash. A 503 carries the ids to send the same messages again under:
   * some of them may be in the log.
   */
  async accept(
    project: Project,
    arrivals: readonly Arrival[],
    options: AcceptOptions = {},
  ): Promise<Accepted | Refusal> {
    const overloaded = this.admit();
    if (overloaded !== undefined) return overloaded;
    const { log, guard } = this.#parts;
    const messages = arrivals.map((arrival, i) => this.#stamp(project, arrival, options.indexes?.[i] ?? i, options));
    const messageIds = messages.map(({ messageId }) => messageId);
    if (guard.skewed) return { ...CLOCK_SKEWED, messageIds };
    const records = messages.map((message) => this.#recordOf(message));
    const bytes = bytesOf(records);
    const sentAtMs = guard.now();
    const startedMs = performance.now();
    this.#unacknowledgedBytes += bytes;
    try {
      const appended = await log.append(records);
      if (appended !== null && !guard.agrees(appended, sentAtMs)) {
        return { ...this.#noteSkew(appended, sentAtMs), messageIds };
      }
      this.#metrics.accepted(messages, performance.now() - startedMs);
      if (appended === null) return { messageIds, receipt: null };
      return { messageIds, receipt: encodeReceipt(project.id, guard.now(), appended) };
    } catch (error) {
      if (!isRetryable(error)) throw error;
      this.#noteAway(error);
      return { ...LOG_AWAY, messageIds };
    } finally {
      this.#unacknowledgedBytes -= bytes;
    }
  }

  /** Stops looking for a log that is away. */
  close(): void {
    clearInterval(this.#probe);
  }

  #stamp(project: Project, arrival: Arrival, index: number, { idempotencyKey }: AcceptOptions): Message {
    const receivedAt = this.#parts.clock.next();
    const timestamp = arrival.timestamp ?? receivedAt;
    return {
      ...arrival,
      messageId: arrival.messageId ?? nameOf(project, index, idempotencyKey),
      messageIdGiven: arrival.messageId !== null || idempotencyKey !== undefined,
      projectId: project.id,
      timestamp,
      receivedAt,
      version: versionOf(timestamp, receivedAt, this.#parts.processBits),
    };
  }

  #recordOf(message: Message): NewRecord {
    return { topic: topicOf(message), key: partitionKeyOf(message), value: this.#parts.codec.encode(message) };
  }

  #noteSkew([first]: readonly Appended[], sentAtMs: number): Refusal {
    this.#parts.logger.warn({ sentAtMs, appendedAtMs: first?.appendedAtMs }, "our clock is off the log's");
    return CLOCK_SKEWED;
  }

  /** From the first append that fails until the log says that it can take a record: one line at each end. */
  #noteAway(error: unknown): void {
    if (this.#probe !== undefined) return;
    this.#parts.logger.warn({ err: error }, 'the event log is away: messages are refused');
    this.#probe = setInterval(() => void this.#check(), this.#parts.checkEveryMs ?? 1_000).unref();
  }

  async #check(): Promise<void> {
    try {
      await this.#parts.log.check();
    } catch {
      return; // Still away; the next probe looks again.
    }
    if (this.#probe === undefined) return;
    clearInterval(this.#probe);
    this.#probe = undefined;
    this.#parts.logger.info('the event log is back');
  }
}

const OVERLOADED: Refusal = {
  refused: 'overloaded',
  detail: 'More messages wait for the event log than this process may hold. Send the same request again later.',
};

const LOG_AWAY: Refusal = {
  refused: 'unavailable',
  detail: 'The event log cannot take messages now. Send them again under the message_ids given here.',
};

const CLOCK_SKEWED: Refusal = {
  refused: 'unavailable',
  detail: "This process's clock is wrong. Send the messages again under the message_ids given here.",
  retryAfterS: 5,
};

function bytesOf(records: readonly NewRecord[]): number {
  let bytes = 0;
  for (const { key, value } of records) bytes += key.byteLength + value.byteLength;
  return bytes;
}

function nameOf(project: Project, index: number, idempotencyKey: string | undefined): string {
  return idempotencyKey === undefined ? newMessageId() : idempotentMessageId(project.id, idempotencyKey, index);
}
