import { setTimeout as delay } from 'node:timers/promises';
import type { Refusal } from '../../http/problems.ts';
import type { Answer, Route } from '../../http/route.ts';
import { type Input, route } from '../input.ts';
import { type Checked, type ListPage, pageAnswer, pageFrom, readCursor } from '../query.ts';
import type { JobRunner } from '../../operations/jobs/job-runner.ts';
import type { AdminPorts } from '../../operations/ports.ts';
import { ADMIN, notFound } from './answers.ts';
import { isFinished, type Job, type JobCursor } from '../../operations/jobs/job.ts';
import { jobJson } from './job-json.ts';

export function jobRoutes({ jobs }: Pick<AdminPorts, 'jobs'>): Route[] {
  return [
    route('GET /v1/admin/jobs', ADMIN, async (_, { query }) => {
      const page = await jobsPage(jobs, query);
      return page.ok ? pageAnswer('jobs', page.value) : page.refusal;
    }),
    route('GET /v1/admin/jobs/{id}', ADMIN, async ({ signal }, { path, query }) => {
      return jobAnswer(await waitForJob(jobs, path.id, query.wait * 1_000, signal));
    }),
    // Asks for its end, and does not wait for it.
    route('DELETE /v1/admin/jobs/{id}', ADMIN, async (_, { path }) => {
      const job = await jobs.cancel(path.id);
      const answer = jobAnswer(job);
      if (job === undefined || 'refused' in answer) return answer;
      return { ...answer, audit: { action: 'job.cancel', object: job.id, project: null } };
    }),
  ];
}

/** A page of jobs as JSON texts, newest first. */
export async function jobsPage(
  jobs: JobRunner,
  { limit, cursor, kind, state }: Input<'GET /v1/admin/jobs'>['query'],
): Promise<Checked<ListPage<string>>> {
  const after = readCursor(cursor, decodeJobCursor);
  if (!after.ok) return after;
  const found = await jobs.list(limit + 1, { kind, state, after: after.value });
  const { items, next } = pageFrom(found, limit, encodeJobCursor);
  return { ok: true, value: { items: items.map(jobJson), next } };
}

function jobAnswer(job: Job | undefined): Answer | Refusal {
  return job === undefined ? notFound('There is no such job.') : { status: 200, body: jobJson(job) };
}

function encodeJobCursor({ createdAtMs, id }: JobCursor): string {
  return Buffer.from(`${createdAtMs} ${id}`).toString('base64url');
}

function decodeJobCursor(text: string): JobCursor | undefined {
  const [, ms, id] = /^(\d{1,15}) (job_[0-9a-f]{20})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return ms === undefined || id === undefined ? undefined : { createdAtMs: Number(ms), id };
}

/** A job, once it has ended or this time is over. */
export async function waitForJob(
  jobs: Pick<JobRunner, 'find'>,
  id: string,
  waitMs: number,
  signal: AbortSignal,
): Promise<Job | undefined> {
  const until = performance.now() + waitMs;
  for (;;) {
    const job = await jobs.find(id);
    if (job === undefined || isFinished(job) || performance.now() >= until || signal.aborted) return job;
    await delay(Math.min(POLL_MS, Math.max(1, until - performance.now()))).catch(() => undefined);
  }
}

const POLL_MS = 250;
