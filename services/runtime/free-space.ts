/**
 * What Tidemark leaves free on every disk that it writes to. A store may do worse than refuse a write when the disk is full:
 * Postgres panics, and chDB reports rows as written that are not. So each store checks first, which takes 2 µs; the log too,
 * which would only refuse, as it may share their disk. The reserve covers what others may write between the check and the write: a `dd` takes 64 MiB in 30 ms.
 */
import { closeSync, fdatasyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { TidemarkError } from './errors.ts';

const MEBIBYTE = 2 ** 20;

/** For the event log and the spool. */
export const LOG_RESERVE_BYTES = 64 * MEBIBYTE;
/** More for profiles and analytics: the log continues while they wait, and they are filled from it later. */
export const STORE_RESERVE_BYTES = 128 * MEBIBYTE;

/** Whether the file system of `folder` has `bytes` free. True where the system does not report it. */
export function hasRoom(folder: string, bytes: number): boolean {
  try {
    const { blocks, bavail, bsize } = statfsSync(folder);
    return blocks === 0 || bavail * bsize >= bytes;
  } catch {
    // What is wrong with the folder shows when it is written.
    return true;
  }
}

/** @throws TidemarkError with this code, retryable, where less than the reserve plus `bytes` is free. */
export function expectRoom(folder: string, code: 'LOG_UNAVAILABLE' | 'STORE_UNAVAILABLE', bytes = 0): void {
  const reserve = code === 'LOG_UNAVAILABLE' ? LOG_RESERVE_BYTES : STORE_RESERVE_BYTES;
  if (hasRoom(folder, reserve + bytes)) return;
  const least = Math.ceil((reserve + bytes) / MEBIBYTE);
  throw new TidemarkError(code, `the disk of ${folder} is full: less than ${least} MiB are free`);
}

/** Writes `bytes` zeros into a new file, flushes and removes it. @throws Error of the file system: no space, a quota. */
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
