import { type ErrorCode, TidemarkError } from '../../runtime/errors.ts';
import { failureOf } from '../embedded/errors.ts';

// LMDB detects some damage itself (lmdb.h).
const CODES: ReadonlyMap<number, ErrorCode> = new Map([
  [-30_797, 'LOG_DAMAGED'], // MDB_PAGE_NOTFOUND
  [-30_796, 'LOG_DAMAGED'], // MDB_CORRUPTED
  [-30_793, 'LOG_DAMAGED'], // MDB_INVALID
  [-30_794, 'LOG_FOREIGN'], // MDB_VERSION_MISMATCH
]);

/** An error of LMDB or of the file system as a TidemarkError. All but damage is retryable: a full disk shows as EIO. */
export function lmdbFailure(error: unknown, doing: string): TidemarkError {
  const failure = failureOf(error, doing);
  const code = error instanceof Error && 'code' in error ? CODES.get(Number(error.code)) : undefined;
  return code === undefined ? failure : new TidemarkError(code, failure.message, { cause: error });
}

/**
 * What a failed write of LMDB leaves behind. lmdb 3.5.6 (dependencies/lmdb/…/mdb.c, mdb_page_flush) describes a refused
 * write in a buffer of 100 bytes with sprintf: "Attempting to write page at position …, buffer sizes …". Two of the numbers
 * are uninitialized. If they are large, the text is longer than the buffer and overwrites the heap (seen: glibc's
 * `malloc(): invalid next size` after some dozens). A write that was cut short leaves no such text.
 */

/** Length of the buffer without its terminating zero. */
const NOTE_BYTES = 99;
const NOTE = /Attempting to write page.*/s;

/** Whether LMDB itself failed in a write transaction, in contrast to an error thrown by `work`. */
export function isFailedWrite(error: unknown): error is Error & { readonly code: number } {
  return (
    error instanceof Error && !(error instanceof TidemarkError) && 'code' in error && typeof error.code === 'number'
  );
}

/** Whether memory was damaged, so that the process must end. Pure. */
export function hasOverrun({ message }: Error): boolean {
  return (NOTE.exec(message)?.[0].length ?? 0) > NOTE_BYTES;
}
