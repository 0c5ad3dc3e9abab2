import { Worker } from 'node:worker_threads';
import type { MessageRecord } from '../messages/arrival.ts';
import type { Refused } from '../messages/validate.ts';
import { hasCode } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import type { BodyJob } from './encode-job.ts';
import type { ThreadAnswer, ThreadRequest } from './encode-thread-entry.ts';
import type { EncodedBody } from './record-encoder.ts';

export interface EncodeThreadParts {
  readonly logger: Pick<Logger, 'warn'>;
  /** By topic, the id of the schema that is written; asked when the thread is started. */
  readonly schemaIds: () => Readonly<Record<string, number>>;
  /** What the thread runs. */
  readonly entry?: URL;
}

/** In bytes: what takes a millisecond or two to encode. Less costs more on the way than it saves. */
export const LARGE_BODY_BYTES = 65_536;

interface Queued {
  readonly job: BodyJob;
  readonly resolve: (encoded: EncodedBody | Refused | undefined) => void;
}

/**
 * A thread that encodes large bodies, so that nobody else's request waits behind the 10 to 40 ms that one takes. It takes one at
 * a time, of the projects in turn. The first large body starts it, and is encoded by the caller.
 */
export class EncodeThread {
  readonly #parts: EncodeThreadParts;
  /** Those that wait, by project; the project whose turn is next comes first. */
  readonly #waiting = new Map<string, Queued[]>();
  #current: Queued | undefined;
  #worker: Worker | undefined;
  #isReady = false;
  /** For good: closed, or it has failed. */
  #isOver = false;

  constructor(parts: EncodeThreadParts) {
    this.#parts = parts;
  }

  /** Whether it can encode now. */
  get isReady(): boolean {
    if (this.#worker === undefined && !this.#isOver) this.#start();
    return this.#isReady;
  }

  /** Undefined where the thread has ended: the body is to be encoded by the caller. Never rejects. */
  encode(job: BodyJob): Promise<EncodedBody | Refused | undefined> {
    if (!this.#isReady) return Promise.resolve(undefined);
    const { projectId } = job.shared;
    return new Promise((resolve) => {
      const ofProject = this.#waiting.get(projectId);
      if (ofProject === undefined) this.#waiting.set(projectId, [{ job, resolve }]);
      else ofProject.push({ job, resolve });
      this.#next();
    });
  }

  close(): void {
    this.#end();
    void this.#worker?.terminate();
  }

  #start(): void {
    const { entry = ENTRY, schemaIds, logger } = this.#parts;
    try {
      const worker = new Worker(entry, { workerData: schemaIds() });
      this.#worker = worker;
      worker.unref();
      worker.once('online', () => (this.#isReady = !this.#isOver));
      worker.on('message', (answer: ThreadAnswer) => this.#answered(answer));
      worker.on('error', (error) => {
        logger.warn(
          { err: error },
          'the thread that encodes large bodies failed: the thread that answers encodes them',
        );
      });
      worker.once('exit', () => this.#end());
    } catch (error) {
      // The schemas are not loaded yet.
      if (hasCode(error, 'LOG_UNAVAILABLE')) return;
      logger.warn({ err: error }, 'no thread can be started that encodes large bodies');
      this.#end();
    }
  }

  #next(): void {
    const [turn] = this.#waiting;
    if (this.#current !== undefined || turn === undefined) return;
    const [projectId, [first, ...others]] = turn;
    this.#waiting.delete(projectId);
    if (others.length > 0) this.#waiting.set(projectId, others);
    if (first === undefined) return;
    this.#current = first;
    const { shared: facts, length } = first.job;
    const bytes = Buffer.allocUnsafeSlow(length);
    first.job.write(bytes, 0);
    this.#worker?.postMessage({ facts, bytes } satisfies ThreadRequest, [bytes.buffer]);
  }

  #answered(answer: ThreadAnswer): void {
    const current = this.#current;
    this.#current = undefined;
    this.#next();
    current?.resolve('problems' in answer ? { ok: false, problems: answer.problems } : encodedIn(answer));
  }

  #end(): void {
    this.#isOver = true;
    this.#isReady = false;
    const left = [...(this.#current ? [this.#current] : []), ...[...this.#waiting.values()].flat()];
    this.#current = undefined;
    this.#waiting.clear();
    for (const { resolve } of left) resolve(undefined);
  }
}

const ENTRY = new URL('./encode-thread-entry.ts', import.meta.url);

function encodedIn({
  accepted,
  topics,
  lengths,
  bytes,
}: Extract<ThreadAnswer, { readonly bytes: Uint8Array }>): EncodedBody {
  let at = 0;
  const nextOf = (index: number): Uint8Array => bytes.subarray(at, (at += lengths[index] ?? 0));
  const records = topics.map((topic, index): MessageRecord => ({
    topic,
    key: nextOf(2 * index),
    value: nextOf(2 * index + 1),
  }));
  return {
    ok: true,
    records,
    // Needed only where the messages are to be sent again.
    get messageIds() {
      return JSON.parse(accepted.messageIds) as readonly (string | null)[];
    },
    accepted: (receipt) => ({ ...accepted, receipt }),
  };
}
