/** The last verification by the service itself, shared by all processes of an installation. */
import type { Database, Queryable } from '../../stores/database/database.ts';
import { TRANSACTION_MS } from '../../stores/database/sql-time.ts';
import type { HourReport, VerificationReport } from '../../../schemas/verification-report.ts';
import { type HourFilter, keepHours, type KeptReport, keptReport, LAST } from './verification-hours.ts';

export interface LastVerification {
  /** Null where an earlier version did it. */
  readonly report: KeptReport | null;
  readonly finishedAtMs: number;
  readonly missing: { readonly postgres: number; readonly clickhouse: number };
  readonly surplus: { readonly postgres: number; readonly clickhouse: number };
}

/** What is kept of verifications, as HTTP reads it, from another thread too. */
export interface KeptVerifications {
  /** The one that the service did last by itself; null before the first. */
  verification(): Promise<LastVerification | null>;
  /** See `keptHours`. */
  verificationHours(filter: HourFilter, limit: number): Promise<readonly HourReport[]>;
}

/** Returns whether a verification is due, and if so claims it: only one process is told so. */
export async function takeTurn(database: Queryable, everyMs: number): Promise<boolean> {
  const rows = await database.query(
    `insert into verifications as last (begun_at_ms) values (${TRANSACTION_MS})
     on conflict (only_row) do update set begun_at_ms = excluded.begun_at_ms
     where last.begun_at_ms <= excluded.begun_at_ms - $1::int8
     returning 1`,
    [everyMs],
  );
  return rows.length > 0;
}

/** By how many messages the stores differ from the log. */
export function differenceIn({ missing, surplus }: VerificationReport): Pick<LastVerification, 'missing' | 'surplus'> {
  return {
    missing: {
      postgres: Math.max(missing.postgres.count, missing.postgres.uncounted),
      clickhouse: missing.clickhouse.count,
    },
    surplus: { postgres: surplus.postgres, clickhouse: surplus.clickhouse.count },
  };
}

/** What a verification ended with, where that was differences. */
export interface FoundDifference
  extends Pick<LastVerification, 'missing' | 'surplus'>, Pick<VerificationReport, 'project' | 'since' | 'until'> {
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

export async function remember(database: Database, report: VerificationReport, tell: TellDifference): Promise<void> {
  const { missing, surplus } = differenceIn(report);
  await database.transaction(async (transaction) => {
    await keepHours(transaction, LAST, report.hours);
    await transaction.query(
      `update verifications
       set finished_at_ms = ${TRANSACTION_MS}, missing_postgres = $1::int8, missing_clickhouse = $2::int8,
           surplus_postgres = $3::int8, surplus_clickhouse = $4::int8, report = $5`,
      [missing.postgres, missing.clickhouse, surplus.postgres, surplus.clickhouse, JSON.stringify(keptReport(report))],
    );
    await tellIfDifferent(tell, transaction, report, null);
  });
}

/** Undefined before the first verification. */
export async function lastVerification(database: Queryable): Promise<LastVerification | undefined> {
  const [row] = await database.query<VerificationRow>(
    `select finished_at_ms, missing_postgres, missing_clickhouse, surplus_postgres, surplus_clickhouse, report
     from verifications
     where finished_at_ms is not null`,
  );
  return (
    row && {
      finishedAtMs: Number(row.finished_at_ms),
      report: row.report === null ? null : (JSON.parse(row.report) as KeptReport),
      missing: { postgres: Number(row.missing_postgres), clickhouse: Number(row.missing_clickhouse) },
      surplus: { postgres: Number(row.surplus_postgres), clickhouse: Number(row.surplus_clickhouse) },
    }
  );
}

type VerificationRow = Readonly<
  Record<'finished_at_ms' | `${'missing' | 'surplus'}_${'postgres' | 'clickhouse'}`, bigint>
> & { readonly report: string | null };
