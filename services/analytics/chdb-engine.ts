import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { drainPending, Session } from 'chdb';
import type { SettingValue } from './chdb-preamble.ts';

/** Rows for an insert, as the bytes of `JSONEachRow`. */
export interface RawRows {
  readonly table: string;
  readonly values: Uint8Array;
  readonly settings: Record<string, SettingValue>;
}

/** A statement under way. Inserts are waited for, questions are ended. */
interface Running {
  readonly ended: Promise<unknown>;
  readonly isInsert: boolean;
}

// How often a statement that is to end is looked for: it may not have begun yet.
const KILL_EVERY_MS = 50;

/**
 * chDB open on a folder. It works around what chdb 3.4 does not promise, all of it tried:
 *
 * - Closing a connection while a statement runs on it, or ending the thread or process, aborts the process or hangs it:
 *   `close` ends every question with KILL QUERY, waits for everything under way, and only then closes.
 * - A failed statement leaves what it had written so far **at the head of the next answer of its connection**; settings
 *   and parameters stay with the connection too. So each statement has a fresh connection (0.2 ms, nothing leaks).
 * - A call aborted by chdb's own signal rejects at once and goes on computing: here it settles when it has ended.
 */
export class ChdbEngine {
  readonly #folder: string;
  /** chDB shuts down with its last connection: this one stays open. It also sends KILL QUERY. */
  readonly #keeper: Session;
  readonly #running = new Map<string, Running>();
  #closed: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.#keeper = new Session(folder);
  }

  /** Answers `sql` in the format that it names, after the SET statements of `preamble`. `signal` ends it early. */
  async query(preamble: string, sql: string, signal?: AbortSignal): Promise<Uint8Array> {
    const name = randomUUID();
    const text = `${preamble}/* ${name} */ ${sql}`;
    const end = () => void this.#end(name);
    signal?.addEventListener('abort', end);
    try {
      return await this.#run(name, false, async (session) => (await session.queryAsync(text)).bytes());
    } finally {
      signal?.removeEventListener('abort', end);
    }
  }

  /** Inserts rows, parsed by chDB's own threads without a copy. Cannot be ended early. */
  async insert({ table, values, settings }: RawRows): Promise<void> {
    const rows = { table, values, settings, format: 'JSONEachRow' } as const;
    await this.#run(randomUUID(), true, (session) => session.insert(rows));
  }

  /** Ends questions, waits for inserts, then closes. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const running = [...this.#running];
    await Promise.all(running.map(([name, { ended, isInsert }]) => (isInsert ? settled(ended) : this.#end(name))));
    this.#keeper.close();
    // Connections that were closed while another statement ran are only now let go by chdb.
    await drainPending();
  }

  async #run<T>(name: string, isInsert: boolean, statement: (session: Session) => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) throw new Error('chDB is closed');
    const session = new Session(this.#folder);
    const ended = statement(session);
    this.#running.set(name, { ended, isInsert });
    try {
      return await ended;
    } finally {
      this.#running.delete(name);
      session.close();
    }
  }

  async #end(name: string): Promise<void> {
    for (let run = this.#running.get(name); run !== undefined; run = this.#running.get(name)) {
      // On this thread (3 ms): were every thread of libuv's pool busy with a question, none could ever be ended.
      this.#keeper.query(`KILL QUERY WHERE startsWith(query, '/* ${name} */') ASYNC FORMAT Null`);
      await Promise.race([settled(run.ended), sleep(KILL_EVERY_MS)]);
    }
  }
}

async function settled(promise: Promise<unknown>): Promise<void> {
  await promise.catch(() => undefined);
}
