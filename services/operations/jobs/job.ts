import type { Body } from '../../../schemas/operations.ts';
import type { CommandArguments, CommandCall, CommandFailure, Progress } from '../../runtime/command.ts';
import type { Lease } from '../../stores/database/leases.ts';
import type { Generation } from '../../stores/generations/generation.ts';
import type { ImportRequest } from '../import/import-request.ts';

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

/**
 * What a job can do, and what it is told: the body of its request, which the document has checked. The kind is the one
 * thing that is named by a text, as it outlives its process.
 */
export interface JobArguments {
  readonly 'dead-letters replay': Body<'POST /v1/admin/dead-letters/replay'>;
  readonly 'dead-letters drop': Body<'POST /v1/admin/dead-letters/drop'>;
  readonly 'replay build': Omit<Body<'POST /v1/admin/generations'>, 'rate_limit'> & { readonly rate?: number | null };
  readonly 'replay compare': GenerationArguments;
  readonly 'replay swap': GenerationArguments;
  readonly 'replay rollback': Pick<Body<'POST /v1/admin/generations'>, 'kind' | 'project'>;
  readonly 'replay drop': GenerationArguments;
  /** The service's own has `hours` alone: how many whole hours up to now. */
  readonly verify: Body<'POST /v1/admin/verifications'> & { readonly hours?: number };
  readonly import: ImportRequest;
  readonly 'project erase': { readonly project: string };
  readonly 'users erase': object;
  /** `first_day`: the first whose events stay, as `YYYY-MM-DD` in the project's zone. */
  readonly 'events delete': { readonly project: string; readonly first_day: string };
  /** Notes what each store takes. */
  readonly 'stores measure': object;
  /** Deletes from the log what is older, once a snapshot stands for it. */
  readonly 'log cut': { readonly keep_ms: number };
  readonly backup: Pick<Body<'POST /v1/admin/backups'>, 'again'> & { readonly folder: string };
}

type GenerationArguments = Pick<Generation, 'kind' | 'number'> & { readonly project?: string | null };

export type JobKind = keyof JobArguments;

/** What each kind of job does. */
export type JobCommands = {
  readonly [Kind in JobKind]: (args: JobArguments[Kind], call: CommandCall) => Promise<unknown>;
};

/** A kind with its arguments. */
export type JobToStart = {
  readonly [Kind in JobKind]: { readonly kind: Kind; readonly args: JobArguments[Kind] };
}[JobKind];

/**
 * Those that find what was done before by another run of them: where the process that ran one has ended, another goes on with
 * it by itself.
 */
export const GO_ON: readonly JobKind[] = [
  'replay build',
  'replay compare',
  'replay drop',
  'verify',
  'project erase',
  'users erase',
  'events delete',
];

export type NewJob = JobToStart & Pick<Job, 'principal'>;

/** Where a list of jobs continues: after this one. */
export type JobCursor = Pick<Job, 'createdAtMs' | 'id'>;

export interface JobFilter {
  readonly kind?: string | undefined;
  readonly state?: JobState | undefined;
  readonly after?: JobCursor | undefined;
}

/** When a job of the same arguments is due again. */
export interface JobTerms {
  /** After the start of the last, where that came to its end. */
  readonly everyMs: number;
  /** After the end of the last, where it did not. */
  readonly againAfterMs: number;
}

/** The job that was begun, or the last, where no other is due. */
export interface DueJob {
  readonly job: Job;
  readonly isBegun: boolean;
}

export function isFinished({ state }: Pick<Job, 'state'>): boolean {
  return state !== 'queued' && state !== 'running';
}

/** How a job ended. */
export interface JobEnd extends Pick<Job, 'state' | 'result' | 'failure' | 'progress' | 'rate'> {}

/** A job that this process runs, as it is at a heartbeat. */
export interface Heartbeat extends Lease, Pick<Job, 'progress' | 'rate'> {
  readonly state: 'queued' | 'running';
}
