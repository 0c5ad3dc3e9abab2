/** How a log is stored in LMDB: creating it, opening it, and its metadata. */
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { TidemarkError } from '../../runtime/errors.ts';
import { expectRoom } from '../../runtime/free-space.ts';
import { nameOf } from '../partition.ts';
import { type Bytes, LmdbEnvironment } from './environment.ts';
import { damaged } from '../embedded/errors.ts';
import { grown, Layout, type Topic } from '../embedded/layout.ts';

/** The first value of a log's metadata. */
interface LogFormat {
  /** Version of the storage layout. A version higher than the program's own is refused. */
  readonly format: number;
  readonly topics: readonly Topic[];
}

const LOG_FORMAT = 1;

/** The name of the database is that of the first version. */
const METADATA = 'books';
const CHECKSUM_BYTES = 4;
const ENDS_KEY = Buffer.from('ends');
const FORMAT_KEY = Buffer.from('format');

export interface OpenedLog {
  readonly environment: LmdbEnvironment;
  readonly metadata: Bytes;
  readonly partitions: readonly Bytes[];
  readonly layout: Layout;
}

/** Creates a log in a new file. @throws TidemarkError `LOG_UNAVAILABLE` where the disk is full. */
export async function createLog(file: string, topics: readonly Topic[]): Promise<void> {
  expectRoom(dirname(file), 'LOG_UNAVAILABLE');
  const environment = new LmdbEnvironment(file, { isFile: true });
  environment.transact(() => {
    const { partitions } = new Layout(topics);
    const metadata = environment.database(METADATA);
    for (const partition of partitions) environment.database(nameOf(partition));
    putFormat(metadata, topics);
    putEnds(metadata, new Float64Array(partitions.length));
  });
  await environment.close();
}

/**
 * Opens the log in a folder and creates the topics that it lacks.
 *
 * @throws TidemarkError `LOG_FOREIGN` where the database is not an event log or is newer; `LOG_DAMAGED`; `CONFIG_INVALID` as
 *   `grown`; `LOG_UNAVAILABLE` where topics are to be created on a full disk.
 */
export function openLog(folder: string, wanted: readonly string[], partitions: number | undefined): OpenedLog {
  const environment = new LmdbEnvironment(folder, { isFile: false });
  try {
    return environment.transact(() => {
      const metadata = environment.existing(METADATA);
      if (metadata === undefined) throw foreign('holds an LMDB database that is not an event log');
      const { topics } = readFormat(readMetadata(metadata, FORMAT_KEY));
      const all = grown(topics, wanted, partitions);
      if (all.length > topics.length) expectRoom(folder, 'LOG_UNAVAILABLE');
      const layout = new Layout(all);
      const databases = layout.partitions.map((partition) => environment.database(nameOf(partition)));
      if (all.length > topics.length) grow(metadata, all, layout);
      return { environment, metadata, partitions: databases, layout };
    });
  } catch (error) {
    void environment.close();
    throw error;
  }
}

function grow(metadata: Bytes, topics: readonly Topic[], { partitions }: Layout): void {
  const ends = new Float64Array(partitions.length);
  ends.set(endsIn(metadata));
  putEnds(metadata, ends);
  putFormat(metadata, topics);
}

export function endsIn(metadata: Bytes): Float64Array {
  const bytes = readMetadata(metadata, ENDS_KEY);
  if (bytes === undefined) throw damaged('the event log has lost the ends of its partitions');
  return new Float64Array(new Uint8Array(bytes).buffer);
}

export function putEnds(metadata: Bytes, ends: Float64Array): void {
  writeMetadata(metadata, ENDS_KEY, Buffer.from(ends.buffer, ends.byteOffset, ends.byteLength));
}

function putFormat(metadata: Bytes, topics: readonly Topic[]): void {
  const format: LogFormat = { format: LOG_FORMAT, topics };
  writeMetadata(metadata, FORMAT_KEY, Buffer.from(JSON.stringify(format)));
}

function readFormat(bytes: Buffer | undefined): LogFormat {
  if (bytes === undefined) throw damaged('the event log has lost its format');
  const { format, topics } = JSON.parse(bytes.toString()) as LogFormat;
  if (format > LOG_FORMAT)
    throw foreign(`holds an event log of format ${format}; this version reads up to ${LOG_FORMAT}`);
  return { format, topics };
}

function foreign(message: string): TidemarkError {
  return new TidemarkError('LOG_FOREIGN', `the folder ${message}`);
}

/** A value of the log's metadata, stored behind a CRC-32 of its key and itself. @throws TidemarkError `LOG_DAMAGED`. */
export function readMetadata(metadata: Bytes, key: Buffer): Buffer | undefined {
  const bytes = metadata.getBinary(key);
  if (bytes === undefined) return undefined;
  const body = bytes.subarray(CHECKSUM_BYTES);
  if (bytes.length < CHECKSUM_BYTES || bytes.readUInt32LE(0) !== crc32(body, crc32(key))) {
    throw damaged(`the checksum of the event log's ${key.toString()} does not fit`);
  }
  return body;
}

/** The metadata besides the format and the ends: values by their names. @throws TidemarkError `LOG_DAMAGED`. */
export function notesIn(metadata: Bytes): ReadonlyMap<string, unknown> {
  const notes = new Map<string, unknown>();
  const names = [...metadata.getKeys()].map((key) => Buffer.from(key));
  for (const name of names) {
    if (name.equals(ENDS_KEY) || name.equals(FORMAT_KEY)) continue;
    notes.set(name.toString(), JSON.parse(String(readMetadata(metadata, name))));
  }
  return notes;
}

/** Within a transaction. */
export function writeMetadata(metadata: Bytes, key: Buffer, body: Buffer): void {
  const bytes = Buffer.allocUnsafe(CHECKSUM_BYTES + body.length);
  body.copy(bytes, CHECKSUM_BYTES);
  bytes.writeUInt32LE(crc32(body, crc32(key)), 0);
  metadata.putSync(key, bytes);
}
