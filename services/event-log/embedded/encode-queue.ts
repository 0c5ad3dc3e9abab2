import { MAX_BATCH_BYTES, SpareMemory } from './batch.ts';
import { Gatherer } from './gatherer.ts';
import { type EncodeRequest, type EncodeOutcome, NOT_ENCODED } from './requests.ts';
import type { EncodeJob, EncodeResult } from '../event-log.ts';

interface QueuedJob {
  readonly job: EncodeJob;
  readonly bytes: number;
  readonly resolve: (result: EncodeResult | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Encode jobs, gathered into batches for the writer thread. */
export class EncodeQueue {
  readonly #write: (request: EncodeRequest) => Promise<EncodeOutcome>;
  readonly #gatherer = new Gatherer<QueuedJob>((jobs) => this.#send(jobs));
  readonly #memory = new SpareMemory();

  constructor(write: (request: EncodeRequest) => Promise<EncodeOutcome>) {
    this.#write = write;
  }

  append(job: EncodeJob): Promise<EncodeResult | null> {
    const bytes = job.length;
    if (bytes > MAX_BATCH_BYTES) throw new RangeError(`${bytes} bytes for a record are more than ${MAX_BATCH_BYTES}`);
    return new Promise((resolve, reject) => this.#gatherer.add({ job, bytes, resolve, reject }));
  }

  /** Resolves once nothing is under way or waits. Never rejects. */
  idle(): Promise<void> {
    return this.#gatherer.idle();
  }

  async #send(jobs: readonly QueuedJob[]): Promise<void> {
    try {
      const result = await this.#write(pack(jobs, this.#memory));
      this.#memory.giveBack(result.bytes);
      resolve(jobs, result);
    } catch (error) {
      for (const { reject } of jobs) reject(error);
    }
  }
}

function pack(jobs: readonly QueuedJob[], memory: SpareMemory): EncodeRequest {
  let total = 0;
  for (const { bytes } of jobs) total += bytes;
  const bytes = memory.take(total);
  const target = Buffer.from(bytes);
  const shared: object[] = [];
  const parts: number[] = [];
  let at = 0;
  for (const { job } of jobs) {
    let index = shared.indexOf(job.shared);
    if (index === -1) index = shared.push(job.shared) - 1;
    parts.push(index, job.length);
    job.write(target, at);
    at += job.length;
  }
  return { kind: 'encode', bytes, shared, parts };
}

function resolve(jobs: readonly QueuedJob[], { results, lengths, appendedAtMs, commitMs }: EncodeOutcome): void {
  let at = 0;
  for (const [i, one] of jobs.entries()) {
    const length = lengths[i] as number;
    if (length === NOT_ENCODED) one.resolve(null);
    else one.resolve({ result: results.slice(at, (at += length)), appendedAtMs, commitMs });
  }
}
