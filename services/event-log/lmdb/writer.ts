import { Worker } from 'node:worker_threads';
import { TidemarkError } from '../../runtime/errors.ts';
import { closeAtExit, ShutdownBarrier, BARRIER_BYTES } from './shutdown-barrier.ts';
import type { Claimant } from './leases.ts';
import type {
  Answered,
  AppendRequest,
  AppendResult,
  Asked,
  EncodeRequest,
  EncodeOutcome,
  WriterData,
  WriteRequest,
  WriteResult,
} from './requests.ts';

interface Waiting {
  readonly resolve: (result: WriteResult) => void;
  readonly reject: (error: TidemarkError) => void;
}

export interface WriterEvents {
  /** A lease that was held is another's by now. */
  lost(claimant: Claimant): void;
  /** The thread has ended, and with it the renewal of every lease. */
  ended(): void;
}

/** The writing thread of a log, seen from the log's own. Started with the first request, and again if it should die. */
export class LmdbWriter {
  readonly #data: WriterData;
  readonly #gate: ShutdownBarrier;
  #leaveOpen: (() => void) | undefined;
  readonly #events: WriterEvents;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  /** The module of the record encoder, also for a thread that is started again. */
  #encoder: string | undefined;
  #lastId = 0;

  constructor(data: Omit<WriterData, 'gate'>, events: WriterEvents) {
    const gate = new SharedArrayBuffer(BARRIER_BYTES);
    this.#data = { ...data, gate };
    this.#gate = new ShutdownBarrier(gate);
    this.#events = events;
  }

  /** Moves the bytes out of the request; the result gives them back. On disk when it resolves. */
  append(request: AppendRequest): Promise<AppendResult> {
    return this.#ask(request, [request.bytes]) as Promise<AppendResult>;
  }

  /** The same for encode jobs. */
  encode(request: EncodeRequest): Promise<EncodeOutcome> {
    return this.#ask(request, [request.bytes]) as Promise<EncodeOutcome>;
  }

  /** Loads a record encoder; until then no job is encoded. @throws TidemarkError where it cannot be loaded. */
  async load(module: string): Promise<void> {
    await this.#ask({ kind: 'load', module });
    this.#encoder = module;
  }

  /** True where the group is the claimant's now. */
  claim(claimant: Claimant): Promise<boolean> {
    return this.#ask({ kind: 'claim', ...claimant }) as Promise<boolean>;
  }

  async write(request: Exclude<WriteRequest, AppendRequest | EncodeRequest>): Promise<void> {
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
    thread.on('message', (answered: Answered) => {
      if ('lost' in answered) this.#events.lost(answered.lost);
      else this.#settle(thread, answered);
    });
    let cause: unknown;
    thread.once('error', (error: unknown) => {
      cause = error;
    });
    thread.once('exit', () => this.#ended(thread, cause));
    if (this.#encoder !== undefined) this.#reload(thread, this.#encoder);
    return thread;
  }

  /** Nobody waits for it: jobs that come before it is loaded are returned as not encoded. */
  #reload(thread: Worker, module: string): void {
    const asked: Asked = { id: ++this.#lastId, request: { kind: 'load', module } };
    thread.postMessage(asked);
  }

  #settle(thread: Worker, answered: Exclude<Answered, { readonly lost: Claimant }>): void {
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
    this.#events.ended();
  }
}
