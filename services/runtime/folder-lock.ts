import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TidemarkError } from './errors.ts';
import { closeIfEmpty } from './private-folder.ts';

export interface FolderLock {
  /** Idempotent. */
  release(): void;
}

export interface LockOptions {
  /** How long it waits, blocking the thread, where another opener is in the way. */
  readonly contentionMs?: number;
}

/**
 * Locks a folder, creating it where it is absent; a new or empty one is closed to other users. Excludes every other
 * opener: other processes, other threads of this process, and a second call by the same thread. The operating system
 * releases the lock when the process ends, however it ends.
 *
 * @throws TidemarkError `FOLDER_IN_USE`, naming the folder and, where known, the process that has locked it;
 *   `CONFIG_INVALID` where the folder cannot be created or written.
 */
export function lockFolder(folder: string, { contentionMs = CONTENTION_MS }: LockOptions = {}): FolderLock {
  const path = resolve(folder);
  const database = openLockFile(path, contentionMs);
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw isBusy(error) ? inUse(path, error) : unusable(path, error);
  }
  return new AcquiredLock(path, database);
}

// SQLite's lock is the operating system's (fcntl), kept by SQLite itself from the two traps of fcntl: that threads of
// one process do not exclude each other, and that closing any descriptor of the file frees it. For the second to hold,
// nothing else in this process may openLockFile FOLDER/.lock; so the process id is written to a separate file.
const LOCK_FILE = '.lock';
const HOLDER_FILE = '.lock-holder';

// Two openers at the same instant may each find the other in the way for a moment; without a wait both would fail.
const CONTENTION_MS = 200;

const SQLITE_BUSY = 5;

/** Kept, because a DatabaseSync that is garbage-collected is closed and its lock released. */
const lockedDatabases = new Set<DatabaseSync>();

class AcquiredLock implements FolderLock {
  readonly #path: string;
  readonly #database: DatabaseSync;

  constructor(path: string, database: DatabaseSync) {
    this.#path = path;
    this.#database = database;
    lockedDatabases.add(database);
    noteHolder(path);
  }

  release(): void {
    if (!lockedDatabases.delete(this.#database)) return;
    // The lock file itself stays: were it removed, the next two openers could lock two different files.
    try {
      rmSync(join(this.#path, HOLDER_FILE), { force: true });
    } finally {
      this.#database.close();
    }
  }
}

function openLockFile(path: string, contentionMs: number): DatabaseSync {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    closeIfEmpty(path);
    return new DatabaseSync(join(path, LOCK_FILE), { timeout: contentionMs });
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Only for the error of the next opener: a full disk here is no reason to refuse the lock. */
function noteHolder(path: string): void {
  try {
    writeFileSync(join(path, HOLDER_FILE), `${process.pid} ${hostname()}\n`, { mode: 0o600 });
  } catch {
    // The error then says "another process".
  }
}

function inUse(path: string, cause: unknown): TidemarkError {
  const message = `The folder ${path} is in use by ${holder(path)}. Stop it first, or choose another folder.`;
  return new TidemarkError('FOLDER_IN_USE', message, { cause });
}

function unusable(path: string, cause: unknown): TidemarkError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new TidemarkError('CONFIG_INVALID', `The folder ${path} cannot be used: ${reason}`, { cause });
}

function holder(path: string): string {
  const [pid, host] = readHolder(path);
  if (pid === undefined || host === undefined) return 'another process';
  if (host !== hostname()) return `process ${pid} on ${host}`;
  if (Number(pid) === process.pid) return `this process itself (pid ${pid})`;
  // The file may be that of a killed process, where the present one has not written its own yet or could not.
  return isAlive(Number(pid)) ? `process ${pid}` : 'another process';
}

function readHolder(path: string): string[] {
  try {
    return readFileSync(join(path, HOLDER_FILE), 'utf8').trim().split(' ');
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
