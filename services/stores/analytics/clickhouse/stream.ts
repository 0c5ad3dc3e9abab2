import type { Readable } from 'node:stream';
import { type ClickHouseClient, parseError } from '@clickhouse/client';
import { TidemarkError } from '../../../runtime/errors.ts';
import type { Query, QueryLimits } from '../analytics-store.ts';
import { questionError } from './errors.ts';
import { streamSettings } from './settings.ts';

/**
 * A stream is ended if its reader takes no chunk for this long, because it occupies a permit that others wait for. The
 * time is long because a chunk may be 10 MB and the reader slow. The HTTP server disconnects an idle client much
 * sooner.
 */
const STREAM_IDLE_MS = 600_000;

// When ClickHouse fails halfway it has already sent status 200. It then writes this marker, which no line of JSON
// contains, and the error.
const EXCEPTION = Buffer.from('\r\n__exception__\r\n');

export interface StreamOptions {
  /** Cancels the query. */
  readonly end: (reason: TidemarkError) => void;
  /** Called once, when the stream has ended. */
  readonly onEnd: () => void;
  readonly idleMs?: number;
}

/** The bytes of a result, fetched on demand. The caller must read it to its end or call `return`. */
export class QuestionStream implements AsyncIterableIterator<Uint8Array> {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #options: Required<StreamOptions>;
  #tail: Uint8Array = new Uint8Array();
  #first: IteratorResult<Uint8Array> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #idle: TidemarkError | undefined;
  #ended = false;

  private constructor(source: Readable, options: StreamOptions) {
    this.#chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    this.#options = { idleMs: STREAM_IDLE_MS, ...options };
  }

  /** Resolves once the first bytes, or the end, have arrived. @throws TidemarkError as `AnalyticsReader.stream`. */
  static async begun(source: Readable, options: StreamOptions): Promise<QuestionStream> {
    const stream = new QuestionStream(source, options);
    stream.#first = await stream.#take();
    stream.#watchIdleness();
    return stream;
  }

  /** Whether the query has ended. */
  get ended(): boolean {
    return this.#ended;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    clearTimeout(this.#timer);
    if (this.#idle !== undefined) throw this.#idle;
    const first = this.#first;
    this.#first = undefined;
    const result = first ?? (await this.#take());
    this.#watchIdleness();
    return result;
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    clearTimeout(this.#timer);
    await this.#end();
    return DONE;
  }

  async #take(): Promise<IteratorResult<Uint8Array>> {
    if (this.#ended) return DONE;
    try {
      const result = await this.#chunks.next();
      if (result.done === true) {
        await this.#end();
        return DONE;
      }
      this.#refuseException(result.value);
      return result;
    } catch (error) {
      await this.#end();
      throw this.#idle ?? (error instanceof TidemarkError ? error : questionError(error));
    }
  }

  #refuseException(chunk: Buffer): void {
    const seen = Buffer.concat([this.#tail, chunk.subarray(0, EXCEPTION.length)]);
    const at = chunk.indexOf(EXCEPTION);
    if (at !== -1) throw parseError(chunk.subarray(at + EXCEPTION.length).toString());
    if (seen.includes(EXCEPTION)) throw parseError(chunk.toString());
    this.#tail = chunk.subarray(-EXCEPTION.length);
  }

  #watchIdleness(): void {
    if (this.#ended && this.#first === undefined) return;
    this.#timer = setTimeout(() => {
      this.#idle = new TidemarkError('QUERY_LIMIT', `the answer was not read for ${this.#options.idleMs} ms`);
      this.#options.end(this.#idle);
      void this.#end();
    }, this.#options.idleMs).unref();
  }

  async #end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    // Destroys the source, which cancels the query.
    await this.#chunks.return?.().catch(() => undefined);
    this.#options.onEnd();
  }
}

const DONE: IteratorResult<Uint8Array> = { done: true, value: undefined };

export interface OpeningOptions {
  /** Aborted when the store is being closed. */
  readonly stopping: AbortSignal;
  readonly onEnd: () => void;
}

/**
 * Starts the query, and resolves once the first rows have arrived. @throws TidemarkError as `AnalyticsReader.stream`.
 */
export async function openStream(
  client: ClickHouseClient,
  { sql, params }: Query,
  limits: QueryLimits,
  { stopping, onEnd }: OpeningOptions,
): Promise<QuestionStream> {
  const ending = new AbortController();
  const end = (why: TidemarkError): void => ending.abort(why);
  const { maxMs } = limits;
  const timeout = new TidemarkError('QUERY_LIMIT', `the question went past its limit of time (${maxMs} ms)`);
  const timer = setTimeout(end, maxMs, timeout);
  try {
    const { stream } = await client.exec({
      query: `${sql} FORMAT JSONEachRow`,
      query_params: params,
      clickhouse_settings: streamSettings(limits),
      abort_signal: AbortSignal.any([stopping, ending.signal]),
    });
    return await QuestionStream.begun(stream, { end, onEnd });
  } catch (error) {
    throw ending.signal.aborted ? timeout : error instanceof TidemarkError ? error : questionError(error, limits);
  } finally {
    clearTimeout(timer);
  }
}
