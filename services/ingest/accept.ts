import type { Registry } from 'prom-client';
import type { Appended, EventLog, NewRecord } from '../event-log/event-log.ts';
import { invalid, type Refusal } from '../http/problems.ts';
import { encodeReceipt } from '../http/receipt.ts';
import { receiptSignerOf } from '../http/receipt-signer.ts';
import type { Codec } from '../messages/codec.ts';
import type { Message } from '../messages/message.ts';
import { idempotentMessageId, newMessageId } from '../messages/message-id.ts';
import type { ArrivalClock } from '../messages/version.ts';
import type { Project } from '../stores/projects/project-store.ts';
import { isRetryable } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import { BodyHandover, type HandedBody } from './body-handover.ts';
import { messageIdIn, readReport } from './body-material.ts';
import type { ClockGuard } from './clock-guard.ts';
import { IngestMetrics } from './ingest-metrics.ts';
import { publicAnswer, type PublicSource, readPublicBody } from './public-body.ts';
import { type Arrival, countByType, encoded, stamped } from '../messages/arrival.ts';

/** A request's messages, all safe in the log, or on local disk until the log has them. */
export interface Accepted {
  /** In the order given. */
  readonly messageIds: readonly string[];
  /** Null where they wait on local disk: where in the log they will be is not known yet. */
  readonly receipt: string | null;
}

/** What ingest needs of the event log, or of what stands before it. */
export interface IngestLog extends Pick<EventLog, 'check' | 'openMaker'> {
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
  /** The module by which a log that can makes records of bodies itself. */
  readonly maker?: URL | undefined;
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
  readonly #handover: BodyHandover;
  #unacknowledgedBytes = 0;
  #openBatches = 0;
  #probe: NodeJS.Timeout | undefined;

  constructor(parts: IngestorParts) {
    this.#parts = parts;
    this.#metrics = new IngestMetrics(parts.registry, () => this.#unacknowledgedBytes);
    this.#handover = new BodyHandover(parts);
  }

  /** Resolves once a log that can makes records itself; until then this thread does. Never rejects. */
  openHandover(): Promise<void> {
    return this.#handover.open();
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
    const { log, guard, codec } = this.#parts;
    const messages = arrivals.map((arrival, i) => this.#stamp(project, arrival, options.indexes?.[i] ?? i, options));
    const messageIds = messages.map(({ messageId }) => messageId);
    if (guard.skewed) return { ...CLOCK_SKEWED, messageIds };
    const records = messages.map((message) => encoded(message, codec));
    const handed = await this.#hand(
      bytesOf(records),
      () => log.append(records),
      (all) => all?.[0]?.appendedAtMs,
    );
    if ('refused' in handed) return { ...handed, messageIds };
    this.#metrics.accepted(countByType(messages), handed.tookMs);
    const { appended } = handed;
    const receipt = appended === null ? null : encodeReceipt(receiptSignerOf(project), guard.now(), appended);
    return { messageIds, receipt };
  }

  /**
   * Accepts all messages of a body of the public API or none; resolves with the answer's body. Where the log makes records
   * itself, it is given the body as it came.
   *
   * @param body Valid UTF-8.
   */
  acceptBody(
    project: Project,
    source: PublicSource,
    body: Buffer,
    options: AcceptOptions = {},
  ): Promise<string | Refusal> {
    if (source !== 'batch') return this.#acceptBody(project, source, body, options);
    this.#handover.seeBatches(++this.#openBatches);
    return this.#acceptBody(project, source, body, options).finally(() => this.#openBatches--);
  }

  #acceptBody(project: Project, source: PublicSource, body: Buffer, options: AcceptOptions): Promise<string | Refusal> {
    const mayHand = options.idempotencyKey === undefined && !this.#parts.guard.skewed && this.admit() === undefined;
    const handed = mayHand ? this.#handover.take(project, source, body) : undefined;
    return handed === undefined
      ? this.#acceptRead(project, source, body, options)
      : this.#acceptHanded(handed, project, source, body);
  }

  async #acceptRead(
    project: Project,
    source: PublicSource,
    body: Buffer,
    options: AcceptOptions,
  ): Promise<string | Refusal> {
    const read = readPublicBody(body.toString('utf8'), source, project);
    if (!read.ok) return invalid('invalid-body', read.problems);
    const accepted = await this.accept(project, read.arrivals, options);
    return 'refused' in accepted ? accepted : publicAnswer(source, accepted.messageIds, accepted.receipt);
  }

  async #acceptHanded(
    { append, material }: HandedBody,
    project: Project,
    source: PublicSource,
    body: Buffer,
  ): Promise<string | Refusal> {
    const handed = await this.#hand(
      material.length,
      () => append(material),
      (made) => made?.appendedAtMs,
    );
    if ('refused' in handed) {
      const read = readPublicBody(body.toString('utf8'), source, project);
      if (!read.ok) return invalid('invalid-body', read.problems);
      return { ...handed, messageIds: namesOf(read.arrivals, material.firstId) };
    }
    // What is wrong with it has to be said, or it is what this thread alone can make.
    if (handed.appended === null) return this.#acceptRead(project, source, body, {});
    const { answer, counts } = readReport(handed.appended.report);
    this.#metrics.accepted(counts, handed.tookMs);
    return answer;
  }

  /** Stops looking for a log that is away. */
  close(): void {
    clearInterval(this.#probe);
  }

  #stamp(project: Project, arrival: Arrival, index: number, { idempotencyKey }: AcceptOptions): Message {
    return stamped(arrival, {
      projectId: project.id,
      messageId: arrival.messageId ?? nameOf(project, index, idempotencyKey),
      messageIdGiven: arrival.messageId !== null || idempotencyKey !== undefined,
      receivedAt: this.#parts.clock.next(),
      processBits: this.#parts.processBits,
    });
  }

  /** Counts bytes on their way to the log, and refuses what it did not take or took at a time that cannot be. */
  async #hand<T>(
    bytes: number,
    append: () => Promise<T>,
    appendedAtMsOf: (appended: T) => number | undefined,
  ): Promise<{ readonly appended: T; readonly tookMs: number } | Refusal> {
    const { guard } = this.#parts;
    const sentAtMs = guard.now();
    const startedMs = performance.now();
    this.#unacknowledgedBytes += bytes;
    try {
      const appended = await append();
      const appendedAtMs = appendedAtMsOf(appended);
      if (appendedAtMs !== undefined && !guard.agrees(appendedAtMs, sentAtMs)) {
        return this.#noteSkew(appendedAtMs, sentAtMs);
      }
      return { appended, tookMs: performance.now() - startedMs };
    } catch (error) {
      if (!isRetryable(error)) throw error;
      this.#noteAway(error);
      return LOG_AWAY;
    } finally {
      this.#unacknowledgedBytes -= bytes;
    }
  }

  #noteSkew(appendedAtMs: number, sentAtMs: number): Refusal {
    this.#parts.logger.warn({ sentAtMs, appendedAtMs }, "our clock is off the log's");
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

/** What the log names them. */
function namesOf(arrivals: readonly Arrival[], firstId: string): readonly string[] {
  return arrivals.map(({ messageId }, index) => messageIdIn(firstId, messageId, index));
}

function bytesOf(records: readonly NewRecord[]): number {
  let bytes = 0;
  for (const { key, value } of records) bytes += key.byteLength + value.byteLength;
  return bytes;
}

function nameOf(project: Project, index: number, idempotencyKey: string | undefined): string {
  return idempotencyKey === undefined ? newMessageId() : idempotentMessageId(project.id, idempotencyKey, index);
}
