/** What the processes of an installation tell of themselves, for all of them to read. */

/** Plain JSON. */
export interface ProcessReport {
  /** Names the process, or a thread of it that reports by itself. */
  readonly id: string;
  readonly role: string;
  readonly version: string;
  readonly startedAtMs: number;
  /** The state of each of its parts, as in `/readyz`. */
  readonly parts: Readonly<Record<string, string>>;
  /** Rates of the last minute, in messages a second: `accepted`, `refused`, and what each reader processed by its name. */
  readonly rates: Readonly<Record<string, number>>;
}

export interface SeenProcess extends ProcessReport {
  /** How long ago it reported. */
  readonly ageMs: number;
}

/** After this time without a report, a process has died, or hangs. */
export const MISSING_AFTER_MS = 30_000;
/** After this time without a report, nobody waits for a process any more. */
export const FORGOTTEN_AFTER_MS = 3_600_000;

/**
 * Arguments and results can be cloned between threads. Every method throws `STORE_UNAVAILABLE` if the store cannot answer.
 */
export interface ProcessStore {
  /** Replaces the last report of the same id. */
  report(report: ProcessReport): Promise<void>;
  /** The process has ended in order. */
  remove(id: string): Promise<void>;
  /** The last report of each, without those that are forgotten; by id. */
  list(): Promise<readonly SeenProcess[]>;
}

/** Where all of an installation is one process. */
export class MemoryProcessStore implements ProcessStore {
  readonly #seen = new Map<string, { readonly report: ProcessReport; readonly atMs: number }>();

  async report(report: ProcessReport): Promise<void> {
    this.#seen.set(report.id, { report, atMs: performance.now() });
  }

  async remove(id: string): Promise<void> {
    this.#seen.delete(id);
  }

  async list(): Promise<readonly SeenProcess[]> {
    const seen = [...this.#seen.values()].map(({ report, atMs }) => ({ ...report, ageMs: performance.now() - atMs }));
    return seen.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  }
}
