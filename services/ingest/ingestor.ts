import type { Registry } from 'prom-client';
import type { Appended, AppendEncoded, EventLog, NewRecord } from '../event-log/event-log.ts';
import { invalid, type Refusal } from '../http/problems.ts';
import type { Codec } from '../messages/codec.ts';
import type { Micros } from '../messages/message.ts';
import type { Refused } from '../messages/validate.ts';
import { microsAt } from '../messages/timestamp.ts';
import { newMessageId } from '../messages/message-id.ts';
import type { Project } from '../stores/projects/project-store.ts';
import { isRetryable } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import {
  type AcceptedBody,
  BodyJob,
  type BodySource,
  FactsOfProjects,
  isProblems,
  type JobFacts,
  readAccepted,
  readProblems,
} from './encode-job.ts';
import { AppendWaits } from './append-waits.ts';
import type { IngestClock } from './ingest-clock.ts';
import { IngestMetrics } from './ingest-metrics.ts';
import { EncodeThread, LARGE_BODY_BYTES } from './encode-thread.ts';
import { Offload } from './offload.ts';
import { encodeBody, type EncodedBody, receiptOf } from './record-encoder.ts';

/** What ingest needs of the event log, or of what stands before it. */
export interface IngestLog extends Pick<EventLog, 'check' | 'openEncoder'> {
  /** As the log's own; null where the records are safe on local disk instead. */
  append(records: readonly NewRecord[]): Promise<readonly Appended[] | null>;
}

export interface IngestorParts {
  readonly log: IngestLog;
  readonly codec: Pick<Codec, 'encode' | 'schemaIds'>;
  readonly clock: IngestClock;
  readonly maxUnacknowledgedBytes: number;
  /** The module of the record encoder, for a log that can run it in its writer thread. */
  readonly encoder?: URL | undefined;
  readonly registry: Registry;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** How often a log that was unreachable is looked for. */
  readonly checkEveryMs?: number;
}

/** What `/readyz` says of ingest. */
export type IngestState = 'ready' | 'log away' | 'clock skewed';

/** Encodes request bodies, here or in the log's writer thread, and resolves once their messages are durable. */
export class Ingestor {
  readonly #parts: IngestorParts;
  readonly #metrics: IngestMetrics;
  readonly #offload: Offload;
  readonly #thread: EncodeThread;
  readonly #facts = new FactsOfProjects();
  readonly #waits = new AppendWaits();
  #unacknowledgedBytes = 0;
  #probe: NodeJS.Timeout | undefined;
  /** So that the clock is followed, and what becomes of it is logged, while there are no requests. */
  readonly #clockWatch: NodeJS.Timeout;

  constructor(parts: IngestorParts) {
    this.#parts = parts;
    this.#metrics = new IngestMetrics(parts.registry, () => this.#unacknowledgedBytes, parts.maxUnacknowledgedBytes);
    this.#offload = new Offload(parts);
    this.#thread = new EncodeThread({ logger: parts.logger, schemaIds: () => parts.codec.schemaIds() });
    this.#clockWatch = setInterval(() => void parts.clock.skewed, 1_000).unref();
  }

  /** Resolves once bodies can be offloaded; until then this thread encodes them. Never rejects. */
  openOffload(): Promise<void> {
    return this.#offload.open();
  }

  get state(): IngestState {
    if (this.#probe !== undefined) return 'log away';
    return this.#parts.clock.skewed ? 'clock skewed' : 'ready';
  }

  /** As `AppendWaits.look`, of bodies that the log encodes: 0 if it encodes no body. */
  lookAtWaits(): number {
    return this.#waits.look();
  }

  /** How many messages have been accepted since the process began. */
  get acceptedMessages(): number {
    return this.#metrics.total;
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
   * Accepts the messages of a body, all or none, or of a lenient batch the valid ones. Resolves once they would survive a
   * crash. A 503 carries the ids to send the same messages again under: some of them may be in the log.
   *
   * @param body Valid UTF-8.
   * @param idempotencyKey '' if the request has no key.
   */
  accept(
    project: Project,
    source: BodySource,
    body: Buffer,
    idempotencyKey: string,
    isLenient = false,
  ): Promise<AcceptedBody | Refusal> {
    const { clock } = this.#parts;
    const mayOffload = !clock.isAhead && this.admit() === undefined;
    const facts = this.#facts.of(project, source, isLenient, clock.processBits);
    if (mayOffload && body.length >= LARGE_BODY_BYTES && this.#thread.isReady)
      return this.#acceptLarge(facts, body, idempotencyKey);
    return this.#offload.run(source, mayOffload, (append) =>
      append === undefined
        ? this.#acceptInline(facts, body, idempotencyKey)
        : this.#acceptOffloaded(append, facts, body, idempotencyKey),
    );
  }

  async #acceptInline(facts: JobFacts, body: Buffer, idempotencyKey: string): Promise<AcceptedBody | Refusal> {
    const { clock, codec } = this.#parts;
    let isSkewed = false;
    const receivedAt = (messages: number): Micros => {
      const given = clock.next(messages);
      isSkewed = given === undefined;
      return given ?? arrivedAt;
    };
    const arrivedAt = microsAt(clock.now());
    const job = { firstId: newMessageId(), idempotencyKey, receivedAt, arrivedAt, text: body.toString('utf8') };
    const encoded = encodeBody(facts, job, codec);
    return this.#appendEncoded(facts, encoded, isSkewed);
  }

  /** What waits for the thread is counted as what waits for the log. */
  async #acceptLarge(facts: JobFacts, body: Buffer, idempotencyKey: string): Promise<AcceptedBody | Refusal> {
    const { clock, codec } = this.#parts;
    const receivedAt = clock.next(mostItemsIn(body));
    if (receivedAt === undefined) return this.#acceptInline(facts, body, idempotencyKey);
    const job = new BodyJob(facts, newMessageId(), receivedAt, idempotencyKey, body);
    this.#unacknowledgedBytes += job.length;
    const encoded = await this.#thread.encode(job);
    this.#unacknowledgedBytes -= job.length;
    return this.#appendEncoded(facts, encoded ?? encodeBody(facts, job.toEncode, codec), clock.skewed);
  }

