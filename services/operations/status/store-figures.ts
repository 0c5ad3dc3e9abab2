import { lastBackup, type LastBackup } from '../backup/last-backup.ts';
import { lastVerification, type LastVerification } from '../verify/last-verification.ts';
import { type Diagnosis, diagnoseStores } from './diagnosis.ts';
import { type DataFolders, type StoredBytes, storedBytes } from './disk.ts';
import { type NotedStores, notedStores, noteSizes } from './store-sizes.ts';
import type { EventLog } from '../../event-log/event-log.ts';
import type { HourReport } from '../../../schemas/verification-report.ts';
import { type HourFilter, keptHours } from '../verify/verification-hours.ts';
import { type Hour, hourOf } from '../../messages/day-and-hour.ts';
import type { AnalyticsReader } from '../../stores/analytics/analytics-store.ts';
import type { Database } from '../../stores/database/database.ts';
import { SchemaDatabase } from '../../stores/database/schema-database.ts';
import { schemaOf } from '../../stores/generations/generation.ts';
import type { Erasure, NewestErasure } from '../../stores/erasures/erasure.ts';
import type { ErasedUsers } from '../../stores/erasures/erased-users.ts';
import { ErasedUsersReader } from '../../stores/erasures/read-erased-users.ts';
import { SqlErasures } from '../../stores/erasures/sql-erasures.ts';
import { LiveGenerations } from '../../stores/generations/live-generations.ts';
import { findUnwell, type Unwell } from './unwell.ts';
import { pausedEndpoints } from '../../stores/service-state/restore-state.ts';

export interface ProjectFigures {
  /** The last 24 hours, newest first, as profiles have counted them so far; without those that have none. */
  readonly hours: readonly { readonly hour: Hour; readonly messages: number; readonly repeats: number }[];
  /** Since midnight, UTC. */
  readonly refusedToday: number;
  /** On the day before. */
  readonly refusedYesterday: number;
  /** The last seven days, the oldest first. */
  readonly refusedDays: readonly number[];
  /** Null before the first. */
  readonly verification: ProjectVerification | null;
  /** The saved audiences whose size changed most within a day, at most five. */
  readonly movedAudiences: readonly MovedAudience[];
  readonly unwell: readonly Unwell[];
}

export interface MovedAudience {
  readonly id: string;
  readonly name: string;
  readonly members: number;
  /** A day ago; null where it had no size then. */
  readonly before: number | null;
}

/** The verification of the project that ended last, whoever began it. */
export interface ProjectVerification {
  readonly finishedAtMs: number;
  /** Hours in which the project had messages. */
  readonly hours: number;
  readonly different: number;
  /** Up to when messages had arrived that were compared. */
  readonly untilMs: number;
}

/** What the stores tell of the installation. Arguments and results can be cloned between threads. */
export class SqlStoreFigures {
  readonly #database: Database;
  readonly #analytics: Pick<AnalyticsReader, 'ask'>;
  readonly #live: LiveGenerations;
  readonly #erased: ErasedUsersReader;

  constructor(database: Database, analytics: Pick<AnalyticsReader, 'ask'>) {
    this.#database = database;
    this.#analytics = analytics;
    this.#live = new LiveGenerations(database);
    this.#erased = new ErasedUsersReader(database);
  }

  /** Bytes of the database of profiles on the disk of its server. */
  async profilesBytes(): Promise<number> {
    const sql = 'select pg_database_size(current_database()) as bytes';
    const [row] = await this.#database.query<{ readonly bytes: bigint }>(sql);
    return Number(row?.bytes ?? 0);
  }

  /** Bytes of the rows of analytics on the disk of its server; of a cluster, on the node that answers. */
  async analyticsBytes(): Promise<number> {
    const { rows } = await this.#analytics.ask({ sql: ANALYTICS_BYTES, params: {} }, LIMITS);
    return Number(rows[0]?.['bytes'] ?? 0);
  }

