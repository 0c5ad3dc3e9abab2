/**
 * What Tidemark leaves free on every disk that it writes to. A store that meets the end of a disk does worse than refuse:
 * LMDB overruns a buffer (lmdb-failed-write.ts), Postgres panics, chDB takes for written what is not. So each looks first. The
 * look takes 2 µs. The reserve covers what others may take between the look and the write: a `dd` takes 64 MiB in 30 ms.
 */
import { closeSync, fdatasyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { TidemarkError } from './errors.ts';

const MEBIBYTE = 2 ** 20;

/** The event log's, and the spool's. */
export const LOG_RESERVE_BYTES = 64 * MEBIBYTE;
/** More for profiles and analytics: they can be read again from the log, which goes on while they wait. */
export const STORE_RESERVE_BYTES = 128 * MEBIBYTE;

/** Whether so many bytes may be written in the file system of `folder`. True where the system does not tell. */
export function hasRoom(folder: string, bytes: number): boolean {
  try {
    const { blocks, bavail, bsize } = statfsSync(folder);
    return blocks === 0 || bavail * bsize >= bytes;
  } catch {
    // Whatever is wrong with it shows when it is written.
    return true;
  }
}

/** @throws TidemarkError with this code, retryable, where there is less than the reserve and so much besides. */
export function expectRoom(folder: string, code: 'LOG_UNAVAILABLE' | 'STORE_UNAVAILABLE', bytes = 0): void {
  const reserve = code === 'LOG_UNAVAILABLE' ? LOG_RESERVE_BYTES : STORE_RESERVE_BYTES;
  if (hasRoom(folder, reserve + bytes)) return;
  const least = Math.ceil((reserve + bytes) / MEBIBYTE);
  throw new TidemarkError(code, `the disk of ${folder} is full: less than ${least} MiB are free`);
}

/** Writes so many zeros into a new file, flushes and removes it. @throws Error what the file system says: no room, a quota. */
export function tryWriting(file: string, bytes: number): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    for (let left = bytes; left > 0;) left -= writeSync(descriptor, Buffer.alloc(Math.min(left, MEBIBYTE)));
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
    rmSync(file, { force: true });
  }
}
