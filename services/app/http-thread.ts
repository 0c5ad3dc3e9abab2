/**
 * The HTTP side in a thread of its own, as the main thread sees it, which has the readers and the embedded stores.
 * Readers decode every message and PGlite computes on the thread that calls it: on the same thread, ingest would stall.
 * The HTTP side is what moves, because chDB is best left on the main thread: where only a thread that ends had loaded it,
 * its library is unloaded under its own threads, and the process crashes (chdb 3.4).
 */
import type { EventLoopUtilization } from 'node:perf_hooks';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Config } from '../runtime/config.ts';
import { TidemarkError } from '../runtime/errors.ts';
import type { OpenedLogger } from '../runtime/logger.ts';
import { Caller, serveCalls } from '../runtime/threads.ts';
import type { HttpControl, HttpThreadData } from './http-thread-entry.ts';
import type { Stores } from './stores.ts';

export class HttpThread {
  /** Rejects if the thread ends without having been stopped; never resolves. */
  readonly ended: Promise<never>;
  readonly control: Pick<HttpControl, 'startImport' | 'isClockWrong' | 'lookAtWaits'>;
  readonly #worker: Worker;
  readonly #stores: MessagePort;
  readonly #control: HttpControl;
  #usedBefore: EventLoopUtilization | undefined;
  #stopping: Promise<void> | undefined;

  /**
   * Starts the thread, which does nothing yet. To be called before anything is opened: a thread inherits the current
   * priority of the thread that creates it, and the main thread is about to lower its own.
   */
  constructor(config: Config, { line }: Pick<OpenedLogger, 'line'>) {
    const channels = { commands: new MessageChannel(), stores: new MessageChannel(), lines: new MessageChannel() };
    const [commands, stores, lines] = [channels.commands.port1, channels.stores.port1, channels.lines.port1];
    const workerData: HttpThreadData = { config, commands, stores, lines };
    this.#worker = new Worker(new URL('./http-thread-entry.ts', import.meta.url), {
      workerData,
      transferList: [commands, stores, lines],
      // A request leaves some 20 KB of garbage: with the default of 16 MB the thread collects it 15 times a second. Live
      // objects take 20 MB, which V8 would mark again whenever they grow by a few, every 2.5 s at half load, while answers
      // wait 30 to 50 ms; with `--heap-growing-percent=200` (services/node.sh) that is every half minute. With
      // `--single-threaded-gc` each thread collects its own garbage: V8's helper threads, which have the priority of
      // requests, otherwise took half of the processor for the readers' garbage while answers waited.
      resourceLimits: { maxYoungGenerationSizeMb: 64 },
    });
    channels.lines.port2.on('message', line);
    const caller = new Caller(channels.commands.port2);
    this.#stores = channels.stores.port2;
    this.control = this.#control = caller.standIn<HttpControl>('control');
    this.ended = endOf(this.#worker, caller).catch((error: unknown) => {
      if (this.#stopping === undefined) throw error;
      return new Promise<never>(() => undefined);
    });
    this.ended.catch(() => undefined);
  }

  /**
   * Resolves with `http://HOST:PORT`, with the port that was bound, once it listens.
   *
   * @throws TidemarkError `ADDRESS_IN_USE`, `CONFIG_INVALID`.
   */
  bind(): Promise<string> {
    return Promise.race([this.#control.bind(), this.ended]);
  }

  /**
   * Resolves once it answers requests.
   *
   * @throws TidemarkError `LOG_FOREIGN`, `LOG_DAMAGED`, `LOG_UNAVAILABLE`, `SPOOL_FOREIGN`.
   */
  open(stores: Stores): Promise<void> {
    serveCalls(this.#stores, { ...stores });
    return Promise.race([this.#control.open(Object.keys(stores)), this.ended]);
  }

  /** The share of time that the thread was busy since the last call; 1 is all of it. */
  utilization(): number {
    const now = this.#worker.performance.eventLoopUtilization();
    const { utilization } = this.#worker.performance.eventLoopUtilization(now, this.#usedBefore);
    this.#usedBefore = now;
    return utilization;
  }

  /** Stops accepting, finishes what was accepted, ends the thread. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    try {
      await this.#control.stop();
    } finally {
      await this.#worker.terminate();
    }
  }
}

/** Rejects when the thread ends, for any reason. */
function endOf(worker: Worker, caller: Caller): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  worker.once('error', reject);
  worker.once('exit', (code) => {
    caller.close(new TidemarkError('STOPPING', 'the HTTP thread has ended'));
    reject(new Error(`the HTTP thread ended by itself with ${code}`));
  });
  return promise;
}
