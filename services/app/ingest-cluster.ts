/** Several processes of the role `ingest` on one port: Node's cluster distributes the connections. */
import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Logger } from '../runtime/logger.ts';
import { startParts } from './process-parts.ts';
import type { Running } from './role.ts';

// Without a wait, a process that ends at once would be started a thousand times a second.
const RESTART_AFTER_MS = 1_000;
const METRICS_TIMEOUT_MS = 5_000;

/** Messages between the processes, besides those of prom-client. */
type Note =
  | { readonly tidemark: 'ready'; readonly address: string }
  | { readonly tidemark: 'metrics-wanted'; readonly id: string }
  | { readonly tidemark: 'metrics'; readonly id: string; readonly text: string };

/**
 * In the primary process: starts the others, and another where one has died. Resolves once every process can accept
 * messages; rejects where one ends before it could.
 */
export function startIngestCluster(processes: number, logger: Logger): Promise<Running> {
  return startParts(undefined, async (parts) => {
    const state = new IngestProcesses(logger);
    await parts.start(state);
    const all = Promise.all(Array.from({ length: processes }, () => state.fork()));
    const [address = ''] = await Promise.race([all, state.failed]);
    return { address, firstStart: undefined, ended: state.failed, projectNames: async () => [] };
  });
}

class IngestProcesses {
  readonly failed: Promise<never>;
  readonly #logger: Logger;
  readonly #fail: (error: unknown) => void;
  // Collects what prom-client sends in the other processes.
  readonly #metrics = new AggregatorRegistry();
  readonly #ready = new Set<number>();
  #isStopping = false;

  constructor(logger: Logger) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.failed = promise;
    this.#fail = reject;
    this.#logger = logger;
  }

  /** Resolves with its address once the process, or its replacement, is ready. */
  fork(): Promise<string> {
    return new Promise((resolve) => this.#fork(resolve));
  }

  #fork(onReady: (address: string) => void): void {
    const worker = cluster.fork();
    worker.on('exit', (code, signal) => this.#onExit(worker, { code, signal }, onReady));
    worker.on('message', (note: Partial<Note>) => {
      if (note.tidemark === 'ready' && note.address !== undefined) {
        this.#ready.add(worker.id);
        onReady(note.address);
      }
      if (note.tidemark === 'metrics-wanted' && note.id !== undefined) void this.#sendMetrics(worker, note.id);
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    const exits = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of workers) worker.process.kill('SIGTERM');
    await Promise.all(exits);
  }

  async #sendMetrics(worker: Worker, id: string): Promise<void> {
    const text = await this.#metrics.clusterMetrics().catch(() => '');
    const note: Note = { tidemark: 'metrics', id, text };
    if (worker.isConnected()) worker.send(note);
  }

  #onExit(worker: Worker, { code, signal }: Exit, onReady: (address: string) => void): void {
    if (this.#isStopping) return;
    const wasReady = this.#ready.delete(worker.id);
    if (!wasReady && !signal) {
      // It has logged why. Another would end for the same reason.
      this.#fail(new Error(`a process of ingest ended before it was ready, with ${code}`));
      return;
    }
    this.#logger.error(
      { process: worker.process.pid, code, signal },
      'a process of ingest has ended: starting another',
    );
    // Where all have ended at once, only this timer keeps the primary process alive.
    setTimeout(() => {
      if (!this.#isStopping) this.#fork(onReady);
    }, RESTART_AFTER_MS);
  }
}

/** How a process ended: with an exit code of its own, or by a signal. */
interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** In one of the processes: tells the primary that it is ready. */
export function sendReady(address: string): void {
  const note: Note = { tidemark: 'ready', address };
  process.send?.(note);
}

/** In one of the processes: the metrics of all of them. */
export function clusterMetricsOf(registry: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries(registry);
  // Its constructor registers what answers the primary's requests.
  void new AggregatorRegistry();
  const waiting = new Map<string, (text: string) => void>();
  process.on('message', (note: Partial<Note>) => {
    if (note.tidemark === 'metrics' && note.id !== undefined) waiting.get(note.id)?.(note.text ?? '');
  });
  return async () => {
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<string>();
    const timer = setTimeout(resolve, METRICS_TIMEOUT_MS, '');
    waiting.set(id, resolve);
    const note: Note = { tidemark: 'metrics-wanted', id };
    process.send?.(note);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      waiting.delete(id);
    }
  };
}
