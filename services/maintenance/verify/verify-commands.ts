import { hourOf } from '../../messages/day-and-hour.ts';
import type { Micros } from '../../messages/message.ts';
import { formatMicros, parseTimestamp } from '../../messages/timestamp.ts';
import type { ProjectStore } from '../../stores/projects/project-store.ts';
import { type Command, type CommandArguments, commandInvalid } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { lastVerification } from './last-verification.ts';
import { type InstalledStores, storesToVerify } from './live-stores.ts';
import type { Period } from './period.ts';
import type { HourReport, VerificationReport } from './report.ts';
import { type HourFilter, keepHours, keptHours, type KeptReport, keptReport, LAST } from './verification-hours.ts';
import { verify } from './verify.ts';

export interface VerifyCommandResults {
  readonly verify: VerificationReport;
  readonly 'verify last': VerificationSummary | null;
  readonly 'verify hours': VerificationHours;
}

/** A page of the hours that are kept of a verification. */
export interface VerificationHours {
  readonly hours: readonly HourReport[];
  /** The verification that the service did last by itself, where it was asked for; null where there was none yet. */
  readonly last?: { readonly finished_at: string; readonly report: KeptReport | null } | null;
}

/** What the service found when it last verified by itself: how many messages are missing, or are there without reason. */
export interface VerificationSummary {
  readonly finished_at: string;
  readonly missing: { readonly postgres: number; readonly clickhouse: number };
  readonly surplus: { readonly postgres: number; readonly clickhouse: number };
}

export type VerifyCommands = {
  readonly [Name in keyof VerifyCommandResults]: Command<VerifyCommandResults[Name]>;
};

export interface VerifyCommandParts extends InstalledStores {
  readonly projects: Pick<ProjectStore, 'listProjects'>;
  readonly repeatWindowMs: number;
}

/**
 * `verify`: `since` and `until` are ISO-8601 (UTC where they say no offset), `24h`, `7d` or `2w` back from now, or
 * `all`; they are widened to whole hours. Without `since` the last 24 hours.
 *
 * It throws TidemarkError `COMMAND_INVALID`, `PROJECT_UNKNOWN`, and what the stores throw.
 */
export function verifyCommands(parts: VerifyCommandParts): VerifyCommands {
  return {
    'verify last': async () => {
      const last = await lastVerification(parts.database);
      if (last === undefined) return null;
      const { finishedAtMs, missing, surplus } = last;
      return { finished_at: timeOf(finishedAtMs), missing, surplus };
    },
    'verify hours': async (args) => {
      const { limit, ...filter } = args as unknown as HourFilter & { readonly limit: number };
      const hours = await keptHours(parts.database, filter, limit);
      if (filter.verification !== LAST) return { hours };
      const last = await lastVerification(parts.database);
      return {
        hours,
        last: last === undefined ? null : { finished_at: timeOf(last.finishedAtMs), report: last.report },
      };
    },
    verify: async (args, { report, signal, job }) => {
      const period = readPeriod(args, Date.now());
      if (period.projectId !== undefined) await checkProject(parts.projects, period.projectId);
      const stores = await storesToVerify(parts, period.projectId);
      const { repeatWindowMs } = parts;
      const found = await verify(stores, period, { deep: args['deep'] === true, repeatWindowMs, report, signal });
      if (job !== undefined) {
        await parts.database.transaction((transaction) => keepHours(transaction, job.id, found.hours));
        job.keep(keptReport(found));
      }
      return found;
    },
  };
}

function timeOf(ms: number): string {
  return formatMicros(BigInt(ms) * 1000n);
}

export function readPeriod({ since = '24h', until, project }: CommandArguments, nowMs: number): Period {
  const from = readInstant('since', since, nowMs);
  const to = until === undefined ? undefined : readInstant('until', until, nowMs);
  if (from !== undefined && to !== undefined && from >= to) throw commandInvalid('since must lie before until.');
  if (project !== undefined && typeof project !== 'string')
    throw commandInvalid('project must be the id of a project.');
  return {
    ...(from !== undefined && { since: hourOf(from) }),
    ...(to !== undefined && { until: hourOf(to - 1n) + 1 }),
    ...(project !== undefined && { projectId: project }),
  };
}

const PERIOD_UNIT_MS = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Undefined for no bound. */
function readInstant(name: string, value: unknown, nowMs: number): Micros | undefined {
  if (value === 'all') return undefined;
  if (typeof value === 'string') {
    const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(value) ?? [];
    const back = count === undefined ? undefined : Number(count) * PERIOD_UNIT_MS[unit as keyof typeof PERIOD_UNIT_MS];
    const parsed = parseTimestamp(back === undefined ? value : new Date(nowMs - back).toISOString(), 'UTC');
    if (parsed.ok) return parsed.micros;
  }
  throw commandInvalid(`${name} is an ISO-8601 date-time, such as 2026-11-20T10:00Z, or 24h, 7d, 2w, or all.`);
}

async function checkProject(projects: Pick<ProjectStore, 'listProjects'>, id: string): Promise<void> {
  // An unknown project is empty in the log and in the stores, so a wrong id would look like a project without faults.
  if ((await projects.listProjects()).some((project) => project.id === id)) return;
  throw new TidemarkError('PROJECT_UNKNOWN', `There is no project ${JSON.stringify(id)}.`);
}
