import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { drainPending, Session, type StreamChunk } from 'chdb';
import { hasRoom, STORE_RESERVE_BYTES } from '../../../runtime/free-space.ts';
import type { SettingValue } from './preamble.ts';
import { PartGuard } from '../part-guard.ts';

/** Rows for an insert, as the bytes of `JSONCompactEachRow`. */
export interface RawRows {
  readonly table: string;
  readonly columns: readonly string[];
  readonly values: Uint8Array;
  readonly settings: Record<string, SettingValue>;
}

/** A statement under way. Inserts are waited for, questions are ended; of a stream that is at rest, its reader's too. */
interface Running {
  readonly ended: Promise<unknown>;
  readonly isInsert: boolean;
  readonly letGo?: () => void;
}

// How often a statement that is to end is looked for: it may not have begun yet.
const KILL_EVERY_MS = 50;

const INSERT = /^\s*INSERT\b/i;

/**
 * chDB open on a folder. It works around what chdb 3.4 does not promise, all of it tried:
 *
 * - Closing a connection while a statement runs on it, or ending the thread or process, aborts the process or hangs it:
 *   `close` ends every question with KILL QUERY, waits for everything under way, and only then closes.
 * - A failed statement leaves what it had written so far **at the head of the next answer of its connection**; settings
 *   and parameters stay with the connection too. So each statement has a fresh connection (0.2 ms, nothing leaks).
 * - A call aborted by chdb's own signal rejects at once and goes on computing: here it settles when it has ended.
 * - A write that the disk had no space for is taken for done: nothing is inserted into the last 128 MiB of a disk; and see
 *   `PartGuard`.
 */
export class ChdbEngine {
  readonly #folder: string;
  /** chDB shuts down with its last connection: this one stays open. It also sends KILL QUERY. */
  readonly #baseSession: Session;
  readonly #guard: PartGuard;
  readonly #running = new Map<string, Running>();
  #closed: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.#baseSession = new Session(folder);
    this.#guard = new PartGuard({ query: (preamble, sql) => this.#ask(preamble, sql) }, folder);
  }

  /** Answers `sql` in the format that it names, after the SET statements of `preamble`. `signal` ends it early. */
  async query(preamble: string, sql: string, signal?: AbortSignal): Promise<Uint8Array> {
    if (!INSERT.test(sql)) return this.#ask(preamble, sql, signal);
    this.#expectRoom();
    const begunAt = performance.now();
    const answer = await this.#ask(preamble, sql, signal);
    await this.#guard.expectWhole(performance.now() - begunAt);
    return answer;
  }

  async #ask(preamble: string, sql: string, signal?: AbortSignal): Promise<Uint8Array> {
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

  /**
   * Answers in chunks, each computed when it is asked for, and the preamble's settings set before. It begins on this
   * thread: `sql` must not be one that makes sets while it is planned (`use_index_for_in_with_subqueries=0`).
   */
  async stream(preamble: string, sql: string, format: string): Promise<ChdbStream> {
    if (this.#closed !== undefined) throw new Error('chDB is closed');
    const name = randomUUID();
    const session = new Session(this.#folder);
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const end = (): void => {
      this.#running.delete(name);
      session.close();
      resolve();
    };
    const stream = new ChdbStream(end, () => void this.#end(name));
    this.#running.set(name, { ended, isInsert: false, letGo: () => stream.letGo() });
    try {
      if (preamble !== '') await session.queryAsync(preamble);
      stream.begin(session.queryStream(`/* ${name} */ ${sql}`, { format }));
      return stream;
    } catch (error) {
      stream.letGo();
      throw error;
    }
  }

  /** Inserts rows, parsed by chDB's own threads without a copy. Cannot be ended early. */
  async insert({ table, columns, values, settings }: RawRows): Promise<void> {
    this.#expectRoom(values.length);
    const rows = { table, columns: [...columns], values, settings, format: 'JSONCompactEachRow' as const };
    const begunAt = performance.now();
    await this.#run(randomUUID(), true, (session) => session.insert(rows));
    await this.#guard.expectWhole(performance.now() - begunAt);
  }

  /** As chDB's own error: it looks itself only for the bytes of the one part. */
  #expectRoom(bytes = 0): void {
    if (hasRoom(this.#folder, STORE_RESERVE_BYTES + bytes)) return;
    throw new Error('Code: 243. DB::Exception: the reserve is all that is free on the disk (NOT_ENOUGH_SPACE)');
  }

  /** Ends questions, waits for inserts, then closes. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#guard.close();
    const running = [...this.#running];
    await Promise.all(running.map(([name, { ended, isInsert }]) => (isInsert ? settled(ended) : this.#end(name))));
    this.#baseSession.close();
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
      this.#baseSession.query(`KILL QUERY WHERE startsWith(query, '/* ${name} */') ASYNC FORMAT Null`);
      run.letGo?.();
      await Promise.race([settled(run.ended), sleep(KILL_EVERY_MS)]);
    }
  }
}

/** An answer in chunks. Whoever has one reads it to its end or calls `return`. */
export class ChdbStream implements AsyncIterableIterator<Uint8Array> {
  readonly #onEnd: () => void;
  readonly #kill: () => void;
  #chunks: AsyncIterator<StreamChunk> | undefined;
  #fetching = false;
  #ended = false;

  /** @param kill Ends a fetch under way. */
  constructor(onEnd: () => void, kill: () => void) {
    this.#onEnd = onEnd;
    this.#kill = kill;
  }

  begin(chunks: AsyncIterable<StreamChunk>): void {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#ended || this.#chunks === undefined) throw new Error('the stream was ended');
    const result = await this.#fetch(this.#chunks);
    if (result.done !== true) return { done: false, value: result.value.raw() };
    this.letGo();
    return { done: true, value: undefined };
  }

  async #fetch(chunks: AsyncIterator<StreamChunk>): Promise<IteratorResult<StreamChunk>> {
    this.#fetching = true;
    let failed = true;
    try {
      const result = await chunks.next();
      failed = false;
      return result;
    } finally {
      this.#fetching = false;
      if (failed) this.letGo();
    }
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    if (this.#fetching) this.#kill();
    else this.letGo();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Ends it where nothing is being fetched: what is lets go of it then. */
  letGo(): void {
    if (this.#ended || this.#fetching) return;
    this.#ended = true;
    const returned = this.#chunks?.return?.();
    void Promise.resolve(returned)
      .catch(() => undefined)
      .then(this.#onEnd);
  }
}

async function settled(promise: Promise<unknown>): Promise<void> {
  await promise.catch(() => undefined);
}
