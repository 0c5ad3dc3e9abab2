import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { parseError, type createClient } from '@clickhouse/client';
import type { ChdbEngine } from './chdb-engine.ts';
import { preambleOf } from './preamble.ts';

/** The client's hook for another transport than HTTP. It is experimental, so no other module uses it. */
type Connection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>;
type QueryParams = Parameters<Connection['query']>[0];
type ExecParams = Parameters<Connection['exec']>[0];
type InsertParams = Parameters<Connection['insert']>[0];
type BaseResult = Awaited<ReturnType<Connection['command']>>;
type ExecResult = Awaited<ReturnType<Connection['exec']>>;

const SELECT = /^([^]+)\sFORMAT (\w+)$/;

// Otherwise the sets of IN are built before the first answer, on the calling thread.
const STREAM_SETTINGS = { use_index_for_in_with_subqueries: 0, max_block_size: '16384' };

const INSERT = /^(INSERT INTO \w+ \([\w, ]+\)) FORMAT (\w+)$/;

/**
 * Connects the official client to chDB. chdb's own connection (`chdb/connection`) runs one parameterized statement at a
 * time in the whole process, copies inserts three times, and does not stop aborted statements.
 */
export class ChdbConnection implements Connection {
  readonly #engine: ChdbEngine;
  readonly #semaphore: Semaphore;
  readonly #database: string | undefined;

  /** @param database The database of unqualified table names, a word; undefined for chDB's default. */
  constructor(engine: ChdbEngine, slots: Semaphore, database?: string) {
    this.#engine = engine;
    this.#semaphore = slots;
    this.#database = database;
  }

  async query(params: QueryParams): Promise<ExecResult> {
    const { query, clickhouse_settings = {}, query_params = {}, abort_signal } = params;
    const preamble = this.#use + preambleOf(clickhouse_settings, query_params);
    return this.#semaphore.run(async () => {
      abort_signal?.throwIfAborted();
      return execResult(await asClickHouseError(this.#engine.query(preamble, query, abort_signal)));
    });
  }

  /**
   * With values: `INSERT INTO table (columns) FORMAT name` and a stream of bytes. Without: a SELECT whose result is computed while it is read, and which does not count towards the limit of concurrent statements.
   */
  async exec(params: ExecParams): Promise<ExecResult> {
    if (params.values === undefined) return this.#stream(params);
    const [, into, format] = INSERT.exec(params.query) ?? [];
    if (into === undefined || format === undefined)
      throw new Error(`not an insert that is taken here: ${params.query}`);
    const { values, clickhouse_settings = {} } = params;
    const preamble = this.#use + preambleOf(clickhouse_settings, {});
    // Written while another insert runs: it needs nothing of chDB.
    await using file = await asClickHouseError(this.#engine.rowFile(values));
    const inTurn = (statement: () => Promise<void>): Promise<void> => this.#semaphore.run(statement);
    await asClickHouseError(this.#engine.insert(preamble, { into, format, file }, inTurn));
    return execResult(new Uint8Array());
  }

  get #use(): string {
    return this.#database === undefined ? '' : `USE ${this.#database}; `;
  }

  async #stream({ query, clickhouse_settings = {}, query_params = {}, abort_signal }: ExecParams): Promise<ExecResult> {
    const [, sql, format] = SELECT.exec(query) ?? [];
    if (sql === undefined || format === undefined) throw new Error(`not a question that is taken here: ${query}`);
    const preamble = this.#use + preambleOf({ ...clickhouse_settings, ...STREAM_SETTINGS }, query_params);
    const chunks = await asClickHouseError(this.#engine.stream(preamble, sql, format));
    const end = (): void => void chunks.return();
    abort_signal?.addEventListener('abort', end);
    if (abort_signal?.aborted === true) end();
    const stream = Readable.from(asBuffers(chunks), { objectMode: false });
    stream.once('close', () => {
      abort_signal?.removeEventListener('abort', end);
      end();
    });
    return { stream, query_id: randomUUID(), response_headers: {}, http_status_code: 200 };
  }

  async command(params: QueryParams): Promise<BaseResult> {
    const { stream: _, ...result } = await this.query(params);
    return result;
  }

  async insert({ values, ...params }: InsertParams): Promise<BaseResult> {
    const { stream: _, ...result } = await this.exec({ ...params, values: Readable.from([values]) });
    return result;
  }

  async ping(): ReturnType<Connection['ping']> {
    try {
      await this.query({ query: 'SELECT 1' });
      return { success: true };
    } catch (error) {
      return { success: false, error: error as Error };
    }
  }

  /** Does nothing: the owner of the engine closes it. */
  async close(): Promise<void> {}
}

async function* asBuffers(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const all = chunks[Symbol.asyncIterator]();
  for (;;) {
    const result = await asClickHouseError(all.next());
    if (result.done === true) return;
    const { value } = result;
    yield Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
}

function execResult(bytes: Uint8Array): ExecResult {
  // A Uint8Array is one chunk, not an iterable of numbers.
  const stream = Readable.from([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)], { objectMode: false });
  return { stream, query_id: randomUUID(), response_headers: {}, http_status_code: 200 };
}

/** Converts errors of chDB to those of the client, with the server's code. */
async function asClickHouseError<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw parseError(error instanceof Error ? error.message : String(error));
  }
}

/** Limits how many run at once; the others wait in the order they came. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
