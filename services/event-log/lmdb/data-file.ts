/**
 * Checks LMDB's file before LMDB maps it. A mapped read beyond the end of a truncated file ends the process with SIGBUS,
 * as may a damaged page (test/event-log/lmdb/damage.test.ts). The format is that of the LMDB in lmdb 3.5
 * (dependencies/lmdb/…/mdb.c: MDB_meta, MDB_page_header, MDB_node, MDB_db, MDB_ovpage), little-endian on every supported
 * machine.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { TidemarkError } from '../../runtime/errors.ts';
import { damaged } from '../embedded/errors.ts';
import { checkPages, PAGE_HEADER_BYTES, rootIn } from './pages.ts';

const META_BYTES = PAGE_HEADER_BYTES + 144;
const MAGIC = 0xbeefc0de;
const VERSION = 2;

/** A state of the file, as one of LMDB's two meta pages describes it. */
interface Meta {
  readonly pageBytes: number;
  readonly lastPage: number;
  readonly transaction: bigint;
  /** Root pages of the tree of free pages and of the main tree; undefined where it is empty. */
  readonly roots: readonly (number | undefined)[];
}

/** Checking every page of a file of this size takes some milliseconds. */
const SMALL_FILE_BYTES = 16 * 2 ** 20;
const ATTEMPTS = 5;

/**
 * @param options.everyPage Checks every page of a file of any size, which takes seconds for each GB.
 * @throws TidemarkError `LOG_FOREIGN` where it is not an LMDB file, or of another version of LMDB; `LOG_DAMAGED`.
 */
export function checkDataFile(file: string, { everyPage = false } = {}): void {
  const descriptor = openSync(file, 'r');
  try {
    for (let attempt = 1; ; attempt++) {
      const meta = newestMeta(descriptor, file);
      try {
        checkState(descriptor, meta, file, everyPage);
        return;
      } catch (error) {
        // Another process may write meanwhile and reuse pages, so that the state read was not consistent. Where it
        // changes each time, the file evidently works for that process.
        if (newestMeta(descriptor, file).transaction === meta.transaction) throw error;
        if (attempt === ATTEMPTS) return;
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

function checkState(descriptor: number, meta: Meta, file: string, everyPage: boolean): void {
  const bytes = fstatSync(descriptor).size;
  const pages = Math.floor(bytes / meta.pageBytes);
  // A file may lack its last pages without damage, where these are free and were never written.
  if (pages > meta.lastPage && bytes > SMALL_FILE_BYTES && !everyPage) return;
  checkPages({ read: (page) => readAt(descriptor, page * meta.pageBytes, meta.pageBytes), pages, ...meta }, file);
}

/** The newer of the two meta pages. @throws TidemarkError as `checkDataFile`. */
function newestMeta(descriptor: number, file: string): Meta {
  const first = metaIn(readAt(descriptor, 0, META_BYTES));
  const pageBytes = first?.pageBytes ?? 4096;
  const second = metaIn(readAt(descriptor, pageBytes, META_BYTES));
  if (first === undefined && second === undefined) {
    if (fstatSync(descriptor).size === 0) throw damaged(`${file} is empty: its content is lost`);
    throw new TidemarkError('LOG_FOREIGN', `${file} is not a file of an event log`);
  }
  if (first === undefined || second === undefined || first.pageBytes !== second.pageBytes) {
    throw damaged(`the head of ${file} is damaged`);
  }
  return first.transaction > second.transaction ? first : second;
}

function metaIn(bytes: Buffer): Meta | undefined {
  if (bytes.length < META_BYTES || bytes.readUInt32LE(24) !== MAGIC) return undefined;
  const version = bytes.readUInt32LE(28) & 0xffff;
  if (version !== VERSION) {
    throw new TidemarkError('LOG_FOREIGN', `the file has LMDB's format ${version}; this version reads ${VERSION}`);
  }
  const pageBytes = bytes.readUInt32LE(48);
  if (pageBytes < 256 || pageBytes > 65_536 || (pageBytes & (pageBytes - 1)) !== 0) return undefined;
  return {
    pageBytes,
    lastPage: Number(bytes.readBigUInt64LE(144)),
    transaction: bytes.readBigUInt64LE(152),
    roots: [rootIn(bytes, 48), rootIn(bytes, 96)],
  };
}

function readAt(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
}
