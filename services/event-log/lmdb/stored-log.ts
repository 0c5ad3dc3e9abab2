/**
 * The log of an earlier version, in an LMDB database. A database `TOPIC/PARTITION` for every partition maps the first
 * offset of a chunk (u64, big-endian) to the chunk. The database `books` holds the metadata: the format, the next offset of
 * every partition and the groups' committed positions, each behind a CRC-32.
 */
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { TidemarkError } from '../../runtime/errors.ts';
import { recordCountOf, seedOf } from '../embedded/chunk.ts';
import type { StoredChunk, StoredLog } from '../embedded/copy-log.ts';
import { damaged } from '../embedded/errors.ts';
import { Layout, type LogPartition, type Topic } from '../embedded/layout.ts';
import { nameOf } from '../partition.ts';
import { DataFile } from './data-file.ts';
import { type Entry, entriesOf, type Roots, rootsIn } from './tree.ts';

/** The only version of the format. */
const LOG_FORMAT = 1;
const METADATA = 'books';
const CHECKSUM_BYTES = 4;

/**
 * Opens the log in a folder to copy it.
 *
 * @throws TidemarkError `LOG_DAMAGED`; `LOG_FOREIGN` where the database is no log, or one of a newer format.
 */
export function openStoredLog(folder: string): StoredLog {
  const file = DataFile.open(join(folder, 'data.mdb'));
  try {
    return new LmdbLog(file);
  } catch (error) {
    file.close();
    throw error;
  }
}

class LmdbLog implements StoredLog {
  readonly layout: Layout;
  readonly ends: Float64Array;
  readonly notes: ReadonlyMap<string, unknown>;
  readonly #file: DataFile;
  readonly #roots: Roots;

  constructor(file: DataFile) {
    this.#file = file;
    this.#roots = rootsIn(file);
    if (!this.#roots.has(METADATA)) throw foreign('holds an LMDB database that is not an event log');
    const metadata = new Map([...entriesOf(file, this.#roots.get(METADATA))].map(metadataIn));
    this.layout = new Layout(topicsIn(metadata.get('format')));
    this.ends = endsIn(metadata.get('ends'), this.layout);
    metadata.delete('format');
    metadata.delete('ends');
    this.notes = new Map([...metadata].map(([name, body]) => [name, JSON.parse(body.toString()) as unknown]));
  }

  *chunks(partition: LogPartition): Generator<StoredChunk> {
    const name = nameOf(partition);
    const end = this.ends[partition.index] as number;
    let next = 0;
    for (const { key, value } of entriesOf(this.#file, this.#roots.get(name))) {
      const chunk = chunkIn(partition, key, value);
      if (chunk.first !== next) break;
      next += chunk.count;
      yield chunk;
    }
    if (next !== end) throw damaged(`${name} has lost the record at offset ${next}: its end is ${end}`);
  }

  hasChanged(): boolean {
    return this.#file.hasChanged();
  }

  close(): void {
    this.#file.close();
  }
}

/** @throws TidemarkError `LOG_DAMAGED` where its checksum does not fit, or the key is not one. */
function chunkIn(partition: LogPartition, key: Buffer, bytes: Buffer): StoredChunk {
  const first = key.length === 8 ? Number(key.readBigUInt64BE()) : NaN;
  try {
    const count = recordCountOf(bytes, seedOf(partition, first));
    return { partition, first, count, appendedAtMs: bytes.readDoubleLE(8), bytes };
  } catch (error) {
    throw damaged(`${nameOf(partition)} has lost the record at offset ${first}`, error);
  }
}

/** A name and its value, without the CRC-32 of both that stands before it. @throws TidemarkError `LOG_DAMAGED`. */
function metadataIn({ key, value }: Entry): [name: string, body: Buffer] {
  const body = value.subarray(CHECKSUM_BYTES);
  if (value.length < CHECKSUM_BYTES || value.readUInt32LE() !== crc32(body, crc32(key))) {
    throw damaged(`the checksum of the event log's ${key.toString()} does not fit`);
  }
  return [key.toString(), body];
}

function topicsIn(bytes: Buffer | undefined): readonly Topic[] {
  if (bytes === undefined) throw damaged('the event log has lost its format');
  const { format, topics } = JSON.parse(bytes.toString()) as { format: number; topics: readonly Topic[] };
  if (format > LOG_FORMAT)
    throw foreign(`holds an event log of format ${format}; this version reads up to ${LOG_FORMAT}`);
  return topics;
}

/** The next offset of every partition: an array of f64. */
function endsIn(bytes: Buffer | undefined, { partitions }: Layout): Float64Array {
  const ends = new Float64Array(new Uint8Array(bytes ?? []).buffer);
  if (ends.length !== partitions.length) throw damaged('the event log has lost the ends of its partitions');
  return ends;
}

function foreign(message: string): TidemarkError {
  return new TidemarkError('LOG_FOREIGN', `the folder ${message}`);
}
