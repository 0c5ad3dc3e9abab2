import type { LogRecord } from '../event-log.ts';
import { MAX_BATCH_BYTES } from './batch.ts';
import { CHUNK_HEADER_BYTES, chunkBytesOf, RECORD_HEADER_BYTES, writeBlank, writeRecord } from './segments/chunk.ts';

// As those of a large batch (batch.ts).
const CHUNK_BYTES = 64 * 1024;

/** Records, or offsets without one, that are stored as one. */
export interface CopiedChunk {
  readonly bytes: Buffer;
  readonly count: number;
  readonly appendedAtMs: number;
}

/** Pure. In commits of a bounded size, chunks for every offset from `first` on and before `end`. */
export function* commitsOf(first: number, records: readonly LogRecord[], end: number): Generator<CopiedChunk[]> {
  let [commit, bytes]: [CopiedChunk[], number] = [[], 0];
  for (const chunk of chunksOf(first, records, end)) {
    commit.push(chunk);
    bytes += chunk.bytes.length;
    if (bytes >= MAX_BATCH_BYTES) {
      yield commit;
      [commit, bytes] = [[], 0];
    }
  }
  if (commit.length > 0) yield commit;
}

/** Consecutive records of one time share a chunk. An offset that no record has is blank, and takes the time of the next. */
function* chunksOf(first: number, records: readonly LogRecord[], end: number): Generator<CopiedChunk> {
  let offset = first;
  let chunk = new NewChunk(0);
  const last = { offset: BigInt(end), appendedAtMs: records.at(-1)?.appendedAtMs ?? Date.now() };
  for (const record of [...records, last]) {
    const { appendedAtMs } = record;
    for (; offset <= Number(record.offset) && offset < end; offset++) {
      const entry = 'key' in record && offset === Number(record.offset) ? record : undefined;
      if (!chunk.takes(entry, appendedAtMs)) {
        if (chunk.count > 0) yield chunk.encode();
        chunk = new NewChunk(appendedAtMs);
      }
      chunk.add(entry);
    }
  }
  if (chunk.count > 0) yield chunk.encode();
}

class NewChunk {
  readonly #entries: (LogRecord | undefined)[] = [];
  readonly #appendedAtMs: number;
  #length = CHUNK_HEADER_BYTES;

  constructor(appendedAtMs: number) {
    this.#appendedAtMs = appendedAtMs;
  }

  get count(): number {
    return this.#entries.length;
  }

  takes(entry: LogRecord | undefined, appendedAtMs: number): boolean {
    if (appendedAtMs !== this.#appendedAtMs) return false;
    return this.count === 0 || this.#length + entryBytesOf(entry) <= CHUNK_BYTES;
  }

  add(entry: LogRecord | undefined): void {
    this.#entries.push(entry);
    this.#length += entryBytesOf(entry);
  }

  encode(): CopiedChunk {
    const bytes = Buffer.alloc(this.#length);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = CHUNK_HEADER_BYTES;
    for (const entry of this.#entries) {
      at = entry === undefined ? writeBlank(view, at) : writeRecord(bytes, view, at, { topic: '', ...entry });
    }
    return { bytes, count: this.count, appendedAtMs: this.#appendedAtMs };
  }
}

function entryBytesOf(entry: LogRecord | undefined): number {
  return entry === undefined ? RECORD_HEADER_BYTES : chunkBytesOf(entry);
}
