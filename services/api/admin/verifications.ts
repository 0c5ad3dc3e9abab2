/** Verifications over HTTP: started as jobs, listed, and read by project and hour. */
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { differenceIn, type LastVerification } from '../../operations/verify/last-verification.ts';
import { readPeriod } from '../../operations/verify/verify-commands.ts';
import type { HourCursor } from '../../operations/verify/verification-hours.ts';
import { formatMs } from '../../messages/timestamp.ts';
import type { Input } from '../input.ts';
import { given, pageFrom, readCursor } from '../query.ts';
import { type AdminCall, answerJob, notFound, readMembers } from './answers.ts';
import { jobsPage } from './job-answers.ts';
import { jobJson } from './job-json.ts';
import type { AdminPorts } from '../../operations/ports.ts';

/** Names the last that the service did by itself, instead of the id of its job. */
const LAST = 'last';

/** `POST /v1/admin/verifications` */
export async function answerVerification({ jobs }: AdminPorts, call: AdminCall): Promise<Answer | Refusal> {
  const members = readMembers('POST /v1/admin/verifications', call);
  if (!members.ok) return members.refusal;
  // Before there is a job that fails.
  readPeriod(members.value, Date.now());
  return answerJob(jobs, call, { kind: 'verify', args: members.value });
}

/** `GET /v1/admin/verifications`: those that were started, newest first, and the last that the service did by itself. */
export async function answerVerifications(
  { figures, jobs }: AdminPorts,
  query: Input<'GET /v1/admin/verifications'>['query'],
): Promise<Answer | Refusal> {
  const page = await jobsPage(jobs, { ...query, kind: 'verify' });
  if (!page.ok) return page.refusal;
  const last = lastOf(await figures.verification());
  const { items, next } = page.value;
  const body = `{"verifications":[${items.join(',')}],"next_cursor":${JSON.stringify(next)},"last":${JSON.stringify(last)}}`;
  return { status: 200, body };
}

/** `GET /v1/admin/verifications/:id`: how it stands, and what it found by project and hour, the newest hour first. */
export async function answerVerificationHours(
  { figures, jobs }: AdminPorts,
  { path: { id }, query: { limit, cursor, project, differing } }: Input<'GET /v1/admin/verifications/{id}'>,
): Promise<Answer | Refusal> {
  const after = readCursor(cursor, decodeHour);
  if (!after.ok) return after.refusal;
  const job = await jobs.find(id === LAST ? ((await figures.verification())?.id ?? '') : id);
  if (job?.kind !== 'verify')
    return notFound(id === LAST ? 'The service has not verified by itself yet.' : 'There is no such verification.');
  const isDifferent = differing === undefined ? undefined : differing === 'true';
  const filter = given({ project, isDifferent, after: after.value });
  const found = await figures.verificationHours({ ...filter, verification: job.id }, limit + 1);
  const { items: hours, next } = pageFrom(found, limit, encodeHour);
  const body = `{"verification":${jobJson({ ...job, id })},"hours":${JSON.stringify(hours)},"next_cursor":${JSON.stringify(next)}}`;
  return { status: 200, body };
}

/** How many messages are missing, or are there without reason. */
function lastOf(last: LastVerification | null): object | null {
  if (last === null) return null;
  const { finishedAtMs, report } = last;
  return { finished_at: formatMs(finishedAtMs), hours_compared: report.hours_compared, ...differenceIn(report) };
}

function encodeHour({ hour, project }: { readonly hour: string; readonly project: string }): string {
  return Buffer.from(`${Date.parse(hour)} ${project}`).toString('base64url');
}

function decodeHour(text: string): HourCursor | undefined {
  const [, ms, project] = /^(\d{1,15}) (\S{1,64})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return ms === undefined || project === undefined ? undefined : { hourMs: Number(ms), project };
}
