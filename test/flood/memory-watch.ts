import { readFile } from 'node:fs/promises';

const LOOK_EVERY_MS = 250;

export interface Watched {
  readonly startMiB: number;
  readonly peakMiB: number;
  /** The most in the middle third of the time, and in the last: where memory grows without end, the second is larger. */
  readonly middleMiB: number;
  readonly lastMiB: number;
}

/** What a process holds (resident), looked at four times a second. */
export class MemoryWatch {
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  readonly #seen: number[] = [];

  private constructor(pid: number, first: number) {
    this.#pid = pid;
    this.#seen.push(first);
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY_MS);
  }

  static async of(pid: number): Promise<MemoryWatch> {
    return new MemoryWatch(pid, await residentMiB(pid));
  }

  stop(): Watched {
    clearInterval(this.#timer);
    const third = Math.floor(this.#seen.length / 3);
    return {
      startMiB: Math.round(this.#seen[0] ?? NaN),
      peakMiB: mostOf(this.#seen),
      middleMiB: mostOf(this.#seen.slice(third, 2 * third)),
      lastMiB: mostOf(this.#seen.slice(2 * third)),
    };
  }

  async #look(): Promise<void> {
    this.#seen.push(await residentMiB(this.#pid));
  }
}

/** As Linux tells; NaN elsewhere. */
async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? NaN) / 1024;
}

function mostOf(list: readonly number[]): number {
  return Math.round(Math.max(...list));
}
