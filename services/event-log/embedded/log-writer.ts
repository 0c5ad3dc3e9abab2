import { Worker } from 'node:worker_threads';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Answered, Asked, ResultOf, WriterData, WriterRequest, WriterResult } from './requests.ts';

interface PendingRequest {
  readonly resolve: (result: WriterResult) => void;
  readonly reject: (error: TidemarkError) => void;
}

/** The writer thread of a log, as seen by the log's own thread. Started by the first request, and again if it ends. */
export class LogWriter {
  readonly #data: WriterData;
  readonly #threadEnded: (threadId: number) => void;
  readonly #waiting = new Map<number, PendingRequest>();
  #thread: Worker | undefined;
  /** The module of the record encoder. A thread that is started again loads it too. */
  #encoder: string | undefined;
  #lastId = 0;

  /** @param threadEnded Called where a thread has ended, however it did. */
  constructor(data: WriterData, threadEnded: (threadId: number) => void) {
    this.#data = data;
    this.#threadEnded = threadEnded;
  }

  /**
   * Resolves once what was written is on disk. The bytes of a request are transferred; its result gives them back. Until an
   * encoder was loaded, no job is encoded.
   *
   * @throws TidemarkError
   */
  async ask<Request extends WriterRequest>(request: Request): Promise<ResultOf<Request['kind']>> {
    const result = await this.#ask(request, 'bytes' in request ? [request.bytes] : []);
    if (request.kind === 'load') this.#encoder = request.module;
    return result as ResultOf<Request['kind']>;
  }

  /** After all earlier requests. */
  async close(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    try {
      await this.#ask({ kind: 'close' }, []);
    } catch {
      // The thread ended before it read the request.
    }
    await thread.terminate();
  }

  #ask(request: WriterRequest, transfer: ArrayBuffer[]): Promise<WriterResult> {
    const thread = (this.#thread ??= this.#start());
    return new Promise((resolve, reject) => {
      const asked: Asked = { id: ++this.#lastId, request };
      this.#waiting.set(asked.id, { resolve, reject });
      // The thread keeps the process alive only while a request waits for its result.
      if (this.#waiting.size === 1) thread.ref();
      thread.postMessage(asked, transfer);
    });
  }

  #start(): Worker {
    const thread = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: this.#data });
    thread.unref();
    thread.on('message', (answered: Answered) => this.#resolve(thread, answered));
    let cause: unknown;
    thread.once('error', (error: unknown) => {
      cause = error;
    });
    // It has none any more once it has ended.
    const { threadId } = thread;
    thread.once('exit', () => {
      this.#threadEnded(threadId);
      this.#ended(thread, cause);
    });
    if (this.#encoder !== undefined) this.#reloadEncoder(thread, this.#encoder);
    return thread;
  }

  /** Nobody waits for it. A job that arrives before the module is loaded is not encoded, and its result says so. */
  #reloadEncoder(thread: Worker, module: string): void {
    const asked: Asked = { id: ++this.#lastId, request: { kind: 'load', module } };
    thread.postMessage(asked);
  }

  #resolve(thread: Worker, answered: Answered): void {
    const waiting = this.#waiting.get(answered.id);
    this.#waiting.delete(answered.id);
    if (this.#waiting.size === 0) thread.unref();
    if ('result' in answered) waiting?.resolve(answered.result);
    else waiting?.reject(new TidemarkError(answered.error.code, answered.error.message));
  }

  #ended(thread: Worker, cause: unknown): void {
    if (this.#thread === thread) this.#thread = undefined;
    const error = new TidemarkError('LOG_UNAVAILABLE', 'the thread that writes the event log has ended', { cause });
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
