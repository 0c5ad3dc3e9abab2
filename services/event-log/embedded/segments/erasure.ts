/**
 * Erases records in place. The bytes that are to be overwritten are noted in the file `redo` before, so that no chunk stays half
 * overwritten. It is read when the log is opened, and removed when all is done. Little-endian:
 *
 *     magic     u32   TMR1
 *     checksum  u32   CRC-32 of what follows
 *     for each overwrite: segment u32, position u32, length u32, the new bytes
 */
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { blankRecords, CHECKSUM_PART, seedOf } from './chunk.ts';
import { damaged } from './errors.ts';
import type { LogPartition } from './layout.ts';
import type { LogParts } from './log-view.ts';
import type { IntactChunk } from './segment-index.ts';

export const REDO_FILE = 'redo';
/** One that is being written. */
export const NEW_REDO_FILE = 'redo.new';

const REDO_MAGIC = 0x31_52_4d_54;
const REDO_HEADER_BYTES = 8;
const REDO_ENTRY_BYTES = 12;

/** A record to be erased. */
export interface ErasedRecord {
  readonly partition: LogPartition;
  readonly offset: number;
}

export interface Overwrite {
  readonly segment: number;
  readonly position: number;
  readonly bytes: Buffer;
}

/** Reads the chunk that has a record, and checks it. */
type ReadChunk = (partition: LogPartition, offset: number) => IntactChunk;

/**
 * What is to be overwritten so that the records are blank, and how many of them were not blank before: of a chunk its
 * checksum and these records, since a chunk of a large batch has hundreds.
 */
export function blanksOf(
  records: readonly ErasedRecord[],
  readChunk: ReadChunk,
): { readonly overwrites: readonly Overwrite[]; readonly count: number } {
  const overwrites: Overwrite[] = [];
  let count = 0;
  for (const [partition, erased] of Map.groupBy(records, (record) => record.partition)) {
    const left = new Set(erased.map(({ offset }) => offset));
    for (const offset of left) {
      const { file, chunk, first, count: recordsInChunk, position } = readChunk(partition, offset);
      // A copy: readers have views of what was read.
      const bytes = Buffer.from(chunk);
      const blanked = blankRecords(bytes, first, left, seedOf(partition, first));
      for (const { at, end } of blanked.length === 0 ? [] : [CHECKSUM_PART, ...blanked])
        overwrites.push({ segment: file.number, position: position + at, bytes: bytes.subarray(at, end) });
      count += blanked.length;
      for (let done = first; done < first + recordsInChunk; done++) left.delete(done);
    }
  }
  return { overwrites, count };
}

/** Overwrites bytes. If it throws once they are noted, `finishRedo` does the rest. Under the lock. */
export function overwrite(parts: LogParts, overwrites: readonly Overwrite[]): void {
  const { files, folder } = parts;
  const path = join(folder, NEW_REDO_FILE);
  files.remove(path);
  const descriptor = files.open(path, 'create');
  try {
    files.write(descriptor, [encode(overwrites)], 0);
    files.flush(descriptor);
  } finally {
    files.close(descriptor);
  }
  files.rename(path, join(folder, REDO_FILE));
  files.flushFolder(folder);
  applyOverwrites(parts, overwrites);
}

/** Overwrites what is noted. Under the lock. @throws TidemarkError `LOG_DAMAGED` where the note cannot be read. */
export function finishRedo(parts: LogParts): void {
  const { files, folder } = parts;
  if (!files.names(folder).includes(REDO_FILE)) return;
  const descriptor = files.open(join(folder, REDO_FILE), 'read');
  try {
    const bytes = Buffer.alloc(files.size(descriptor));
    files.read(descriptor, bytes, 0);
    applyOverwrites(parts, decode(bytes, folder));
  } finally {
    files.close(descriptor);
  }
}

function applyOverwrites({ files, folder, shared, segments }: LogParts, overwrites: readonly Overwrite[]): void {
  const names = new Map(segments.list());
  const opened = new Map<string, number>();
  try {
    for (const { segment, position, bytes } of overwrites) {
      const name = names.get(segment);
      // It has been cut since.
      if (name === undefined) continue;
      const descriptor = opened.get(name) ?? files.open(join(folder, name), 'write');
      opened.set(name, descriptor);
      files.write(descriptor, [bytes], position);
    }
    for (const descriptor of opened.values()) files.flush(descriptor);
  } finally {
    for (const descriptor of opened.values()) files.close(descriptor);
    shared.countOverwrite();
  }
  files.remove(join(folder, REDO_FILE));
  files.flushFolder(folder);
}

function encode(overwrites: readonly Overwrite[]): Buffer {
  const header = Buffer.alloc(REDO_HEADER_BYTES);
  const pieces: Buffer[] = [header];
  let checksum = 0;
  for (const { segment, position, bytes } of overwrites) {
    const entry = Buffer.alloc(REDO_ENTRY_BYTES);
    entry.writeUInt32LE(segment, 0);
    entry.writeUInt32LE(position, 4);
    entry.writeUInt32LE(bytes.length, 8);
    pieces.push(entry, bytes);
    checksum = crc32(bytes, crc32(entry, checksum));
  }
  header.writeUInt32LE(REDO_MAGIC, 0);
  header.writeUInt32LE(checksum, 4);
  return Buffer.concat(pieces);
}

function decode(bytes: Buffer, folder: string): readonly Overwrite[] {
  const body = bytes.subarray(REDO_HEADER_BYTES);
  const isWhole = bytes.length >= REDO_HEADER_BYTES && bytes.readUInt32LE(0) === REDO_MAGIC;
  if (!isWhole || bytes.readUInt32LE(4) !== crc32(body)) {
    throw damaged(
      `the file ${REDO_FILE} in ${folder} is damaged, so records that were to be erased may still be there`,
    );
  }
  const overwrites: Overwrite[] = [];
  for (let at = 0; at < body.length;) {
    const end = at + REDO_ENTRY_BYTES + body.readUInt32LE(at + 8);
    const [segment, position] = [body.readUInt32LE(at), body.readUInt32LE(at + 4)];
    overwrites.push({ segment, position, bytes: body.subarray(at + REDO_ENTRY_BYTES, end) });
    at = end;
  }
  return overwrites;
}
