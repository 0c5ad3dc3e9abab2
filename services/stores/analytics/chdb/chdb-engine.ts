import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { drainPending, Session, type StreamChunk } from 'chdb';
import { lackOfRoom, STORE_RESERVE_BYTES } from '../../../runtime/free-space.ts';
import { noSpace, PartGuard } from './part-guard.ts';
import { sqlString } from '../clickhouse/deployment.ts';
import { dropOldParts } from './old-parts.ts';
import { brokenDefinitions, removeBrokenDefinitions, removeBrokenMutations } from './definition-files.ts';
import { RowFile } from './row-file.ts';

/** An insert of rows that are in a file: `INSERT INTO table (columns)`, and the name of the file's format. */
export interface FileInsert {
  readonly into: string;
  readonly format: string;
  readonly file: RowFile;
}

/**
 * A statement in progress. Closing waits for inserts and ends queries, including a stream whose reader does not read at
 * the moment.
 */
interface Running {
  readonly ended: Promise<unknown>;
  readonly isInsert: boolean;
  /** Releases the connection of a stream if no chunk is being fetched. */
  readonly release?: () => void;
}

// KILL QUERY is repeated: the statement may not have begun when the first one is sent.
const KILL_EVERY_MS = 50;

const CONFIG_FILE = fileURLToPath(new URL('config.xml', import.meta.url));

const INSERT = /^\s*INSERT\b/i;
const DEFINITION = /^(?:\s|--.*\n)*(CREATE|ALTER|RENAME)\b/i;

/**
 * chDB open on a folder. It works around these properties of chdb 3.4, each of which was observed:
 *
 * - If a connection is closed while a statement runs on it, or the thread or process ends, the process aborts or hangs.
 *   So `close` ends every query with KILL QUERY, waits for all statements, and only then closes the connection.
 * - The partial output of a failed statement appears **at the head of the next answer of its connection**. Settings and
 *   parameters stay with the connection too. So each statement has a new connection (0.2 ms, nothing leaks).
 * - A call aborted by chdb's own signal rejects at once but continues to compute. Here it rejects when it has ended.
 * - An insert of values, or `FROM INFILE`, **also inserts what stands on the process's standard input**, and of two at once
 *   one may wait for more of it forever (https://github.com/chdb-io/chdb-core/issues/239). One of a SELECT reads none, so
 *   every insert here is one.
 * - Without `--config-file` it reads `config.xml` of the working directory, whoever wrote that.
 * - A write that failed for lack of disk space counts as successful. So the last 128 MiB of a disk accept no insert (see
 *   also `PartGuard`) and no definition. One during which the disk fills up fails too, and is undone.
 */
