import { formatMs } from '../../messages/timestamp.ts';
import type { Progress } from '../../runtime/command.ts';
import { problemText } from './failures.ts';
import type { Job } from '../../operations/jobs/job.ts';

export function jobPath(id: string): string {
  return `/v1/admin/jobs/${id}`;
}

/** The result goes in as it is, every digit kept. */
export function jobJson(job: Job): string {
  const { id, kind, args, principal, state, progress, rate, result, failure } = job;
  const members = {
    id,
    kind,
    args,
    principal,
    state,
    created_at: formatMs(job.createdAtMs),
    started_at: jobTime(job.startedAtMs),
    finished_at: jobTime(job.finishedAtMs),
    progress,
    rate,
    seconds_left: secondsLeft(progress, rate),
  };
  const problem = failure === null ? 'null' : problemText(failure);
  return `${JSON.stringify(members).slice(0, -1)},"result":${result ?? 'null'},"problem":${problem}}`;
}

function secondsLeft(progress: Progress | null, rate: number | null): number | null {
  if (progress?.total === undefined || rate === null || rate <= 0) return null;
  return Math.max(0, Math.round((progress.total - progress.done) / rate));
}

function jobTime(ms: number | null): string | null {
  return ms === null ? null : formatMs(ms);
}
