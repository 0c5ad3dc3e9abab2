/**
 * Ends the process where one of its threads no longer answers. A watched thread counts beats by a timer, in memory that all
 * threads share; the watchdog's thread (thread.ts) only sleeps and checks. It counts its own checks instead of reading a
 * clock, so that a machine that slept, or a process that got no processor time, is not taken for one that hangs.
 */
import { getEnvironmentData, setEnvironmentData, Worker } from 'node:worker_threads';
import { Beats, type ThreadSlot, type Watched } from './beats.ts';

const KEY = 'tidemark:watchdog';
const BEAT_EVERY_MS = 1_000;

let thisThread: ThreadSlot | undefined;
let timer: NodeJS.Timeout | undefined;

/** Created by the main thread before it starts others: they inherit the shared memory. */
export class Watchdog {
  readonly #beats: Beats;

  constructor() {
    const memory = Beats.make();
    this.#beats = new Beats(memory);
    setEnvironmentData(KEY, memory);
    new Worker(new URL('./thread.ts', import.meta.url), { workerData: memory }).unref();
  }

  /** From now on a thread that does not answer ends the process, this one included. To be called once everything is open. */
  arm(): void {
    watchThisThread('the main thread');
    this.#beats.arm();
  }

  /** Ends the process, if nothing else has, 14 to 14.5 s from now. */
  stop(): void {
    this.#beats.stop();
  }
}

/** From now on, until `unwatchThisThread`, the process' watchdog, where it has one, expects this thread to answer. */
export function watchThisThread(name: Watched): void {
  const memory = getEnvironmentData(KEY) as SharedArrayBuffer | undefined;
  if (memory === undefined || thisThread !== undefined) return;
  thisThread = new Beats(memory).enter(name);
  timer = setInterval(() => thisThread?.beat(), BEAT_EVERY_MS).unref();
  process.once('exit', unwatchThisThread);
}

export function unwatchThisThread(): void {
  clearInterval(timer);
  thisThread?.leave();
  thisThread = undefined;
}

/** Runs what may block this thread for longer than the watchdog waits. */
export async function mayBlock<T>(work: () => Promise<T>): Promise<T> {
  const blocked = thisThread;
  blocked?.blocking(1);
  try {
    return await work();
  } finally {
    // Beat first: the timer may fire only after the watchdog's next check.
    blocked?.beat();
    blocked?.blocking(-1);
  }
}
