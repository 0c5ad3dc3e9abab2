/** Reads the log of a backup: the records of all partitions, the oldest first, up to an end or a moment. */
import type { LogRecord, PartitionRecords, TopicPartition } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import { type EndOfPartition, identityOfLast, type LogFile } from './manifest.ts';
import { decodeRecords } from './record-file.ts';
import { damaged, readStored } from './stored-file.ts';

/** The records of a file, which are known to be as they were written once all were read. @throws TidemarkError. */
export async function* recordsOfFile(folder: string, file: LogFile): AsyncGenerator<readonly LogRecord[]> {
  const path = `${folder}/${file.file}`;
  let [records, last]: [number, LogRecord | undefined] = [0, undefined];
  try {
    for await (const piece of decodeRecords(readStored(folder, file))) {
      for (const record of piece) {
        const isNext = record.offset >= file.first && record.offset < file.end && record.offset > (last?.offset ?? -1n);
        if (!isNext) throw damaged(`${path} has a record of offset ${record.offset}`);
        last = record;
      }
      records += piece.length;
      yield piece;
    }
  } catch (error) {
    throw error instanceof Error && error.name === 'TidemarkError' ? error : damaged(`${path} has changed`, error);
  }
  if (records !== file.records || identityOfLast(last) !== file.identity) throw damaged(`${path} lacks records`);
}

export interface LogPart {
  readonly files: readonly LogFile[];
  /** Up to where each partition is read. */
  readonly ends: readonly EndOfPartition[];
  /** Where each partition begins, by its name: records before are left out. */
  readonly from: ReadonlyMap<string, bigint>;
  /** A partition is read up to the first record that the log stored after this moment. */
  readonly untilMs: number | undefined;
}

/** The pieces of all partitions, the one with the oldest record first: so a log is cut in the order of time. */
export async function* recordsOfLog(folder: string, { files, ends, from, untilMs }: LogPart) {
  const cursors = ends.map(({ topic, partition, end }) => {
    const name = nameOf({ topic, partition });
    const start = from.get(name) ?? 0n;
    const own = files.filter((file) => nameOf(file) === name && BigInt(file.end) > start && file.first < end);
    const limits = { start, end: BigInt(end), untilMs: untilMs ?? Infinity };
    return new PieceCursor({ topic, partition }, piecesOf(folder, own, limits));
  });
  try {
    await Promise.all(cursors.map((cursor) => cursor.advance()));
    for (;;) {
      const oldest = cursors.reduce((one, other) => (other.atMs < one.atMs ? other : one), NOTHING);
      if (oldest.next === undefined) return;
      yield oldest.next;
      await oldest.advance();
    }
  } finally {
    await Promise.all(cursors.map((cursor) => cursor.close()));
  }
}

interface Limits {
  readonly start: bigint;
  readonly end: bigint;
  readonly untilMs: number;
}

async function* piecesOf(folder: string, files: readonly LogFile[], { start, end, untilMs }: Limits) {
  for (const file of files) {
    for await (const piece of recordsOfFile(folder, file)) {
      const ended = piece.findIndex(({ offset, appendedAtMs }) => offset >= end || appendedAtMs > untilMs);
      const wanted = (ended === -1 ? piece : piece.slice(0, ended)).filter(({ offset }) => offset >= start);
      if (wanted.length > 0) yield wanted;
      if (ended !== -1) return;
    }
  }
}

class PieceCursor {
  /** Undefined at the end. */
  next: PartitionRecords | undefined;
  readonly #partition: TopicPartition;
  readonly #pieces: AsyncGenerator<readonly LogRecord[]>;

  constructor(partition: TopicPartition, pieces: AsyncGenerator<readonly LogRecord[]>) {
    this.#partition = partition;
    this.#pieces = pieces;
  }

  get atMs(): number {
    return this.next?.records[0]?.appendedAtMs ?? Infinity;
  }

  async advance(): Promise<void> {
    const next: IteratorResult<readonly LogRecord[], unknown> = await this.#pieces.next();
    this.next = next.done === true ? undefined : { ...this.#partition, records: next.value };
  }

  async close(): Promise<void> {
    await this.#pieces.return(undefined);
  }
}

const NOTHING: Pick<PieceCursor, 'atMs' | 'next' | 'advance'> = {
  atMs: Infinity,
  next: undefined,
  advance: async () => undefined,
};
