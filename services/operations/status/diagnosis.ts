/** What the stores tell somebody who helps from afar: settings, migrations, failures. No value of a project or a user. */
import type { EventLog } from '../../event-log/event-log.ts';
import { TOPICS } from '../../messages/message.ts';
import type { AnalyticsReader } from '../../stores/analytics/analytics-store.ts';
import type { Queryable } from '../../stores/database/database.ts';
import { NOW_MS } from '../../stores/database/sql-time.ts';
import { IS_LISTED, IS_WAITING } from '../../stores/profiles/dead-letter-rows.ts';
import { inTime } from '../../runtime/pause.ts';
import { SOURCE_WITHIN_MS } from './cached.ts';

/** By the section, what was found by its name; null where that cannot be read within three seconds. */
export type Diagnosis = Readonly<Record<string, Readonly<Record<string, string>> | null>>;

type Facts = readonly { readonly [column in 'name' | 'value']?: unknown }[];

export async function diagnose(sections: Readonly<Record<string, () => Promise<Facts>>>): Promise<Diagnosis> {
  const found = Object.entries(sections).map(async ([section, find]) => {
    const rows = (await inTime(SOURCE_WITHIN_MS, find))?.map(
      ({ name, value }) => [String(name), String(value)] as const,
    );
    return [section, rows === undefined ? null : Object.fromEntries(rows)] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

export function diagnoseLog(log: Pick<EventLog, 'ends' | 'keptMs'>): Promise<Diagnosis> {
  const topics = async (): Promise<Facts> => {
    const [ends, ...kept] = await Promise.all([log.ends(TOPICS), ...TOPICS.map((topic) => log.keptMs?.(topic))]);
    const partitions = (name: string): number => ends.filter(({ topic }) => topic === name).length;
    return TOPICS.map((name, i) => ({ name, value: `${partitions(name)} partitions, kept for ${kept[i] ?? 'ever'}` }));
  };
  return diagnose({ log: topics });
}

export function diagnoseStores(database: Queryable, analytics: Pick<AnalyticsReader, 'ask'>): Promise<Diagnosis> {
  const ask = async (sql: string): Promise<Facts> => (await analytics.ask({ sql, params: {} }, WITHIN)).rows;
  return diagnose({
    profiles_settings: () => database.query(DATABASE_SETTINGS),
    profiles_migrations: () => database.query('select name, applied_at::text as value from migrations order by number'),
    analytics_settings: () => ask(ANALYTICS_SETTINGS),
    analytics_migrations: () => ask('SELECT name, checksum AS value FROM schema_migrations FINAL ORDER BY number'),
    failures: () => database.query(FAILURES),
  });
}

const WITHIN = { maxMs: 2_000, maxMemoryBytes: 100_000_000, maxRowsRead: 10_000_000 };

const DATABASE_SETTINGS = `
  select name, setting as value from pg_settings
  where name in ('server_version', 'server_encoding', 'in_hot_standby', 'fsync', 'full_page_writes', 'synchronous_commit')`;

const ANALYTICS_SETTINGS = `
  SELECT 'version' AS name, version() AS value
  UNION ALL SELECT name, value FROM system.merge_tree_settings WHERE changed OR name LIKE 'fsync%'`;

/** Counted by what failed: jobs of 30 days, requests since yesterday, and what else fails now. */
const FAILURES = `
  select name, sum(count)::text as value
  from (select concat_ws(' ', 'job', kind, state, failure_code), 1 from jobs where state in ('failed', 'interrupted')
    union all select concat_ws(' ', 'dead letter', reader, code), 1 from dead_letters l where ${IS_LISTED} and ${IS_WAITING}
    union all select concat_ws(' ', 'audience', failure), 1 from audiences where failure is not null
    union all select 'endpoint ' || coalesce(disabled, 'failing'), 1 from endpoints where disabled <> '' or failures > 0
    union all select 'refused ' || code, count from refusals where day >= ${NOW_MS} / 86400000 - 1) failed (name, count)
  group by name`;
