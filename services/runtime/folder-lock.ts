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
  /** How long, holding up the thread, it waits where another opener is in the way. */
  readonly contentionMs?: number;
}

/**
 * Makes a folder this opener's own, creating it where it is absent; a new or empty one is closed to other users. Excludes every other opener: other
 * processes, other threads of this process, and a second call by the same one. The operating system frees it when the
 * process dies, however it dies.
 *
 * @throws TidemarkError `FOLDER_IN_USE`, naming the folder and, where it can be told, who holds it; `CONFIG_INVALID`
 *   where the folder cannot be made or written.
 */
export function lockFolder(folder: string, { contentionMs = CONTENTION_MS }: LockOptions = {}): FolderLock {
  const path = resolve(folder);
  const database = open(path, contentionMs);
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
// nothing else in this process may open FOLDER/.lock; so who holds it is noted in a file of its own.
const LOCK_FILE = '.lock';
const HOLDER_FILE = '.lock-holder';

// Two who ask at the same instant may each find the other in the way for a moment; without a wait both would give up.
const CONTENTION_MS = 200;

const SQLITE_BUSY = 5;

/** A DatabaseSync that nothing refers to is collected, closed, and its lock gone. */
const held = new Set<DatabaseSync>();

class AcquiredLock implements FolderLock {
  readonly #path: string;
  readonly #database: DatabaseSync;

  constructor(path: string, database: DatabaseSync) {
    this.#path = path;
    this.#database = database;
    held.add(database);
    noteHolder(path);
  }

  release(): void {
    if (!held.delete(this.#database)) return;
    // The lock file itself stays: were it removed, the next two openers could lock two different files.
    try {
      rmSync(join(this.#path, HOLDER_FILE), { force: true });
    } finally {
      this.#database.close();
    }
  }
}

function open(path: string, contentionMs: number): DatabaseSync {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    closeIfEmpty(path);
    return new DatabaseSync(join(path, LOCK_FILE), { timeout: contentionMs });
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Only for the message to whoever comes second: a full disk here is no reason to refuse the lock. */
function noteHolder(path: string): void {
  try {
    writeFileSync(join(path, HOLDER_FILE), `${process.pid} ${hostname()}\n`, { mode: 0o600 });
  } catch {
    // Told as "another process".
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
  // Left by one that was killed, while the present holder has not written its own yet or could not.
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
