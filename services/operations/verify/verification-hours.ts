/** What verifications found by project and hour, as it is kept. */
import type { Queryable } from '../../stores/database/database.ts';
import { BY_SCHEDULE } from '../jobs/sql-job-store.ts';
import type { HourReport, VerificationReport } from '../../../schemas/verification-report.ts';

/** The most hours of one verification that are kept: those that differ first, then the newest. */
const MAX_HOURS = 10_000;
/** The most verifications whose hours are kept, beside those that the service did by itself. */
const MAX_VERIFICATIONS = 20;

/** What a verification found, without its hours, of which only the numbers are there. */
export interface KeptReport extends Omit<VerificationReport, 'hours'> {
  readonly hours_compared: number;
  readonly hours_different: number;
}

export function keptReport({ hours, ...report }: VerificationReport): KeptReport {
  const different = hours.filter(({ equal }) => !equal).length;
  return { ...report, hours_compared: hours.length, hours_different: different };
}

/** Replaces the hours that are kept of this verification, and removes those of old ones. @param most For tests. */
export async function keepHours(
  database: Queryable,
  verification: string,
  hours: readonly HourReport[],
  most = MAX_HOURS,
): Promise<void> {
  const kept = hours.toSorted(worstFirst).slice(0, most);
  await database.query('delete from verification_hours where verification = $1', [verification]);
  await database.query(
    `insert into verification_hours (verification, hour_ms, project_id, is_equal, report)
     select $1, hour_ms, project_id, is_equal, report
     from unnest($2::int8[], $3::text[], $4::boolean[], $5::text[]) as given (hour_ms, project_id, is_equal, report)`,
    [
      verification,
      kept.map(({ hour }) => BigInt(Date.parse(hour))),
      kept.map(({ project }) => project),
      kept.map(({ equal }) => equal),
      kept.map((hour) => JSON.stringify(hour)),
    ],
  );
  await database.query(REMOVE_OLD, [verification, MAX_VERIFICATIONS]);
}

const REMOVE_OLD = `
  delete from verification_hours
  where verification <> $1 and verification not in (select id from jobs where ${BY_SCHEDULE})
    and verification not in (select id from jobs where kind = 'verify' order by created_at_ms desc, id desc limit $2::int4)`;

function worstFirst(one: HourReport, other: HourReport): number {
  if (one.equal !== other.equal) return one.equal ? 1 : -1;
  if (one.hour === other.hour) return 0;
  return one.hour < other.hour ? 1 : -1;
}

/** After which hour a page begins. */
export interface HourCursor {
  readonly hourMs: number;
  readonly project: string;
}

export interface HourFilter {
  readonly verification: string;
  readonly project?: string | undefined;
  /** Only those that differ, or only those that do not. */
  readonly isDifferent?: boolean | undefined;
  readonly after?: HourCursor | undefined;
}

/** The newest first, those of one hour by project. */
export async function keptHours(
  database: Queryable,
  { verification, project, isDifferent, after }: HourFilter,
  limit: number,
): Promise<readonly HourReport[]> {
  const rows = await database.query<{ readonly report: string }>(
    `select report from verification_hours
     where verification = $1
       and ($2::text is null or project_id = $2)
       and ($3::boolean is null or is_equal <> $3)
       and ($4::int8 is null or hour_ms < $4 or (hour_ms = $4 and project_id > $5))
     order by hour_ms desc, project_id
     limit $6::int4`,
    [
      verification,
      project ?? null,
      isDifferent ?? null,
      after === undefined ? null : BigInt(after.hourMs),
      after?.project ?? '',
      limit,
    ],
  );
  return rows.map(({ report }) => JSON.parse(report) as HourReport);
}
