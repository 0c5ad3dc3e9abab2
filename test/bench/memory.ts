/** What a process holds, as Linux tells; NaN elsewhere. In MiB. */
import { readFile } from 'node:fs/promises';

export interface Memory {
  readonly residentMiB: number;
  /** Less the pages of the event log's mapped file, which the system takes back whenever something else wants them. */
  readonly withoutLogMiB: number;
  /** What nothing but the process holds: its heaps and stacks. */
  readonly anonymousMiB: number;
}

export async function memoryOf(pid: number): Promise<Memory> {
  const smaps = await readFile(`/proc/${pid}/smaps`, 'utf8').catch(() => '');
  let resident = smaps === '' ? NaN : 0;
  let [log, anonymous] = [0, 0];
  let isLog = false;
  for (const line of smaps.split('\n')) {
    if (/^[0-9a-f]+-[0-9a-f]+ /.test(line)) isLog = line.endsWith('.mdb');
    const kibibytes = Number(/^Rss:\s+(\d+)/.exec(line)?.[1] ?? 0);
    resident += kibibytes;
    if (isLog) log += kibibytes;
    anonymous += Number(/^Anonymous:\s+(\d+)/.exec(line)?.[1] ?? 0);
  }
  return {
    residentMiB: resident / 1024,
    withoutLogMiB: (resident - log) / 1024,
    anonymousMiB: smaps === '' ? NaN : anonymous / 1024,
  };
}

const LOOK_EVERY_MS = 500;
const NOTHING: Memory = { residentMiB: NaN, withoutLogMiB: NaN, anonymousMiB: NaN };

/** The most of each that a process holds, looked at twice a second, until it is taken. */
export class MemoryPeak {
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  #peak = NOTHING;

  constructor(pid: number) {
    this.#pid = pid;
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY_MS);
  }

  /** The peak since the last call, or since the beginning. */
  async take(): Promise<Memory> {
    await this.#look();
    const peak = this.#peak;
    this.#peak = NOTHING;
    return peak;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const { residentMiB, withoutLogMiB, anonymousMiB } = await memoryOf(this.#pid);
    this.#peak = {
      residentMiB: larger(this.#peak.residentMiB, residentMiB),
      withoutLogMiB: larger(this.#peak.withoutLogMiB, withoutLogMiB),
      anonymousMiB: larger(this.#peak.anonymousMiB, anonymousMiB),
    };
  }
}

function larger(known: number, seen: number): number {
  return known > seen ? known : seen;
}
