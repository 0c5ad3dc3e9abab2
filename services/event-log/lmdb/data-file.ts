/**
 * The file of an LMDB database, read without LMDB. Its format is that of the LMDB in lmdb 3.5, which Tidemark 0.1 and 0.2
 * had (mdb.c: MDB_meta, MDB_page_header, MDB_ovpage), little-endian on every supported machine. The file is divided into
 * pages. The first two are meta pages, and the one of the newer transaction names the root of the tree that is valid.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { TidemarkError } from '../../runtime/errors.ts';
import { damaged } from '../embedded/errors.ts';

export const PAGE_HEADER_BYTES = 24;
const META_BYTES = PAGE_HEADER_BYTES + 144;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
const OVERFLOW = 4;

/** A state of the file, as one of its two meta pages describes it. */
interface Meta {
  readonly pageBytes: number;
  readonly lastPage: number;
  readonly transaction: bigint;
  /** The root page of the main tree; undefined where it is empty. */
  readonly root: number | undefined;
}

/** The root page in an MDB_db at `at`; undefined where its tree is empty. */
export function rootIn(bytes: Buffer, at: number): number | undefined {
  const root = bytes.readBigUInt64LE(at + 40);
  return root === 0xffff_ffff_ffff_ffffn ? undefined : Number(root);
}

/** Pages of the newest state of a file. Each must lie in the file and be what it is used as. */
export class DataFile {
  readonly #path: string;
  readonly #descriptor: number;
  readonly #meta: Meta;
  /** How many whole pages the file has. */
  readonly #pages: number;

  private constructor(path: string, descriptor: number) {
    this.#path = path;
    this.#descriptor = descriptor;
    this.#meta = newestMeta(descriptor, path);
    this.#pages = Math.floor(fstatSync(descriptor).size / this.#meta.pageBytes);
  }

  /** @throws TidemarkError `LOG_FOREIGN` where it is no file of LMDB, or of another version of it; `LOG_DAMAGED`. */
  static open(path: string): DataFile {
    const descriptor = openSync(path, 'r');
    try {
      return new DataFile(path, descriptor);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  get root(): number | undefined {
    return this.#meta.root;
  }

  /** Whether a transaction was committed since it was opened: pages that were read may have been of both states. */
  hasChanged(): boolean {
    return newestMeta(this.#descriptor, this.#path).transaction !== this.#meta.transaction;
  }

  /** @throws TidemarkError `LOG_DAMAGED`. */
  page(number: number): Buffer {
    this.#expectInside(number);
    return this.#read(number, this.#meta.pageBytes);
  }

  /** A value that has pages of its own, from `first` on. @throws TidemarkError `LOG_DAMAGED`. */
  valueAt(first: number, bytes: number): Buffer {
    const { pageBytes } = this.#meta;
    this.#expectInside(first + Math.ceil((PAGE_HEADER_BYTES + bytes) / pageBytes) - 1);
    const pages = this.#read(first, PAGE_HEADER_BYTES + bytes);
    if (pages.readUInt16LE(18) !== OVERFLOW || pages.readUInt32LE(20) * pageBytes < pages.length) {
      throw this.damage(first, 'is too small for its value');
    }
    return pages.subarray(PAGE_HEADER_BYTES);
  }

  damage(page: number, what: string): TidemarkError {
    return damaged(`page ${page} of ${this.#path} ${what}`);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #read(number: number, length: number): Buffer {
    const bytes = readAt(this.#descriptor, number * this.#meta.pageBytes, length);
    if (bytes.length < length || bytes.readBigUInt64LE(0) !== BigInt(number)) {
      throw this.damage(number, 'is another page');
    }
    return bytes;
  }

  #expectInside(page: number): void {
    if (page > this.#meta.lastPage) throw this.damage(page, 'was never made');
    if (page >= this.#pages) throw this.damage(page, 'is missing: the file was cut short');
  }
}

/** The newer of the two meta pages. @throws TidemarkError as `DataFile.open`. */
function newestMeta(descriptor: number, path: string): Meta {
  const first = metaIn(readAt(descriptor, 0, META_BYTES));
  const second = metaIn(readAt(descriptor, first?.pageBytes ?? 4096, META_BYTES));
  if (first === undefined && second === undefined) {
    if (fstatSync(descriptor).size === 0) throw damaged(`${path} is empty: its content is lost`);
    throw new TidemarkError('LOG_FOREIGN', `${path} is not a file of an event log`);
  }
  if (first === undefined || second === undefined || first.pageBytes !== second.pageBytes) {
    throw damaged(`the head of ${path} is damaged`);
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
    root: rootIn(bytes, 96),
  };
}

/** Fewer bytes where the file ends before. */
function readAt(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
}
