import type { CommandArguments, CommandFailure, Progress } from '../../runtime/command.ts';

export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled' | 'interrupted';

/** Work that takes longer than a request should, and outlives the request. */
export interface Job {
  readonly id: string;
  /** The command: `replay build`. */
  readonly kind: string;
  readonly args: CommandArguments;
  /** Who started it: the id of a key, or `local`. */
  readonly principal: string;
  readonly state: JobState;
  readonly progress: Progress | null;
  /** Of what the progress counts, a second; null while it is not known. */
  readonly rate: number | null;
  /** JSON text. */
  readonly result: string | null;
  readonly failure: CommandFailure | null;
  readonly createdAtMs: number;
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number | null;
}

export type NewJob = Pick<Job, 'kind' | 'args' | 'principal'>;

/** Where a list of jobs continues: after this one. */
export type JobCursor = Pick<Job, 'createdAtMs' | 'id'>;

export interface JobFilter {
  readonly kind?: string | undefined;
  readonly state?: JobState | undefined;
  readonly after?: JobCursor | undefined;
}

export function isFinished({ state }: Pick<Job, 'state'>): boolean {
  return state !== 'queued' && state !== 'running';
}