  async #appendEncoded(
    facts: JobFacts,
    encoded: EncodedBody | Refused,
    isSkewed: boolean,
  ): Promise<AcceptedBody | Refusal> {
    const { log, clock } = this.#parts;
    if (!encoded.ok) return invalid('invalid-body', encoded.problems);
    const overloaded = this.admit();
    if (overloaded !== undefined) return overloaded;
    const { records, messageIds } = encoded;
    if (isSkewed) return { ...CLOCK_SKEWED, messageIds };
    const appending = await this.#append(
      recordBytes(records),
      () => log.append(records),
      (all) => all?.[0]?.appendedAtMs,
    );
    if ('refused' in appending) return { ...appending, messageIds };
    const { appended, tookMs } = appending;
    const accepted = encoded.accepted(appended && receiptOf(facts, clock.now(), appended));
    this.#metrics.accepted(accepted, tookMs);
    return accepted;
  }

  async #acceptOffloaded(
    append: AppendEncoded,
    facts: JobFacts,
    body: Buffer,
    idempotencyKey: string,
  ): Promise<AcceptedBody | Refusal> {
    const { clock, codec } = this.#parts;
    const receivedAt = clock.next(facts.source === 'batch' ? mostItemsIn(body) : 1);
    if (receivedAt === undefined) return this.#acceptInline(facts, body, idempotencyKey);
    const job = new BodyJob(facts, newMessageId(), receivedAt, idempotencyKey, body);
    const appending = await this.#append(
      job.length,
      () => append(job),
      (encoded) => (encoded === null || isProblems(encoded.result) ? undefined : encoded.appendedAtMs),
    );
    if ('refused' in appending) {
      // The thread gave no result: the ids are the same when the job is encoded here.
      const encoded = encodeBody(facts, job.toEncode, codec);
      return encoded.ok ? { ...appending, messageIds: encoded.messageIds } : invalid('invalid-body', encoded.problems);
    }
    const { appended, tookMs } = appending;
    if (appended === null) return this.#acceptInline(facts, body, idempotencyKey);
    if (isProblems(appended.result)) return invalid('invalid-body', readProblems(appended.result));
    const accepted = readAccepted(appended.result);
    this.#metrics.accepted(accepted, tookMs);
    this.#waits.see(job.length, tookMs, appended.commitMs);
    return accepted;
  }

  /** Stops looking for a log that is unreachable, and at the clock, and ends its thread. */
  close(): void {
    this.#thread.close();
    clearInterval(this.#probe);
    clearInterval(this.#clockWatch);
  }

  /** Counts bytes on their way to the log, and refuses what it did not take or took at a time that cannot be. */
  async #append<T>(
    bytes: number,
    append: () => Promise<T>,
    appendedAtMsOf: (appended: T) => number | undefined,
  ): Promise<{ readonly appended: T; readonly tookMs: number } | Refusal> {
    const { clock } = this.#parts;
    const sentAtMs = clock.now();
    const startedMs = performance.now();
    this.#unacknowledgedBytes += bytes;
    try {
      const appended = await append();
      const appendedAtMs = appendedAtMsOf(appended);
      if (appendedAtMs !== undefined && !clock.agrees(appendedAtMs, sentAtMs)) {
        return this.#noteSkew(appendedAtMs, sentAtMs);
      }
      return { appended, tookMs: performance.now() - startedMs };
    } catch (error) {
      if (!isRetryable(error)) throw error;
      this.#noteUnreachable(error);
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
  #noteUnreachable(error: unknown): void {
    if (this.#probe !== undefined) return;
    this.#parts.logger.warn({ err: error }, 'the event log is unreachable: messages are refused');
    this.#probe = setInterval(() => void this.#check(), this.#parts.checkEveryMs ?? 1_000).unref();
  }

  async #check(): Promise<void> {
    try {
      await this.#parts.log.check();
    } catch {
      return; // Still unreachable; the next probe looks again.
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
  detail: "This machine's clock is wrong. Send the messages again under the message_ids given here.",
  retryAfterS: 5,
};

const OPENING_BRACE = '{'.charCodeAt(0);
/** `{"type":"page","userId":""}` has more. */
const SHORTEST_ITEM_BYTES = 24;

function recordBytes(records: readonly NewRecord[]): number {
  let bytes = 0;
  for (const { key, value } of records) bytes += key.byteLength + value.byteLength;
  return bytes;
}

/** Never fewer than the items of a batch that is valid. */
function mostItemsIn(body: Buffer): number {
  return Math.min(countBytes(body, OPENING_BRACE), Math.ceil(body.length / SHORTEST_ITEM_BYTES));
}

function countBytes(bytes: Buffer, byte: number): number {
  let count = 0;
  for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) count++;
  return count;
}