export class ChdbEngine {
  readonly #folder: string;
  /** chDB shuts down with its last connection, so this one stays open. It also sends KILL QUERY. */
  readonly #baseSession: Session;
  readonly #guard: PartGuard;
  readonly #running = new Map<string, Running>();
  readonly #openedAtMs = Date.now();
  #closed: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    removeBrokenDefinitions(folder);
    removeBrokenMutations(folder);
    this.#baseSession = new Session(folder, { connectionArgs: [`--config-file=${CONFIG_FILE}`] });
    this.#guard = new PartGuard({ query: (preamble, sql) => this.#ask(preamble, sql) }, folder);
  }

  /**
   * Runs `sql` after the SET statements of `preamble`. The result has the format that `sql` names. `signal` ends it.
   */
  async query(preamble: string, sql: string, signal?: AbortSignal): Promise<Uint8Array> {
    const isInsert = INSERT.test(sql);
    const definition = DEFINITION.exec(sql)?.[1];
    if (isInsert || definition !== undefined) this.#expectRoom();
    const begunAt = performance.now();
    const answer = await this.#ask(preamble, sql, signal);
    if (isInsert) await this.#guard.expectWhole(begunAt);
    if (definition !== undefined) await this.#expectWritten(/create/i.test(definition));
    return answer;
  }

  /** What was created without a whole file goes: the same statement again would find it there, and write none. */
  async #expectWritten(isCreation: boolean): Promise<void> {
    const broken = brokenDefinitions(this.#folder);
    if (broken.length === 0) return;
    for (const { database, table } of isCreation ? broken : []) {
      const what = table === undefined ? `DATABASE \`${database}\`` : `TABLE IF EMPTY \`${database}\`.\`${table}\``;
      // Where it cannot be dropped either, the next definition tries again, or the next opening.
      await this.#ask('', `DROP ${what} SYNC`).catch(() => undefined);
    }
    throw noSpace(`${broken.length} definitions were not written whole`);
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
   * Runs `sql` after the SET statements of `preamble` and returns chunks, each computed when it is requested. Planning
   * runs on this thread, so `sql` must not build sets while it is planned (`use_index_for_in_with_subqueries=0`).
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
    this.#running.set(name, { ended, isInsert: false, release: () => stream.release() });
    try {
      if (preamble !== '') await session.queryAsync(preamble);
      stream.begin(session.queryStream(`/* ${name} */ ${sql}`, { format }));
      return stream;
    } catch (error) {
      stream.release();
      throw error;
    }
  }

  /** Rows for an insert, in a file that the caller disposes of. */
  async rowFile(values: AsyncIterable<unknown>): Promise<RowFile> {
    this.#expectRoom();
    return RowFile.write(this.#folder, values);
  }

  /**
   * Inserts rows after the SET statements of `preamble`. An insert cannot be ended early.
   *
   * @param inTurn Runs the statement when it is its turn: the check of what it wrote needs none.
   */
  async insert(
    preamble: string,
    { into, format, file }: FileInsert,
    inTurn: (statement: () => Promise<void>) => Promise<void> = (statement) => statement(),
  ): Promise<void> {
    let begunAt = 0;
    await inTurn(async () => {
      this.#expectRoom(file.size);
      begunAt = performance.now();
      // The columns of `file` are those of the insert.
      const sql = `${preamble}${into} SELECT * FROM file(${sqlString(file.path)}, ${format})`;
      await this.#run(randomUUID(), true, (session) => session.queryAsync(sql));
    });
    await this.#guard.expectWhole(begunAt);
  }

  /** Why no rows are deleted now: the disk lacks space. */
  get lack(): string | undefined {
    return this.#guard.lack;
  }

  /** See `dropOldParts`, of all databases. */
  dropOldParts(signal: AbortSignal): Promise<void> {
    const query = (sql: string): Promise<Uint8Array> => this.query('', sql);
    const expectWhole = (): Promise<void> => this.#guard.expectAllWhole();
    return dropOldParts({ query, expectWhole, openedAtMs: this.#openedAtMs }, signal);
  }

  /** chDB itself only checks the bytes of the part that it is about to write. */
  #expectRoom(bytes = 0): void {
    const lack = lackOfRoom(this.#folder, STORE_RESERVE_BYTES + bytes);
    if (lack !== undefined) throw noSpace(lack);
  }

  /** Ends queries, waits for inserts, then closes. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#guard.close();
    const running = [...this.#running];
    await Promise.all(running.map(([name, { ended, isInsert }]) => (isInsert ? settled(ended) : this.#end(name))));
    this.#baseSession.close();
    // chdb defers closing a connection while another statement runs. This waits for those.
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
      // Runs on this thread (3 ms): if queries occupied every thread of libuv's pool, none of them could ever be ended.
      this.#baseSession.query(`KILL QUERY WHERE startsWith(query, '/* ${name} */') ASYNC FORMAT Null`);
      run.release?.();
      await Promise.race([settled(run.ended), sleep(KILL_EVERY_MS)]);
    }
  }
}

/** A result in chunks. The caller must read it to its end or call `return`. */
class ChdbStream implements AsyncIterableIterator<Uint8Array> {
  readonly #onEnd: () => void;
  readonly #kill: () => void;
  #chunks: AsyncIterator<StreamChunk> | undefined;
  #fetching = false;
  #ended = false;

  /** @param kill Ends a fetch in progress. */
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
    this.release();
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
      if (failed) this.release();
    }
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    if (this.#fetching) this.#kill();
    else this.release();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Ends the stream if no chunk is being fetched. During a fetch it does nothing: the killed fetch ends the stream. */
  release(): void {
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
