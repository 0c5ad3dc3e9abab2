/** How a log lies in LMDB: making it, opening it, and what its books say of it. */
import { dirname } from 'node:path';
import { TidemarkError } from '../../runtime/errors.ts';
import { expectRoom } from '../../runtime/free-space.ts';
import { read, write } from './books.ts';
import { type Bytes, LmdbEnvironment, MAX_SLOTS } from './environment.ts';
import { damaged } from './errors.ts';
import { grown, Layout, nameOf, type Topic } from './layout.ts';

/** The first record of a log's books: what this is. */
interface Format {
  /** Of the layout below; a reader refuses a higher one than its own. */
  readonly format: number;
  readonly topics: readonly Topic[];
}

const FORMAT = 1;

const BOOKS = 'books';
const ENDS_KEY = Buffer.from('ends');
const FORMAT_KEY = Buffer.from('format');
/** A log that is open. */
export interface Opened {
  readonly environment: LmdbEnvironment;
  readonly books: Bytes;
  readonly partitions: readonly Bytes[];
  readonly layout: Layout;
}

/** Makes a log in a file that is not there yet. @throws TidemarkError `LOG_UNAVAILABLE` where the disk is full. */
export async function createLog(file: string, topics: readonly Topic[]): Promise<void> {
  checkSize(topics);
  expectRoom(dirname(file), 'LOG_UNAVAILABLE');
  const environment = new LmdbEnvironment(file, { isFile: true });
  environment.transact(() => {
    const { slots } = new Layout(topics);
    const books = environment.database(BOOKS);
    for (const slot of slots) environment.database(nameOf(slot));
    putFormat(books, topics);
    putEnds(books, new Float64Array(slots.length));
  });
  await environment.close();
}

/**
 * Opens the log in a folder and makes those topics that it lacks.
 *
 * @throws TidemarkError `LOG_FOREIGN` where the database is none of ours or newer; `LOG_DAMAGED`; `CONFIG_INVALID` as
 *   `grown`; `LOG_UNAVAILABLE` where topics are to be made on a full disk.
 */
export function openLog(folder: string, wanted: readonly string[], partitions: number | undefined): Opened {
  const environment = new LmdbEnvironment(folder, { isFile: false });
  try {
    return environment.transact(() => {
      const books = environment.existing(BOOKS);
      if (books === undefined) throw foreign('holds an LMDB database that is no event log');
      const { topics } = readFormat(read(books, FORMAT_KEY));
      const all = grown(topics, wanted, partitions);
      checkSize(all);
      if (all.length > topics.length) expectRoom(folder, 'LOG_UNAVAILABLE');
      const layout = new Layout(all);
      const databases = layout.slots.map((slot) => environment.database(nameOf(slot)));
      if (all.length > topics.length) grow(books, all, layout);
      return { environment, books, partitions: databases, layout };
    });
  } catch (error) {
    void environment.close();
    throw error;
  }
}

function grow(books: Bytes, topics: readonly Topic[], { slots }: Layout): void {
  const ends = new Float64Array(slots.length);
  ends.set(endsIn(books));
  putEnds(books, ends);
  putFormat(books, topics);
}

export function endsIn(books: Bytes): Float64Array {
  const bytes = read(books, ENDS_KEY);
  if (bytes === undefined) throw damaged('the event log has lost the ends of its partitions');
  return new Float64Array(new Uint8Array(bytes).buffer);
}

export function putEnds(books: Bytes, ends: Float64Array): void {
  write(books, ENDS_KEY, Buffer.from(ends.buffer, ends.byteOffset, ends.byteLength));
}

function putFormat(books: Bytes, topics: readonly Topic[]): void {
  const format: Format = { format: FORMAT, topics };
  write(books, FORMAT_KEY, Buffer.from(JSON.stringify(format)));
}

function readFormat(bytes: Buffer | undefined): Format {
  if (bytes === undefined) throw damaged('the event log has lost its format');
  const { format, topics } = JSON.parse(bytes.toString()) as Format;
  if (format > FORMAT) throw foreign(`holds an event log of format ${format}; this version knows up to ${FORMAT}`);
  return { format, topics };
}

function checkSize(topics: readonly Topic[]): void {
  const slots = topics.reduce((sum, { partitions }) => sum + partitions, 0);
  if (slots <= MAX_SLOTS) return;
  const message = `${slots} partitions are more than the embedded event log can have (${MAX_SLOTS})`;
  throw new TidemarkError('CONFIG_INVALID', message);
}

function foreign(message: string): TidemarkError {
  return new TidemarkError('LOG_FOREIGN', `the folder ${message}`);
}
