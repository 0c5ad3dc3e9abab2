import { readdir, stat, statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** The statements that the guard has chDB run: rows as `JSONEachRow`. */
export interface GuardedEngine {
  query(preamble: string, sql: string): Promise<Uint8Array>;
}

interface Part {
  readonly database: string;
  readonly table: string;
  readonly path: string;
  /** Of the files in its checksums: all but the text files, and count.txt. */
  readonly bytes_on_disk: string;
}

/** With less than this free on the disk, nothing is merged. */
const LOW_BYTES = 256 * 2 ** 20;
const PARTS_POLL_MS = 200;
const RECHECK_MS = 200;

/** ClickHouse tells time in whole seconds. */
const SLACK_SECONDS = 2;

/**
 * Keeps chDB's tables whole on a disk that fills up. chDB 3.4 takes a write that failed (`ENOSPC`, seen by strace) for
 * done: a merge or an insert then makes a part that lacks what was not written, without an error; and a later merge that
 * finds nothing to read in such a part drops its rows for good. It only looks for free space before it begins. So:
 *
 * - after every insert the files of the new parts are measured; where one lacks something the insert fails, as it should;
 * - while little space is left nothing is merged;
 * - a table with such a part is loaded anew: chDB then puts the part aside (`detached/broken-on-start_…`) and takes back
 *   those it was merged from, which it keeps for eight minutes.
 */
export class PartGuard {
  readonly #engine: GuardedEngine;
  readonly #folder: string;
  readonly #timer: NodeJS.Timeout;
  #isStopped = false;
  #looking: Promise<void> | undefined;
  #closed = false;

  constructor(engine: GuardedEngine, folder: string) {
    this.#engine = engine;
    this.#folder = folder;
    this.#timer = setInterval(() => this.#look(), PARTS_POLL_MS).unref();
  }

  /** @throws Error where a part that came within this time is not whole; it is gone again by then. */
  async expectWhole(lastMs: number): Promise<void> {
    const broken = await this.#broken(lastMs);
    if (broken.length === 0) return;
    await this.#stopMerges();
    await this.#mend(broken);
    throw new Error(`Code: 243. DB::Exception: ${broken.length} parts were not written whole (NOT_ENOUGH_SPACE)`);
  }

  /** Waits for what is under way. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#looking;
  }

  #look(): void {
    this.#looking ??= this.#followSpace()
      // What did not work is tried again at the next look.
      .catch(() => undefined)
      .finally(() => (this.#looking = undefined));
  }

  async #followSpace(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#folder);
    const free = bavail * bsize;
    if (free < LOW_BYTES && !this.#isStopped) {
      await this.#stopMerges();
      await this.#mend(await this.#broken());
    } else if (free >= 2 * LOW_BYTES && this.#isStopped) {
      await this.#mend(await this.#broken());
      await this.#run('SYSTEM START MERGES');
      this.#isStopped = false;
    }
  }

  /** Those under way are given up. */
  async #stopMerges(): Promise<void> {
    await this.#run('SYSTEM STOP MERGES');
    this.#isStopped = true;
    while (!this.#closed && (await this.#rows('SELECT 1 FROM system.merges')).length > 0) await sleep(RECHECK_MS);
  }

  async #broken(lastMs?: number): Promise<readonly Part[]> {
    // By the clock that dates the parts: another may jump.
    const since = lastMs === undefined ? 0 : `now() - ${Math.ceil(lastMs / 1000) + SLACK_SECONDS}`;
    const parts = await this.#rows<Part>(
      `SELECT database, table, path, bytes_on_disk FROM system.parts
       WHERE active AND database != 'system' AND modification_time >= ${since}`,
    );
    const areWhole = await Promise.all(parts.map((part) => isWhole(part)));
    return parts.filter((_, index) => !areWhole[index]);
  }

  /** Loads the tables of these parts anew. Until it has one again, its readers are told that there is none. */
  async #mend(broken: readonly Part[]): Promise<void> {
    const tables = new Set(broken.map(({ database, table }) => `\`${database}\`.\`${table}\``));
    for (const table of tables) {
      await this.#run(`DETACH TABLE IF EXISTS ${table} SETTINGS check_table_dependencies = 0`);
      await this.#attach(table);
      if (this.#isStopped) await this.#run(`SYSTEM STOP MERGES ${table}`);
    }
  }

  /** It fails while a question still has the old one. */
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

/** A part that has gone meanwhile, merged into another, is no concern. */
async function isWhole({ path, bytes_on_disk: expected }: Part): Promise<boolean> {
  try {
    const names = await readdir(path);
    const sizes = await Promise.all(names.map(async (name) => (await stat(`${path}/${name}`)).size));
    const isCounted = (name: string): boolean => !name.endsWith('.txt') || name === 'count.txt';
    const counted = sizes.reduce((sum, size, index) => sum + (isCounted(names[index] ?? '') ? size : 0), 0);
    const isTextThere = names.every((name, index) => !name.endsWith('.txt') || sizes[index] !== 0);
    return counted >= Number(expected) && isTextThere;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return true;
    throw error;
  }
}
