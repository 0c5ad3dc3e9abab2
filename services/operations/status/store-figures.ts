import type { RecordCoordinates } from '../dead-letters/record-coordinates.ts';
import { SettledDeadLetters } from '../dead-letters/settled-dead-letters.ts';
import { type KeptVerifications, lastVerification, type LastVerification } from '../verify/last-verification.ts';
import type { HourReport } from '../../../schemas/verification-report.ts';
import { type HourFilter, keptHours } from '../verify/verification-hours.ts';
import { type Hour, hourOf } from '../../messages/day-and-hour.ts';
import type { AnalyticsReader } from '../../stores/analytics/analytics-store.ts';
import type { Database } from '../../stores/database/database.ts';
import { SchemaDatabase } from '../../stores/database/schema-database.ts';
import { schemaOf } from '../../stores/generations/generation.ts';
import { readDeletedProjects } from '../../stores/projects/deleted-projects.ts';
import { LiveGenerations } from '../../stores/generations/live-generations.ts';

/** What the stores tell of the installation. Arguments and results can be cloned between threads. */
export interface StoreFigures extends KeptVerifications {
  /** Bytes of the database of profiles on the disk of its server. */
  profilesBytes(): Promise<number>;
  /** Bytes of the rows of analytics on the disk of its server; of a cluster, on the node that answers. */
  analyticsBytes(): Promise<number>;
  /** Which of these messages of dead letters, by their coordinates, were replayed or dropped. */
  settled(messages: readonly RecordCoordinates[]): Promise<readonly string[]>;
  deletedProjects(): Promise<ReadonlySet<string>>;
  ofProject(projectId: string): Promise<ProjectFigures>;
}

export interface ProjectFigures {
  /** The last 24 hours, newest first, as profiles have counted them so far; without those that have none. */
  readonly hours: readonly { readonly hour: Hour; readonly messages: number; readonly repeats: number }[];
  /** Since midnight, UTC. */
  readonly refusedToday: number;
  /** Hours in which the project had messages, of the service's own last verification; null before the first. */
  readonly verification: { readonly finishedAtMs: number; readonly hours: number; readonly different: number } | null;
}

export class SqlStoreFigures implements StoreFigures {
  readonly #database: Database;
  readonly #analytics: Pick<AnalyticsReader, 'ask'>;
  readonly #live: LiveGenerations;

  constructor(database: Database, analytics: Pick<AnalyticsReader, 'ask'>) {
    this.#database = database;
    this.#analytics = analytics;
    this.#live = new LiveGenerations(database);
  }

  async profilesBytes(): Promise<number> {
    const sql = 'select pg_database_size(current_database()) as bytes';
    const [row] = await this.#database.query<{ readonly bytes: bigint }>(sql);
    return Number(row?.bytes ?? 0);
  }

  async analyticsBytes(): Promise<number> {
    const { rows } = await this.#analytics.ask({ sql: ANALYTICS_BYTES, params: {} }, LIMITS);
    return Number(rows[0]?.['bytes'] ?? 0);
  }

  async verification(): Promise<LastVerification | null> {
    return (await lastVerification(this.#database)) ?? null;
  }

  verificationHours(filter: HourFilter, limit: number): Promise<readonly HourReport[]> {
    return keptHours(this.#database, filter, limit);
  }

  async settled(messages: readonly RecordCoordinates[]): Promise<readonly string[]> {
    return [...(await new SettledDeadLetters(this.#database).find(messages)).keys()];
  }

  deletedProjects(): Promise<ReadonlySet<string>> {
    return readDeletedProjects(this.#database);
  }

  async ofProject(projectId: string): Promise<ProjectFigures> {
    const nowMs = Date.now();
    const profiles = schemaOf('profiles', await this.#live.numberOf('profiles', projectId));
    const thisHour = hourOf(BigInt(nowMs) * 1_000n);
    const [hours, [refusals], [verified]] = await Promise.all([
      new SchemaDatabase(this.#database, profiles).query<Record<'hour' | 'messages' | 'repeats', bigint>>(HOURS, [
        projectId,
        thisHour - HOURS_BACK,
      ]),
      this.#database.query<{ readonly count: bigint }>(REFUSALS_OF_DAY, [projectId, Math.floor(nowMs / 86_400_000)]),
      this.#database.query<Record<'finished_at_ms' | 'hours' | 'different', bigint>>(VERIFIED, [projectId]),
    ]);
    return {
      hours: hours.map(({ hour, messages, repeats }) => ({
        hour: Number(hour),
        messages: Number(messages),
        repeats: Number(repeats),
      })),
      refusedToday: Number(refusals?.count ?? 0),
      verification:
        verified === undefined
          ? null
          : {
              finishedAtMs: Number(verified.finished_at_ms),
              hours: Number(verified.hours),
              different: Number(verified.different),
            },
    };
  }
}

const HOURS_BACK = 24;

const HOURS = `
  select hour, sum(messages)::int8 as messages, sum(repeats)::int8 as repeats
  from {applied_counts}
  where project_id = $1 and hour > $2::int4
  group by hour
  order by hour desc
  limit ${HOURS_BACK}`;

const REFUSALS_OF_DAY =
  "select coalesce(sum(count), 0)::int8 as count from refusals where project_id = $1 and day = $2::int4 and code <> 'adjusted'";

const VERIFIED = `
  select last.finished_at_ms, count(hours.hour_ms) as hours, count(hours.hour_ms) filter (where not is_equal) as different
  from verifications last
    left join verification_hours hours on hours.verification = 'last' and hours.project_id = $1
  where last.finished_at_ms is not null
  group by last.finished_at_ms`;

// Later generations are databases of the same name with a number behind it; of shards the tables are in one beside each.
const ANALYTICS_BYTES = `
  SELECT toString(sum(bytes_on_disk)) AS bytes
  FROM system.parts
  WHERE active AND match(database, concat('^', currentDatabase(), '(_g[0-9]+)?(_local)?$'))`;

const LIMITS = { maxMs: 2_000, maxMemoryBytes: 100_000_000, maxRowsRead: 10_000_000 };
