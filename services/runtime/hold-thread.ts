const NOTHING = new Int32Array(new SharedArrayBuffer(4));

/** Holds up this thread for so many milliseconds: for the end of a process or thread, where nothing can be awaited. */
export function holdThread(ms: number): void {
  Atomics.wait(NOTHING, 0, 0, ms);
}
