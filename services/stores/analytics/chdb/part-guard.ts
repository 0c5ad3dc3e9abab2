import { readdir, stat, statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { lackOfRoom } from '../../../runtime/free-space.ts';

/** The engine whose tables are guarded. */
export interface GuardedEngine {
  query(preamble: string, sql: string): Promise<Uint8Array>;
}

interface Part {
  readonly database: string;
  readonly table: string;
  readonly path: string;
  /** The size of the files in its checksums: all files but the text files, and count.txt. */
  readonly bytes_on_disk: string;
}

/** One for all inserts that ended before it begins. */
interface Check {
  /** When the first of those inserts began, by `performance.now()`. */
  sinceMs: number;
  readonly done: Promise<void>;
}

/** While less than this is free on the disk, merges are stopped. */
const LOW_BYTES = 256 * 2 ** 20;
/** They go on where this is free. */
const ENOUGH_BYTES = 2 * LOW_BYTES;
const PARTS_POLL_MS = 200;
const RECHECK_MS = 200;

/** ClickHouse dates parts in whole seconds. */
const SLACK_SECONDS = 2;

/** In the form of chDB's own errors. */
export function noSpace(reason: string): Error {
  return new Error(`Code: 243. DB::Exception: ${reason} (NOT_ENOUGH_SPACE)`);
}

/**
 * Keeps chDB's tables complete on a disk that fills up. chDB 3.4 treats a failed write (`ENOSPC`, seen by strace) as
 * successful. A merge or an insert then creates an incomplete part without an error, and a later merge that finds
 * nothing to read in such a part deletes its rows permanently. chDB checks for free space only before it begins. So:
 *
 * - After every insert, the files of the new parts are measured, of several inserts together. If a part is incomplete, they
 *   fail. No part changes once it is there, so a part that was whole is not measured again.
 * - While little space is left, merges are stopped, and with them the deletion of rows.
 * - A table with an incomplete part is detached and attached again. chDB then moves that part to
 *   `detached/broken-on-start_…` and restores the parts that it was merged from, which chDB keeps for eight minutes.
 */
export class PartGuard {
  readonly #engine: GuardedEngine;
  readonly #folder: string;
  readonly #timer: NodeJS.Timeout;
  /** The paths of the parts of the last check that were whole. */
  #whole: ReadonlySet<string> = new Set();
  /** The check that has not begun yet. */
  #next: Check | undefined;
  #checking: Promise<unknown> = Promise.resolve();
  #isStopped = false;
  #looking: Promise<void> | undefined;
  #closed = false;

  constructor(engine: GuardedEngine, folder: string) {
    this.#engine = engine;
    this.#folder = folder;
    this.#timer = setInterval(() => this.#look(), PARTS_POLL_MS).unref();
  }

  /**
   * Inserts that end during a check share the one after it: each check reads the parts of every table, which takes as long as
   * a small insert.
   *
   * @param sinceMs When the insert began, by `performance.now()`.
   * @throws Error if a part created since then is incomplete. The part has been removed by then.
   */
  expectWhole(sinceMs: number): Promise<void> {
    if (this.#next === undefined) {
      const done = this.#checking.then(() => this.#begin());
      this.#checking = done.catch(() => undefined);
      this.#next = { sinceMs, done };
    }
    this.#next.sinceMs = Math.min(this.#next.sinceMs, sinceMs);
    return this.#next.done;
  }

  #begin(): Promise<void> {
    const { sinceMs = 0 } = this.#next ?? {};
    this.#next = undefined;
    return this.#check(performance.now() - sinceMs);
  }

  /** As `expectWhole`, of all parts that there are. */
  expectAllWhole(): Promise<void> {
    return this.#check();
  }

  async #check(lastMs?: number): Promise<void> {
    const broken = await this.#broken(lastMs);
    if (broken.length === 0) return;
    await this.#stopMerges();
    await this.#mend(broken);
    throw noSpace(`${broken.length} parts were not written whole`);
  }

  /** The space that is missing while merges are stopped, and with them deletions; undefined while they go on. */
  get lack(): string | undefined {
    return this.#isStopped ? lackOfRoom(this.#folder, ENOUGH_BYTES) : undefined;
  }

  /** Stops checking, and waits for a check in progress. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#looking;
  }

  #look(): void {
    this.#looking ??= this.#followSpace()
      // The next check retries what failed.
      .catch(() => undefined)
      .finally(() => (this.#looking = undefined));
  }

  async #followSpace(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#folder);
    const free = bavail * bsize;
    if (free < LOW_BYTES && !this.#isStopped) {
      await this.#stopMerges();
      await this.#mend(await this.#broken());
    } else if (free >= ENOUGH_BYTES && this.#isStopped) {
      await this.#mend(await this.#broken());
      await this.#run('SYSTEM START MERGES');
      this.#isStopped = false;
    }
  }

  /** Stops merges and waits until those in progress have been canceled. */
  async #stopMerges(): Promise<void> {
    await this.#run('SYSTEM STOP MERGES');
    this.#isStopped = true;
    while (!this.#closed && (await this.#rows('SELECT 1 FROM system.merges')).length > 0) await sleep(RECHECK_MS);
  }

  async #broken(lastMs?: number): Promise<readonly Part[]> {
    // Uses the clock that dates the parts: the clock of this process may differ.
    const since = lastMs === undefined ? 0 : `now() - ${Math.ceil(lastMs / 1000) + SLACK_SECONDS}`;
    const parts = await this.#rows<Part>(
      `SELECT database, table, path, bytes_on_disk FROM system.parts
       WHERE active AND database != 'system' AND modification_time >= ${since}`,
    );
    const known = lastMs === undefined ? new Set<string>() : this.#whole;
    const areWhole = await Promise.all(parts.map(async (part) => known.has(part.path) || (await isWhole(part))));
    this.#whole = new Set(parts.filter((_, index) => areWhole[index]).map(({ path }) => path));
    return parts.filter((_, index) => !areWhole[index]);
  }

  /**
   * Detaches and attaches the tables of these parts. Until a table is attached again, queries fail as if it did not
   * exist.
   */
  async #mend(broken: readonly Part[]): Promise<void> {
    const tables = new Set(broken.map(({ database, table }) => `\`${database}\`.\`${table}\``));
    // A table that is loaded anew may give a name again.
    this.#whole = new Set();
    for (const table of tables) {
      await this.#run(`DETACH TABLE IF EXISTS ${table} SETTINGS check_table_dependencies = 0`);
      await this.#attach(table);
      if (this.#isStopped) await this.#run(`SYSTEM STOP MERGES ${table}`);
    }
  }

  /** Retries until it succeeds: attaching fails while a query still uses the detached table. */
  async #attach(table: string): Promise<void> {
    for (;;) {
      try {
        await this.#run(`ATTACH TABLE IF NOT EXISTS ${table}`);
        return;
      } catch (error) {
        if (this.#closed) throw error;
        await sleep(RECHECK_MS);
      }
    }
  }

  async #run(sql: string): Promise<void> {
    await this.#engine.query('', sql);
  }

  async #rows<T>(sql: string): Promise<readonly T[]> {
    const bytes = await this.#engine.query('', `${sql} FORMAT JSONEachRow`);
    const lines = Buffer.from(bytes).toString().split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
  }
}

/** A part that was removed meanwhile, because it was merged into another, counts as complete. */
async function isWhole({ path, bytes_on_disk: expected }: Part): Promise<boolean> {
  try {
    const { counted, hasEmptyText } = await measured(path);
    return counted >= Number(expected) && !hasEmptyText;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return true;
    throw error;
  }
}

interface Measured {
  /** The bytes of the files that ClickHouse counts. */
  readonly counted: number;
  readonly hasEmptyText: boolean;
}

/** Measures the files of a part and of its projections, each of which is a folder in the part. */
async function measured(folder: string): Promise<Measured> {
  const names = await readdir(folder);
  const entries = await Promise.all(
    names.map(async (name): Promise<Measured> => {
      const file = `${folder}/${name}`;
      const entry = await stat(file);
      if (entry.isDirectory()) return measured(file);
      const isText = name.endsWith('.txt');
      const isCounted = !isText || name === 'count.txt';
      return { counted: isCounted ? entry.size : 0, hasEmptyText: isText && entry.size === 0 };
    }),
  );
  return {
    counted: entries.reduce((sum, { counted }) => sum + counted, 0),
    hasEmptyText: entries.some(({ hasEmptyText }) => hasEmptyText),
  };
}
