/** Verifications over HTTP: started as jobs, listed, and read by project and hour. */
import type { Route } from '../../http/route.ts';
import { differenceIn, type LastVerification } from '../../operations/verify/last-verification.ts';
import { readPeriod } from '../../operations/verify/verify-commands.ts';
import type { HourCursor } from '../../operations/verify/verification-hours.ts';
import { formatMs } from '../../messages/timestamp.ts';
import { route } from '../input.ts';
import { given, pageAnswer, pageFrom, readCursor } from '../query.ts';
import { ADMIN, ADMIN_BODY, answerJob, notFound, routeWithBody } from './answers.ts';
import { jobsPage } from './job-answers.ts';
import { jobJson } from './job-json.ts';
import type { AdminPorts } from '../../operations/ports.ts';

/** Names the last that the service did by itself, instead of the id of its job. */
const LAST = 'last';

export function verificationRoutes({ figures, jobs }: Pick<AdminPorts, 'figures' | 'jobs'>): Route[] {
  return [
    routeWithBody('POST /v1/admin/verifications', ADMIN_BODY, (call, period) => {
      // Before there is a job that fails.
      readPeriod(period, Date.now());
      return answerJob(jobs, call, { kind: 'verify', args: period });
    }),
    // Those that were started, newest first, and the last that the service did by itself.
    route('GET /v1/admin/verifications', ADMIN, async (_, { query }) => {
      const page = await jobsPage(jobs, { ...query, kind: 'verify' });
      if (!page.ok) return page.refusal;
      const answer = pageAnswer('verifications', page.value);
      const last = JSON.stringify(lastOf(await figures.verification()));
      return { ...answer, body: `${answer.body.slice(0, -1)},"last":${last}}` };
    }),
    // How it stands, and what it found by project and hour, the newest hour first.
    route('GET /v1/admin/verifications/{id}', ADMIN, async (_, { path: { id }, query }) => {
      const { limit, cursor, project, differing } = query;
      const after = readCursor(cursor, decodeHour);
      if (!after.ok) return after.refusal;
      const job = await jobs.find(id === LAST ? ((await figures.verification())?.id ?? '') : id);
      if (job?.kind !== 'verify')
        return notFound(id === LAST ? 'The service has not verified by itself yet.' : 'There is no such verification.');
      const isDifferent = differing === undefined ? undefined : differing === 'true';
      const filter = given({ project, isDifferent, after: after.value });
      const found = await figures.verificationHours({ ...filter, verification: job.id }, limit + 1);
      const { items, next } = pageFrom(found, limit, encodeHour);
      const hours = items.map((hour) => JSON.stringify(hour));
      return pageAnswer('hours', { items: hours, next }, `"verification":${jobJson({ ...job, id })},`);
    }),
  ];
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
