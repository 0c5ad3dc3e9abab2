import type { Appended, EncodedRecords, RecordEncoder } from '../event-log.ts';
import { Batch, place, type Placed, type SpareMemory } from './batch.ts';
import type { Layout } from './segments/layout.ts';
import {
  type AppendRequest,
  type AppendResult,
  type EncodeRequest,
  type EncodeOutcome,
  NOT_ENCODED,
} from './requests.ts';

interface EncodedJob extends Placed, Pick<EncodedRecords, 'result'> {
  appended: readonly Appended[];
}

/** One request to encode jobs, in the writer thread. */
export class BatchEncoding {
  /** The records, as if they had been sent encoded; without chunks where there are none. */
  readonly append: AppendRequest;
  readonly #request: EncodeRequest;
  readonly #memory: SpareMemory;
  readonly #batch: Batch;
  /** The result of each job; undefined where it could not be encoded. */
  readonly #encoded: readonly (EncodedJob | undefined)[];

  /** @param encoder Undefined where none is loaded. */
  constructor(request: EncodeRequest, encoder: RecordEncoder | undefined, layout: Layout, memory: SpareMemory) {
    this.#request = request;
    this.#memory = memory;
    this.#encoded = jobsOf(request).map(([shared, bytes]) => encoder && encodeOne(encoder, shared, bytes, layout));
    const all = this.#encoded.filter((job) => job !== undefined);
    this.#batch = new Batch(layout, all);
    this.append = this.#batch.pack(memory);
  }

  /** To be called once the records are durable. @param commitMs The duration of their commit. */
  result(appended: AppendResult, commitMs: number): EncodeOutcome {
    this.#batch.resolve(appended);
    this.#memory.giveBack(appended.bytes);
    let results = '';
    const lengths = this.#encoded.map((job) => {
      if (job === undefined) return NOT_ENCODED;
      const result = job.result(job.appended);
      results += result;
      return result.length;
    });
    return { results, lengths, appendedAtMs: appended.appendedAtMs, commitMs, bytes: this.#request.bytes };
  }
}

function jobsOf({ bytes, shared, parts }: EncodeRequest): (readonly [shared: unknown, bytes: Buffer])[] {
  const jobs: (readonly [unknown, Buffer])[] = [];
  let at = 0;
  for (let i = 0; i < parts.length; i += 2) {
    const length = parts[i + 1] as number;
    jobs.push([shared[parts[i] as number], Buffer.from(bytes, at, length)]);
    at += length;
  }
  return jobs;
}

/** Undefined where it throws: the thread that sent the job then encodes it, and meets the same error. */
function encodeOne(encode: RecordEncoder, shared: unknown, bytes: Buffer, layout: Layout): EncodedJob | undefined {
  try {
    const { records, result } = encode(shared, bytes);
    const job: EncodedJob = {
      records,
      slots: place(layout, records).slots,
      ranks: [],
      result,
      appended: [],
      resolve: (appended) => {
        job.appended = appended;
      },
    };
    return job;
  } catch {
    return undefined;
  }
}
