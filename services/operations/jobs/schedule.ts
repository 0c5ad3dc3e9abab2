/** What the service does by itself from time to time: it starts jobs. */
import type { Config } from '../../runtime/config.ts';
import type { Logger } from '../../runtime/logger.ts';
import { Looking } from '../../runtime/looking.ts';
import type { Database } from '../../stores/database/database.ts';
import { dueDeletions } from '../erasure/old-events.ts';
import type { BackupSchedule } from '../backup/last-backup.ts';
import type { JobTerms, JobToStart } from './job.ts';
import type { JobRunner } from './job-runner.ts';

/** What is begun again and again. */
export interface Scheduled extends JobTerms {
  readonly wanted: () => Promise<readonly JobToStart[]>;
}

export interface ScheduleParts {
  readonly entries: readonly Scheduled[];
  readonly jobs: Pick<JobRunner, 'startDue' | 'takeUp'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** How often it checks what is due. */
  readonly lookEveryMs?: number;
}

const SCHEDULE_POLL_MS = 15_000;
const HOUR_MS = 3_600_000;
const WEEK_MS = 604_800_000;

/** Starts jobs that are due, each in one of the processes that run it, and goes on with those that a process left. */
export class Schedule {
  readonly #parts: ScheduleParts;
  readonly #looking: Looking;

  constructor(parts: ScheduleParts) {
    this.#parts = parts;
    const { lookEveryMs: everyMs = SCHEDULE_POLL_MS, logger } = parts;
    this.#looking = new Looking({
      look: () => this.#look(),
      everyMs,
      cannot: 'jobs that are due cannot be begun',
      logger,
    });
  }

  start(): void {
    this.#looking.start();
  }

  /** Jobs that it began go on. Idempotent. */
  stop(): Promise<void> {
    return this.#looking.stop();
  }

  async #look(): Promise<boolean> {
    const { entries, jobs } = this.#parts;
    while (await jobs.takeUp());
    // One that cannot be begun does not hold up the others.
    const begun = await Promise.allSettled(entries.map((entry) => this.#begin(entry)));
    for (const one of begun) if (one.status === 'rejected') throw one.reason;
    return false;
  }

  async #begin({ wanted, ...terms }: Scheduled): Promise<void> {
    for (const job of await wanted()) await this.#parts.jobs.startDue({ ...job, principal: 'service' }, terms);
  }
}

/** A backup that failed is tried again sooner, but not all the time. A verification likewise. */
const FAILED_AGAIN_MS = 900_000;

export function scheduledBackup({ folder, everyMs }: BackupSchedule): readonly Scheduled[] {
  if (folder === undefined || everyMs <= 0) return [];
  const wanted = async () => [{ kind: 'backup', args: { folder } } as const];
  return [{ wanted, everyMs, againAfterMs: Math.min(everyMs, FAILED_AGAIN_MS) }];
}

/** An hour is verified again later, when messages that were not yet in the stores have arrived there. */
const HOURS_AGAIN = 2;

/** @param everyMs 0 for never. @param afterMs A start takes long enough without one. */
export function scheduledVerification(everyMs: number, afterMs = 60_000): readonly Scheduled[] {
  if (everyMs <= 0) return [];
  const hours = Math.ceil(everyMs / HOUR_MS) + HOURS_AGAIN;
  const wanted = after(afterMs, { kind: 'verify', args: { hours } });
  return [{ wanted, everyMs, againAfterMs: Math.min(everyMs, FAILED_AGAIN_MS) }];
}

/** What each store takes, every hour. @param afterMs A start takes long enough without it. */
export function scheduledSizes(afterMs = 60_000): readonly Scheduled[] {
  const wanted = after(afterMs, { kind: 'stores measure', args: {} });
  return [{ wanted, everyMs: HOUR_MS, againAfterMs: FAILED_AGAIN_MS }];
}

/** Wants a job, but not yet within this time from now. */
function after(ms: number, job: JobToStart): Scheduled['wanted'] {
  const madeAt = performance.now();
  return async () => (performance.now() - madeAt < ms ? [] : [job]);
}

/** People and projects of which something may be left, because a job ended too early or did not know of them. */
export function scheduledErasures(database: Database): readonly Scheduled[] {
  const wanted = async (): Promise<readonly JobToStart[]> => {
    const left = await database.query<{ readonly project: string | null }>(LEFT);
    return left.map(({ project }) =>
      project === null ? { kind: 'users erase', args: {} } : { kind: 'project erase', args: { project } },
    );
  };
  return [{ wanted, everyMs: 0, againAfterMs: 60_000 }];
}

/** Once a week; never where the log keeps messages for ever. A repeat must find the first copy, whatever is wanted. */
export function scheduledLogCut(config: Pick<Config, 'logRetentionMs' | 'repeatWindowMs'>): readonly Scheduled[] {
  if (config.logRetentionMs === null) return [];
  const keepMs = Math.max(config.logRetentionMs, config.repeatWindowMs);
  const wanted = async () => [{ kind: 'log cut', args: { keep_ms: keepMs } } as const];
  return [{ wanted, everyMs: WEEK_MS, againAfterMs: FAILED_AGAIN_MS }];
}

/** The events that projects no longer keep, once a day. */
export function scheduledDeletions(database: Database): readonly Scheduled[] {
  return [{ wanted: () => dueDeletions(database), everyMs: 0, againAfterMs: FAILED_AGAIN_MS }];
}

/** Null for all people together. */
const LEFT = `
  select distinct case when user_key = '' then project_id end as project from erasures where state = 'pending'`;