  /** The job `stores measure`. */
  async measure(folders: DataFolders, log: Pick<EventLog, 'storedBytes'>): Promise<StoredBytes> {
    return noteSizes(this.#database, await storedBytes(folders, this, log));
  }

  diagnosis(): Promise<Diagnosis> {
    return diagnoseStores(this.#database, this.#analytics);
  }

  /** See `notedStores`. */
  notedStores(): Promise<NotedStores> {
    return notedStores(this.#database);
  }

  async verification(): Promise<LastVerification | null> {
    return (await lastVerification(this.#database)) ?? null;
  }

  verificationHours(filter: HourFilter, limit: number): Promise<readonly HourReport[]> {
    return keptHours(this.#database, filter, limit);
  }

  lastBackup(folder: string | undefined): Promise<LastBackup | null> {
    return lastBackup(this.#database, folder);
  }

  /** The oldest erasure that is not done; null where all are. */
  oldestErasure(): Promise<Erasure | null> {
    return new SqlErasures(this.#database).oldestPending();
  }

  /** How many endpoints a restore for a drill has paused, and nobody has enabled since. */
  pausedForDrill(): Promise<number> {
    return pausedEndpoints(this.#database);
  }

  /** See `findUnwell`. */
  unwell(projectId: string | null): Promise<readonly Unwell[]> {
    return findUnwell(this.#database, projectId);
  }

  /** See `SqlErasures.newestOfProject`. */
  newestErasure(projectId: string): Promise<NewestErasure | null> {
    return new SqlErasures(this.#database).newestOfProject(projectId);
  }

  leftOut(): Promise<ErasedUsers> {
    return this.#erased.read();
  }

  async ofProject(projectId: string): Promise<ProjectFigures> {
    const nowMs = Date.now();
    const profiles = schemaOf('profiles', await this.#live.numberOf('profiles', projectId));
    const thisHour = hourOf(BigInt(nowMs) * 1_000n);
    const today = Math.floor(nowMs / ONE_DAY_MS);
    const [hours, refusals, [verified], moved, unwell] = await Promise.all([
      new SchemaDatabase(this.#database, profiles).query<Record<'hour' | 'messages' | 'repeats', bigint>>(HOURS, [
        projectId,
        thisHour - HOURS_BACK,
      ]),
      this.#database.query<{ readonly day: number; readonly count: bigint }>(REFUSALS, [projectId, today]),
      this.#database.query<VerifiedRow>(VERIFIED, [projectId]),
      this.#database.query<MovedRow>(MOVED, [projectId, BigInt(nowMs - ONE_DAY_MS) * 1_000n]),
      this.unwell(projectId),
    ]);
    const byDay = new Map(refusals.map(({ day, count }) => [day, Number(count)]));
    return {
      hours: hours.map(({ hour, messages, repeats }) => ({
        hour: Number(hour),
        messages: Number(messages),
        repeats: Number(repeats),
      })),
      refusedToday: byDay.get(today) ?? 0,
      refusedYesterday: byDay.get(today - 1) ?? 0,
      refusedDays: Array.from({ length: DAYS_BACK }, (_, i) => byDay.get(today - DAYS_BACK + 1 + i) ?? 0),
      verification: verified === undefined ? null : projectVerification(verified),
      movedAudiences: moved.map(({ id, name, members, before }) => {
        return { id, name, members: Number(members), before: before === null ? null : Number(before) };
      }),
      unwell,
    };
  }
}

type MovedRow = {
  readonly id: string;
  readonly name: string;
  readonly members: bigint;
  readonly before: bigint | null;
};

type VerifiedRow = Readonly<Record<'finished_at_ms' | 'begun_at_ms' | 'hours' | 'different', bigint>> & {
  readonly until: string | null;
};

function projectVerification(row: VerifiedRow): ProjectVerification {
  return {
    finishedAtMs: Number(row.finished_at_ms),
    hours: Number(row.hours),
    different: Number(row.different),
    untilMs: row.until === null ? Number(row.begun_at_ms) : Date.parse(row.until),
  };
}

const HOURS_BACK = 24;
const DAYS_BACK = 7;
const ONE_DAY_MS = 86_400_000;

const HOURS = `
  select hour, sum(messages)::int8 as messages, sum(repeats)::int8 as repeats
  from {applied_counts}
  where project_id = $1 and hour > $2::int4
  group by hour
  order by hour desc
  limit ${HOURS_BACK}`;

const REFUSALS = `
  select day, sum(count)::int8 as count
  from refusals
  where project_id = $1 and day > $2::int4 - ${DAYS_BACK} and day <= $2::int4 and code <> 'adjusted'
  group by day`;

// Without an end of its own a verification compares up to its beginning. One that compared nothing of the project, for nothing
// had arrived, says nothing of it: it does not hide an earlier one that did.
const VERIFIED = `
  with last as (
    select id, created_at_ms as begun_at_ms, finished_at_ms, result as report
    from jobs
    where kind = 'verify' and state = 'done' and coalesce(args::jsonb ->> 'project', $1) = $1
    order by exists (
               select from verification_hours compared where compared.verification = jobs.id and compared.project_id = $1
             ) desc,
             finished_at_ms desc
    limit 1
  )
  select last.finished_at_ms, last.begun_at_ms, last.report::jsonb ->> 'until' as until, count(hours.hour_ms) as hours,
         count(hours.hour_ms) filter (where not is_equal) as different
  from last
    left join verification_hours hours on hours.verification = last.id and hours.project_id = $1
  group by last.finished_at_ms, last.begun_at_ms, last.report`;

const MOVED = `
  select now.id, now.name, now.members, earlier.members as before
  from audiences now
    left join lateral (
      select members from audience_evaluations
      where audience_id = now.id and evaluated_at <= $2::int8
      order by evaluated_at desc
      limit 1
    ) earlier on true
  where now.project_id = $1 and now.deleted_at_ms is null and now.members is not null
  order by abs(now.members - coalesce(earlier.members, now.members)) desc, now.members desc, now.name
  limit 5`;

// Later generations are databases of the same name with a number behind it; of shards the tables are in one beside each.
const ANALYTICS_BYTES = `
  SELECT toString(sum(bytes_on_disk)) AS bytes
  FROM system.parts
  WHERE active AND match(database, concat('^', currentDatabase(), '(_g[0-9]+)?(_local)?$'))`;

const LIMITS = { maxMs: 2_000, maxMemoryBytes: 100_000_000, maxRowsRead: 10_000_000 };
