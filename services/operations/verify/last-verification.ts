/** The last verification by the service itself, as its job found it. */
import type { Queryable } from '../../stores/database/database.ts';
import type { HourReport, VerificationReport } from '../../../schemas/verification-report.ts';
import { BY_SCHEDULE } from '../jobs/sql-job-store.ts';
import type { HourFilter, KeptReport } from './verification-hours.ts';

export interface LastVerification {
  /** The id of its job. */
  readonly id: string;
  readonly report: KeptReport;
  readonly finishedAtMs: number;
}

/** What is kept of verifications, as HTTP reads it, from another thread too. */
export interface KeptVerifications {
  /** The one that the service did last by itself; null before the first. */
  verification(): Promise<LastVerification | null>;
  /** See `keptHours`. */
  verificationHours(filter: HourFilter, limit: number): Promise<readonly HourReport[]>;
}

/** By how many messages the stores differ from the log. */
export interface Difference {
  readonly missing: { readonly postgres: number; readonly clickhouse: number };
  readonly surplus: { readonly postgres: number; readonly clickhouse: number };
}

export function differenceIn({ missing, surplus }: Pick<KeptReport, 'missing' | 'surplus'>): Difference {
  return {
    missing: {
      postgres: Math.max(missing.postgres.count, missing.postgres.uncounted),
      clickhouse: missing.clickhouse.count,
    },
    surplus: { postgres: surplus.postgres, clickhouse: surplus.clickhouse.count },
  };
}

/** What a verification ended with, where that was differences. */
export interface FoundDifference extends Difference, Pick<VerificationReport, 'project' | 'since' | 'until'> {
  /** The id of its job; null where the service did it by itself. */
  readonly job: string | null;
  readonly hoursDifferent: number;
  /** Users whose profile differs, where profiles were compared. */
  readonly profilesDifferent: number;
  /** Records of the log that are blank, and are not those of people who were forgotten. */
  readonly blankUnlisted: number;
}

/** Notes in the transaction in which a verification is kept that others are to be told of it. */
export type TellDifference = (transaction: Queryable, found: FoundDifference) => Promise<void>;

/** Has others told where the stores differ. */
export async function tellIfDifferent(
  tell: TellDifference,
  transaction: Queryable,
  report: VerificationReport,
  job: string | null,
): Promise<void> {
  const { equal, project, since, until, hours, profiles, blank_unlisted: blank } = report;
  if (equal) return;
  await tell(transaction, {
    job,
    project,
    since,
    until,
    ...differenceIn(report),
    hoursDifferent: hours.filter((hour) => !hour.equal).length,
    profilesDifferent: profiles?.different.count ?? 0,
    blankUnlisted: blank?.count ?? 0,
  });
}

/** Undefined before the first. */
export async function lastVerification(database: Queryable): Promise<LastVerification | undefined> {
  const [row] = await database.query<{ id: string; finished_at_ms: bigint; result: string }>(
    `select id, finished_at_ms, result from jobs where state = 'done' and ${BY_SCHEDULE}
     order by finished_at_ms desc limit 1`,
  );
  return (
    row && {
      id: row.id,
      finishedAtMs: Number(row.finished_at_ms),
      report: JSON.parse(row.result) as KeptReport,
    }
  );
}
