import type { AnalyticsReader } from '../../../services/stores/analytics/analytics-store.ts';
import type { Queryable } from '../../../services/stores/database/database.ts';
import { AMPLE, ask } from './analytics.ts';

export interface SearchedStores {
  readonly database: Queryable;
  readonly analytics: AnalyticsReader;
}

/** Every table of both stores that has one of these texts anywhere in a row. */
export async function tablesWith(
  { database, analytics }: SearchedStores,
  texts: readonly string[],
): Promise<readonly string[]> {
  return [...(await tablesOfPostgres(database, texts)), ...(await tablesOfAnalytics(analytics, texts))].toSorted();
}

async function tablesOfPostgres(database: Queryable, texts: readonly string[]): Promise<readonly string[]> {
  const tables = await database.query<{ readonly name: string }>(
    `select tablename::text as name from pg_tables where schemaname = current_schema()`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const sql = `select 1 from ${name} as t
                 where exists (select from unnest($1::text[]) as wanted
                               where position(wanted in t::text) > 0
                                  or position(encode(convert_to(wanted, 'UTF8'), 'hex') in t::text) > 0) limit 1`;
    if ((await database.query(sql, [texts])).length > 0) found.push(name);
  }
  return found;
}

async function tablesOfAnalytics(analytics: AnalyticsReader, texts: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  const tables = `SELECT name FROM system.tables WHERE database = currentDatabase() AND name NOT LIKE '.%'
                  AND (engine LIKE '%MergeTree' OR engine = 'Distributed')`;
  for (const { name: table } of (await ask(analytics, tables)) as readonly { name: string }[]) {
    const sql = `SELECT 1 FROM ${table}
                 WHERE multiSearchAny(formatRowNoNewline('JSONEachRow', *), {texts:Array(String)}) LIMIT 1`;
    const { rows } = await analytics.ask({ sql, params: { texts: [...texts] } }, AMPLE);
    if (rows.length > 0) found.push(table);
  }
  return found;
}
