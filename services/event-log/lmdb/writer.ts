import { Worker } from 'node:worker_threads';
import { TidemarkError } from '../../runtime/errors.ts';
import { closeAtExit, ShutdownBarrier, BARRIER_BYTES } from './shutdown-barrier.ts';
import type {
  Answered,
  AppendRequest,
  AppendResult,
  Asked,
  MakeRequest,
  MakeResult,
  WriterData,
  WriteRequest,
  WriteResult,
} from './requests.ts';

interface PendingRequest {
  readonly resolve: (result: WriteResult) => void;
  readonly reject: (error: TidemarkError) => void;
}

/** The writing thread of a log, seen from the log's own. Started with the first request, and again if it should die. */
export class LmdbWriter {
  readonly #data: WriterData;
  readonly #gate: ShutdownBarrier;
  #leaveOpen: (() => void) | undefined;
  readonly #waiting = new Map<number, PendingRequest>();
  #thread: Worker | undefined;
  /** What makes records in the thread, also in one that is started again. */
  #maker: string | undefined;
  #lastId = 0;

  constructor(folder: string) {
    const gate = new SharedArrayBuffer(BARRIER_BYTES);
    this.#data = { folder, gate };
    this.#gate = new ShutdownBarrier(gate);
  }

  /** Moves the bytes out of the request; the result gives them back. On disk when it resolves. */
  append(request: AppendRequest): Promise<AppendResult> {
    return this.#ask(request, [request.bytes]) as Promise<AppendResult>;
  }

  /** The same for what records are made of. */
  make(request: MakeRequest): Promise<MakeResult> {
    return this.#ask(request, [request.bytes]) as Promise<MakeResult>;
  }

  /** Loads what makes records; until then none is made. @throws TidemarkError where it cannot be loaded. */
  async load(module: string): Promise<void> {
    await this.#ask({ kind: 'load', module });
    this.#maker = module;
  }

  async write(request: Exclude<WriteRequest, AppendRequest | MakeRequest>): Promise<void> {
    await this.#ask(request);
  }

  /** After all that was asked before. */
  async close(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    try {
      await this.#ask({ kind: 'close' });
    } catch {
      // It died before it could be asked.
    }
    await thread.terminate();
    this.#leaveOpen?.();
  }

  #ask(request: Asked['request'], transfer: ArrayBuffer[] = []): Promise<WriteResult> {
    const thread = (this.#thread ??= this.#start());
    return new Promise((resolve, reject) => {
      const asked: Asked = { id: ++this.#lastId, request };
      this.#waiting.set(asked.id, { resolve, reject });
      // Only what waits for an answer keeps the process alive.
      if (this.#waiting.size === 1) thread.ref();
      thread.postMessage(asked, transfer);
    });
  }

  #start(): Worker {
    const thread = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: this.#data });
    thread.unref();
    this.#leaveOpen ??= closeAtExit(this.#gate);
    thread.on('message', (answered: Answered) => this.#settle(thread, answered));
    let cause: unknown;
    thread.once('error', (error: unknown) => {
      cause = error;
    });
    thread.once('exit', () => this.#ended(thread, cause));
    if (this.#maker !== undefined) this.#reload(thread, this.#maker);
    return thread;
  }

  /** Nobody waits for it: what is to be made before it is there is not made, and told so. */
  #reload(thread: Worker, module: string): void {
    const asked: Asked = { id: ++this.#lastId, request: { kind: 'load', module } };
    thread.postMessage(asked);
  }

  #settle(thread: Worker, answered: Answered): void {
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
