/**
 * What a failed write of LMDB leaves behind. lmdb 3.5.6 (dependencies/lmdb/…/mdb.c, mdb_page_flush) notes a refused write in
 * a buffer of 100 bytes with sprintf: "Attempting to write page at position …, buffer sizes …". Two of its numbers are
 * whatever the stack held, and with large ones the text is longer than the buffer: the heap is damaged (seen: glibc's
 * `malloc(): invalid next size` after some dozens). A write that was cut short leaves no such note.
 */
import { TidemarkError } from '../../runtime/errors.ts';

/** Of the buffer, without the zero at its end. */
const NOTE_BYTES = 99;
const NOTE = /Attempting to write page.*/s;

/** Whether LMDB itself failed in a transaction that writes: what `work` throws by itself is none of these. */
export function isFailedWrite(error: unknown): error is Error & { readonly code: number } {
  return (
    error instanceof Error && !(error instanceof TidemarkError) && 'code' in error && typeof error.code === 'number'
  );
}

/** Whether memory was damaged: nothing may run on it. Pure. */
export function hasOverrun({ message }: Error): boolean {
  return (NOTE.exec(message)?.[0].length ?? 0) > NOTE_BYTES;
}
