/** Fills an embedded log from a backup. */
import type {
  LogRecord,
  PartitionRecords,
  LogCoordinates,
  ScanOptions,
  ScanRange,
  TopicPartition,
} from '../event-log.ts';
import { unknownPartition } from '../refusals.ts';
import type { RestoredLog, RestoredTopic } from '../restored-log.ts';
import { CHUNK_HEADER_BYTES, chunkBytesOf, RECORD_HEADER_BYTES, writeBlank, writeRecord } from './segments/chunk.ts';
import { failureOf } from './segments/errors.ts';
import type { LogPartition } from './segments/layout.ts';
import { openStore } from './open.ts';
import { scan } from './scan.ts';
import type { LogStore } from './store.ts';

// As those of a large batch (batch.ts).
const CHUNK_BYTES = 64 * 1024;
const MAX_BLANKS = 4_096;

/** Records, or offsets without one, that are stored as one. */
interface NewChunk {
  readonly bytes: Buffer;
  readonly count: number;
  readonly appendedAtMs: number;
}

/** @throws TidemarkError as `openStore`. */
export async function openRestoredLog(folder: string, topics: readonly RestoredTopic[]): Promise<RestoredLog> {
  try {
    // A topic may have another number of partitions than those before it.
    for (const { name, partitions } of topics) await (await openStore(folder, { topics: [name], partitions })).close();
    return new EmbeddedRestoredLog(await openStore(folder, { topics: [] }));
  } catch (error) {
    throw failureOf(error, 'to open');
  }
}

class EmbeddedRestoredLog implements RestoredLog {
  readonly #store: LogStore;

  constructor(store: LogStore) {
    this.#store = store;
  }

  async ends(): Promise<readonly LogCoordinates[]> {
    const ends = this.#store.withLatest(() => this.#store.ends());
    return this.#store.layout.partitions.map(({ topic, partition, index }) => {
      return { topic, partition, offset: BigInt(ends[index] as number) };
    });
  }

  scan(ranges: readonly ScanRange[], options: ScanOptions = {}): AsyncIterable<PartitionRecords> {
    return scan(this.#store, (read) => this.#store.withLatest(read), ranges, options);
  }

  async append(at: TopicPartition, records: readonly LogRecord[]): Promise<void> {
    const [first] = records;
    if (first === undefined) return;
    this.#extend(at, Number(first.offset), first.appendedAtMs);
    this.#write(this.#partition(at), chunksOf(records));
  }

  async extend(at: TopicPartition, end: bigint): Promise<void> {
    this.#extend(at, Number(end), Date.now());
  }

  /** The log is whole as it is. */
  async finish(): Promise<void> {}

  close(): Promise<void> {
    return this.#store.close();
  }

  #extend(at: TopicPartition, to: number, appendedAtMs: number): void {
    const partition = this.#partition(at);
    const end = this.#store.withLatest(() => this.#store.ends())[partition.index] as number;
    for (const chunk of blanksBetween(end, to, appendedAtMs)) this.#write(partition, [chunk]);
  }

  #partition(at: TopicPartition): LogPartition {
    const partition = this.#store.layout.find(at);
    if (partition === undefined) throw unknownPartition(at);
    return partition;
  }

  #write(partition: LogPartition, chunks: readonly NewChunk[]): void {
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
    this.#store.transact((transaction) => {
      for (const chunk of chunks) transaction.append(partition, chunk.bytes, chunk.count, chunk.appendedAtMs);
    }, bytes);
  }
}

/** Pure. Consecutive records of one time share a chunk; an offset that is left out among them is blank. */
function chunksOf(records: readonly LogRecord[]): readonly NewChunk[] {
  const chunks: NewChunk[] = [];
  let next = records[0]?.offset ?? 0n;
  for (let from = 0; from < records.length;) {
    const { appendedAtMs } = records[from] as LogRecord;
    let [to, length, end] = [from, CHUNK_HEADER_BYTES, next];
    for (; to < records.length; to++) {
      const record = records[to] as LogRecord;
      const more = Number(record.offset - end) * RECORD_HEADER_BYTES + chunkBytesOf(record);
      if (record.appendedAtMs !== appendedAtMs || (to > from && length + more > CHUNK_BYTES)) break;
      length += more;
      end = record.offset + 1n;
    }
    chunks.push({ ...encodeChunk(records.slice(from, to), next, length), appendedAtMs });
    [from, next] = [to, end];
  }
  return chunks;
}

/** @param first The offset that the chunk begins at. */
function encodeChunk(records: readonly LogRecord[], first: bigint, length: number): Omit<NewChunk, 'appendedAtMs'> {
  const bytes = Buffer.alloc(length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = CHUNK_HEADER_BYTES;
  let offset = first;
  for (const { offset: wanted, key, value } of records) {
    for (; offset < wanted; offset++) at = writeBlank(view, at);
    at = writeRecord(bytes, view, at, { topic: '', key, value });
    offset++;
  }
  return { bytes, count: Number(offset - first) };
}

/** Chunks of blank records for the offsets from `end` on and before `first`. */
function* blanksBetween(end: number, first: number, appendedAtMs: number): Generator<NewChunk> {
  for (let at = end; at < first; at += MAX_BLANKS) {
    const count = Math.min(MAX_BLANKS, first - at);
    const bytes = Buffer.alloc(CHUNK_HEADER_BYTES + count * RECORD_HEADER_BYTES);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let position = CHUNK_HEADER_BYTES; position < bytes.length;) position = writeBlank(view, position);
    yield { bytes, count, appendedAtMs };
  }
}
