import { hourOf } from '../../messages/day-and-hour.ts';
import type { Micros } from '../../messages/message.ts';
import { parseTimestamp } from '../../messages/timestamp.ts';
import { type CommandCall, commandInvalid } from '../../runtime/command.ts';
import type { JobArguments } from '../jobs/job.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { SqlProjectStore } from '../../stores/projects/sql-project-store.ts';
import { type TellDifference, tellIfDifferent } from './last-verification.ts';
import { type InstalledStores, storesToVerify } from './live-stores.ts';
import type { Period } from './period.ts';
import type { VerificationReport } from '../../../schemas/verification-report.ts';
import { keepHours, keptReport } from './verification-hours.ts';
import { verify } from './verify.ts';

export interface VerifyCommandParts extends InstalledStores {
  readonly projects: Pick<SqlProjectStore, 'findProject'>;
  readonly repeatWindowMs: number;
  readonly tell: TellDifference;
}

/**
 * The job `verify`: `since` and `until` are ISO-8601 (UTC where they say no offset), `24h`, `7d` or `2w` back from now, or
 * `all`; they are widened to whole hours. Without `since` the last 24 hours.
 *
 * @throws TidemarkError `COMMAND_INVALID`, `PROJECT_UNKNOWN`, and what the stores throw.
 */
export async function verifyPeriod(
  parts: VerifyCommandParts,
  args: JobArguments['verify'],
  { report, signal, job }: CommandCall,
): Promise<VerificationReport> {
  const period = readPeriod(args, Date.now());
  if (period.projectId !== undefined) await checkProject(parts.projects, period.projectId);
  const stores = await storesToVerify(parts, period.projectId);
  const { repeatWindowMs } = parts;
  const found = await verify(stores, period, { deep: args.deep === true, repeatWindowMs, report, signal });
  if (job !== undefined) {
    await parts.database.transaction(async (transaction) => {
      await keepHours(transaction, job.id, found.hours);
      await tellIfDifferent(parts.tell, transaction, found, job.id);
    });
    job.keep(keptReport(found));
  }
  return found;
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
