/** Estimates the time and space of a replay before it begins. */
import type { AnalyticsStore } from '../../stores/analytics/analytics-store.ts';
import type { Database } from '../../stores/database/database.ts';
import { countOf, deletedRecords } from '../../event-log/deleted-records.ts';
import type { EventLog } from '../../event-log/event-log.ts';
import { type Generation, type GenerationKind, schemaOf } from '../../stores/generations/generation.ts';
import { MESSAGE_TOPICS } from '../../messages/message.ts';

export interface Estimate {
  readonly messages: number;
  /** Records gone from the beginning of the log: what is built lacks them. */
  readonly deleted_from_log: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly per_second: number;
  /** The source of the rate: a limit, the last replay of this kind here, or figures of another machine. */
  readonly basis: 'limit' | 'last replay' | 'assumed';
}

/** The results of the readers' benchmarks on a small machine (README). A first replay has no better figures. */
const ASSUMED_PER_SECOND: Readonly<Record<GenerationKind, number>> = { profiles: 30_000, analytics: 20_000 };

const ESTIMATE_LIMITS = { maxMs: 30_000, maxMemoryBytes: 2 ** 30, maxRowsRead: 2 ** 40 };

interface EstimateParts {
  readonly log: Pick<EventLog, 'ends' | 'beginnings'>;
  readonly database: Database;
  readonly analytics: AnalyticsStore;
}

/**
 * @param live The number of the live generation. A new one will be about as large.
 * @param known All generations, including dropped ones.
 */
export async function estimate(
  { log, database, analytics }: EstimateParts,
  kind: GenerationKind,
  live: number,
  known: readonly Generation[],
  rateLimit: number | null,
): Promise<Estimate> {
  const deleted = countOf(await deletedRecords(log, MESSAGE_TOPICS));
  const messages = sum(await log.ends(MESSAGE_TOPICS)) - deleted;
  const measured = lastRateOf(known.filter((one) => one.kind === kind));
  const possible = measured ?? ASSUMED_PER_SECOND[kind];
  const perSecond = rateLimit === null ? possible : Math.min(rateLimit, possible);
  const basis = rateLimit === perSecond ? 'limit' : measured === undefined ? 'assumed' : 'last replay';
  const bytes = kind === 'profiles' ? await bytesOfProfiles(database, live) : await bytesOfAnalytics(analytics, live);
  const rate = { seconds: Math.ceil(messages / perSecond), per_second: Math.round(perSecond), basis } as const;
  return { messages, deleted_from_log: deleted, bytes, ...rate };
}

// The rate of a very short replay does not predict that of one that takes hours.
const TELLING_MESSAGES = 100_000n;

/** The rate of the newest replay without a limit of its own. */
function lastRateOf(known: readonly Generation[]): number | undefined {
  const rates = known.flatMap(({ caughtUpAtMs, createdAtMs, messages, rateLimit }) => {
    if (caughtUpAtMs === null || messages === null || rateLimit !== null || messages < TELLING_MESSAGES) return [];
    return [(Number(messages) * 1_000) / Math.max(caughtUpAtMs - createdAtMs, 1)];
  });
  return rates.at(-1);
}

async function bytesOfProfiles(database: Database, number: number): Promise<number> {
  const [row] = await database.query<{ readonly bytes: bigint }>(
    `select coalesce(sum(pg_total_relation_size(c.oid)), 0)::int8 as bytes
     from pg_class c
     where c.relnamespace = coalesce((select oid from pg_namespace where nspname = $1), current_schema()::regnamespace)
       and c.relname in ('users', 'profiles', 'reader_positions', 'applied', 'applied_counts', 'sightings')`,
    [schemaOf('profiles', number) ?? ''],
  );
  return Number(row?.bytes ?? 0n);
}

async function bytesOfAnalytics(analytics: AnalyticsStore, number: number): Promise<number> {
  const store = await analytics.ofGeneration(number);
  // In a cluster of shards the tables are in a database beside it.
  const sql = `SELECT sum(bytes_on_disk) AS bytes FROM system.parts
               WHERE active AND database IN (currentDatabase(), concat(currentDatabase(), '_local'))`;
  const { rows } = await store.ask({ sql, params: {} }, ESTIMATE_LIMITS);
  return Number((rows[0] as { bytes: string } | undefined)?.bytes ?? 0);
}

function sum(places: readonly { readonly offset: bigint }[]): number {
  return Number(places.reduce((total, { offset }) => total + offset, 0n));
}
