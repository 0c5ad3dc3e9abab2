import type { CommandArguments, CommandFailure, Progress } from '../../runtime/command.ts';

export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled' | 'interrupted';

/** Work that takes longer than a request should, and outlives the request. */
export interface Job {
  readonly id: string;
  /** One of `JobKind`, as far as this version knows it. */
  readonly kind: string;
  readonly args: CommandArguments;
  /** The id of the key that started it, or `local`. */
  readonly principal: string;
  readonly state: JobState;
  readonly progress: Progress | null;
  /** Progress a second, in what it counts; null while it is not known. */
  readonly rate: number | null;
  /** JSON text. */
  readonly result: string | null;
  readonly failure: CommandFailure | null;
  readonly createdAtMs: number;
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number | null;
}

/** What a job can do: the one thing that is named by a text, as it outlives its process. */
export type JobKind =
  | 'dead-letters replay'
  | 'dead-letters drop'
  | 'replay build'
  | 'replay compare'
  | 'replay swap'
  | 'replay rollback'
  | 'replay drop'
  | 'verify'
  | 'import'
  | 'project erase'
  | 'users erase'
  | 'backup';

export interface NewJob extends Pick<Job, 'args' | 'principal'> {
  readonly kind: JobKind;
}

/** Where a list of jobs continues: after this one. */
export type JobCursor = Pick<Job, 'createdAtMs' | 'id'>;

export interface JobFilter {
  readonly kind?: string | undefined;
  /** Exactly these. */
  readonly args?: CommandArguments | undefined;
  readonly state?: JobState | undefined;
  readonly after?: JobCursor | undefined;
}

export function isFinished({ state }: Pick<Job, 'state'>): boolean {
  return state !== 'queued' && state !== 'running';
}

/** How a job ended. */
export interface JobEnd extends Pick<Job, 'state' | 'result' | 'failure' | 'progress' | 'rate'> {}

/** A job that this process runs, as it is at a heartbeat. */
export interface Heartbeat extends Pick<Job, 'id' | 'progress' | 'rate'> {
  readonly state: 'queued' | 'running';
}
