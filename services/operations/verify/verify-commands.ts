import { backgroundThrottle, inSequence, type Throttle } from '../../consumers/throttle/throttle.ts';
import { hourOf } from '../../messages/day-and-hour.ts';
import type { Micros } from '../../messages/message.ts';
import { parseTimestamp } from '../../messages/timestamp.ts';
import { type CommandCall, type CommandJob, commandInvalid } from '../../runtime/command.ts';
import type { JobArguments } from '../jobs/job.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { SqlProjectStore } from '../../stores/projects/sql-project-store.ts';
import { type TellDifference, tellIfDifferent } from './last-verification.ts';
import { type InstalledStores, storesToVerify } from './live-stores.ts';
import type { Period } from './period.ts';
import type { VerificationReport } from '../../../schemas/verification-report.ts';
import { keepHours, keptReport } from './verification-hours.ts';
import { lastHours, verify } from './verify.ts';

export interface VerifyCommandParts extends InstalledStores {
  readonly projects: Pick<SqlProjectStore, 'findProject'>;
  readonly repeatWindowMs: number;
  readonly tell: TellDifference;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Between pieces of the log, where the service verifies by itself. */
  readonly throttle?: Throttle | undefined;
}

/**
 * The job `verify`. The service's own has `hours`, a number of whole hours up to now. For others `since` and `until` are
 * ISO-8601 (UTC where they say no offset), `24h`, `7d` or `2w` back from now, or `all`; they are widened to whole hours.
 * Without `since` the last 24 hours.
 *
 * @throws TidemarkError `COMMAND_INVALID`, `PROJECT_UNKNOWN`, and what the stores throw.
 */
export async function verifyPeriod(
  parts: VerifyCommandParts,
  args: JobArguments['verify'],
  call: CommandCall,
): Promise<VerificationReport> {
  return args.hours === undefined ? verifyNamed(parts, args, call) : verifyHours(parts, args.hours, call);
}

async function verifyNamed(
  parts: VerifyCommandParts,
  args: JobArguments['verify'],
  { report, signal, job }: CommandCall,
): Promise<VerificationReport> {
  const period = readPeriod(args, Date.now());
  if (period.projectId !== undefined) await checkProject(parts.projects, period.projectId);
  const stores = await storesToVerify(parts, period.projectId);
  const { repeatWindowMs } = parts;
  const found = await verify(stores, period, { deep: args.deep === true, repeatWindowMs, report, signal });
  await keepFound(parts, found, job, job?.id ?? null);
  return found;
}

/** Nobody waits for it, so it works a part of the time. */
async function verifyHours(
  parts: VerifyCommandParts,
  hours: number,
  { report, signal, job }: CommandCall,
): Promise<VerificationReport> {
  const { logger, repeatWindowMs } = parts;
  try {
    const throttle = inSequence(parts.throttle, backgroundThrottle());
    const rest = (ms: number): Promise<void> => throttle(ms, signal, 0);
    const found = await verify(await storesToVerify(parts), lastHours(hours), { repeatWindowMs, report, signal, rest });
    await keepFound(parts, found, job, null);
    const { equal, since, until, records_read: records, took_ms: tookMs, missing, surplus } = found;
    if (equal) logger.info({ since, until, records, tookMs }, 'verified: the stores have what the log has');
    else
      logger.error(
        { since, until, records, tookMs, missing, surplus },
        'verified: the stores do not have what the log has',
      );
    return found;
  } catch (error) {
    if (!signal.aborted) logger.warn({ err: error }, 'cannot verify the last hours now');
    throw error;
  }
}

/** @param named The job as those are told of it who want to know of differences. */
async function keepFound(
  { database, tell }: VerifyCommandParts,
  found: VerificationReport,
  job: CommandJob | undefined,
  named: string | null,
): Promise<void> {
  if (job === undefined) return;
  await database.transaction(async (transaction) => {
    await keepHours(transaction, job.id, found.hours);
    await tellIfDifferent(tell, transaction, found, named);
  });
  job.keep(keptReport(found));
}

export function readPeriod({ since = '24h', until, project }: JobArguments['verify'], nowMs: number): Period {
  const from = readInstant('since', since, nowMs);
  const to = until === undefined ? undefined : readInstant('until', until, nowMs);
  if (from !== undefined && to !== undefined && from >= to) throw commandInvalid('since must lie before until.');
  return {
    ...(from !== undefined && { since: hourOf(from) }),
    ...(to !== undefined && { until: hourOf(to - 1n) + 1 }),
    ...(project !== undefined && { projectId: project }),
  };
}

const PERIOD_UNIT_MS = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Undefined for no bound. */
function readInstant(name: string, value: string, nowMs: number): Micros | undefined {
  if (value === 'all') return undefined;
  const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(value) ?? [];
  const back = count === undefined ? undefined : Number(count) * PERIOD_UNIT_MS[unit as keyof typeof PERIOD_UNIT_MS];
  const parsed = parseTimestamp(back === undefined ? value : new Date(nowMs - back).toISOString(), 'UTC');
  if (parsed.ok) return parsed.micros;
  throw commandInvalid(`${name} is an ISO-8601 date-time, such as 2026-11-20T10:00Z, or 24h, 7d, 2w, or all.`);
}

async function checkProject(projects: Pick<SqlProjectStore, 'findProject'>, id: string): Promise<void> {
  // An unknown project is empty in the log and in the stores, so a wrong id would look like a project without faults.
  if ((await projects.findProject(id)) !== undefined) return;
  throw new TidemarkError('PROJECT_UNKNOWN', `There is no project ${JSON.stringify(id)}.`);
}
