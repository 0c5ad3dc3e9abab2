import { setTimeout as delay } from 'node:timers/promises';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { Input } from '../input.ts';
import { type Checked, pageFrom, readCursor } from '../query.ts';
import type { JobRunner } from '../../operations/jobs/job-runner.ts';
import { type AdminCall, notFound } from './answers.ts';
import { isFinished, type Job, type JobCursor } from '../../operations/jobs/job.ts';
import { jobJson } from './job-json.ts';

type JobsQuery = Input<'GET /v1/admin/jobs'>['query'];

/** `GET /v1/admin/jobs`, and those of one kind by another name. */
export async function answerJobs(jobs: JobRunner, query: JobsQuery, name = 'jobs'): Promise<Answer | Refusal> {
  const page = await jobsPage(jobs, query);
  if (!page.ok) return page.refusal;
  const { items, next } = page.value;
  return { status: 200, body: `{"${name}":[${items.join(',')}],"next_cursor":${JSON.stringify(next)}}` };
}

/** A page of jobs as JSON texts, newest first. */
export async function jobsPage(
  jobs: JobRunner,
  { limit, cursor, kind, state }: JobsQuery,
): Promise<Checked<{ readonly items: readonly string[]; readonly next: string | null }>> {
  const after = readCursor(cursor, decodeJobCursor);
  if (!after.ok) return after;
  const found = await jobs.list(limit + 1, { kind, state, after: after.value });
  const { items, next } = pageFrom(found, limit, encodeJobCursor);
  return { ok: true, value: { items: items.map(jobJson), next } };
}

/** `GET /v1/admin/jobs/:id`, and one of a kind alone. */
export async function answerJobState(
  jobs: JobRunner,
  { signal }: AdminCall,
  { path, query }: Input<'GET /v1/admin/jobs/{id}' | 'GET /v1/admin/imports/{id}'>,
  kind?: string,
): Promise<Answer | Refusal> {
  return jobAnswer(await waitForJob(jobs, path.id, query.wait * 1_000, signal), kind);
}

/** `DELETE /v1/admin/jobs/:id`: asks for its end, and does not wait for it. */
export async function answerJobCancel(jobs: JobRunner, call: AdminCall): Promise<Answer | Refusal> {
  const job = await jobs.cancel(call.params['id'] ?? '');
  const answer = jobAnswer(job);
  if (job === undefined || 'refused' in answer) return answer;
  return { ...answer, audit: { action: 'job.cancel', object: job.id, project: null } };
}

function jobAnswer(job: Job | undefined, kind?: string): Answer | Refusal {
  if (job === undefined || job.kind !== (kind ?? job.kind)) return notFound(`There is no such ${kind ?? 'job'}.`);
  return { status: 200, body: jobJson(job) };
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
