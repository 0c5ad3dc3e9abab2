import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { type Checked, readLimit, readWait, refuseParameter, single } from '../../query-api/query.ts';
import { type AdminPort, waitForJob } from '../admin-commands.ts';
import type { AdminCall } from '../answers.ts';
import { notFound } from '../reading.ts';
import { type Job, type JobCursor, type JobState } from './job.ts';
import { jobJson } from './job-json.ts';

const JOB_STATES: readonly JobState[] = ['queued', 'running', 'done', 'failed', 'cancelled', 'interrupted'];

export const VERIFICATION_PARAMETERS = ['state', 'limit', 'cursor'] as const;
export const JOB_PARAMETERS = ['kind', ...VERIFICATION_PARAMETERS] as const;

/** `GET /v1/admin/jobs` */
export async function answerJobs(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> {
  const page = await jobsPage(port, call);
  if (!page.ok) return page.refusal;
  const { jobs, next } = page.value;
  return { status: 200, body: `{"jobs":[${jobs.join(',')}],"next_cursor":${JSON.stringify(next)}}` };
}

/** A page of jobs as JSON texts, newest first. @param kind The only kind that is listed; else the parameter says. */
export async function jobsPage(
  port: AdminPort,
  { query }: AdminCall,
  kind?: string,
): Promise<Checked<{ readonly jobs: readonly string[]; readonly next: string | null }>> {
  const limit = single(query, 'limit', readLimit);
  if (!limit.ok) return limit;
  const state = single(query, 'state', readJobState);
  if (!state.ok) return state;
  const after = single(query, 'cursor', readJobCursor);
  if (!after.ok) return after;
  const filter = { kind: kind ?? query.get('kind') ?? undefined, state: state.value, after: after.value };
  // One more than the page has tells whether there is another.
  const found = await port.listJobs(limit.value + 1, filter);
  const page = found.slice(0, limit.value);
  const last = page.at(-1);
  const next = found.length > page.length && last !== undefined ? encodeJobCursor(last) : null;
  return { ok: true, value: { jobs: page.map(jobJson), next } };
}

/** `GET /v1/admin/jobs/:id` */
export async function answerJobState(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> {
  const wait = single(call.query, 'wait', readWait);
  if (!wait.ok) return wait.refusal;
  return jobAnswer(await waitForJob(port, call.params['id'] ?? '', wait.value, call.signal));
}

/** `DELETE /v1/admin/jobs/:id`: asks for its end, and does not wait for it. */
export async function answerJobCancel(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> {
  const job = await port.cancelJob(call.params['id'] ?? '');
  const answer = jobAnswer(job);
  if (job === undefined || 'refused' in answer) return answer;
  return { ...answer, audit: { action: 'job.cancel', object: job.id, project: null } };
}

function jobAnswer(job: Job | undefined): Answer | Refusal {
  return job === undefined ? notFound('There is no such job.') : { status: 200, body: jobJson(job) };
}

function readJobState(text: string | undefined): Checked<JobState | undefined> {
  const state = JOB_STATES.find((one) => one === text);
  if (text === undefined || state !== undefined) return { ok: true, value: state };
  return refuseParameter('state', `is one of ${JOB_STATES.join(', ')}`);
}

function encodeJobCursor({ createdAtMs, id }: JobCursor): string {
  return Buffer.from(`${createdAtMs} ${id}`).toString('base64url');
}

function readJobCursor(text: string | undefined): Checked<JobCursor | undefined> {
  if (text === undefined) return { ok: true, value: undefined };
  const [, ms, id] = /^(\d{1,15}) (job_[0-9a-f]{20})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (ms === undefined || id === undefined) return refuseParameter('cursor', 'is not one that this service gave');
  return { ok: true, value: { createdAtMs: Number(ms), id } };
}
