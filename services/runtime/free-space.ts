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

/**
 * Says how much the file system of `folder` has free and how much is needed; undefined where it has `bytes` free, or the system
 * does not report it.
 */
export function lackOfRoom(folder: string, bytes: number): string | undefined {
  try {
    const { blocks, bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    if (blocks === 0 || free >= bytes) return undefined;
    const [has, needs] = [Math.floor(free / MEBIBYTE), Math.ceil(bytes / MEBIBYTE)];
    return `the disk of ${folder} has ${has} MiB of free space, and ${needs} MiB are needed`;
  } catch {
    // What is wrong with the folder shows when it is written.
    return undefined;
  }
}

/** @throws TidemarkError with this code, retryable, where less than the reserve plus `bytes` is free. */
export function expectRoom(folder: string, code: 'LOG_UNAVAILABLE' | 'STORE_UNAVAILABLE', bytes = 0): void {
  const reserve = code === 'LOG_UNAVAILABLE' ? LOG_RESERVE_BYTES : STORE_RESERVE_BYTES;
  const lack = lackOfRoom(folder, reserve + bytes);
  if (lack !== undefined) throw new TidemarkError(code, lack);
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
