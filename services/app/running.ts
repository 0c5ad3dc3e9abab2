import type { FirstStart } from '../stores/projects/first-start.ts';

/** A process at its work, whatever its role. */
export interface Running {
  /** `http://HOST:PORT` with the port that was taken. */
  readonly address: string;
  /** What the first start on these data made; undefined on later starts, and where another process does that. */
  readonly firstStart: FirstStart | undefined;
  /** Rejects when a part without which the process makes no sense has ended; never resolves. */
  readonly ended: Promise<never>;
  /** Finishes what was begun, then closes everything. Idempotent. */
  stop(): Promise<void>;
}
