import type { ClickHouseClient } from '@clickhouse/client';
import { TidemarkError } from '../../../runtime/errors.ts';
import { pause } from '../../../runtime/pause.ts';
import type { Query, QueryResult } from '../analytics-store.ts';
import { quotedName } from './deployment.ts';
import { openingError } from './errors.ts';

/** Both on one server, in the database with the tables of the generation. */
export interface ForgettingParts {
  readonly client: Pick<ClickHouseClient, 'command'>;
  readonly ask: (query: Query) => Promise<QueryResult>;
}

const POLL_MS = 100;

/**
 * Deletes the rows of a project from every table of every shard that has any, and returns how many tables that were.
 * Resolves when they are gone. May be repeated: a deletion that is under way is waited for, not begun again.
 */
export async function forgetProject(
  shards: readonly ForgettingParts[],
  projectId: string,
  signal: AbortSignal,
): Promise<number> {
  const tables = new Set<string>();
  for (const shard of shards) for (const table of await forgetOnShard(shard, projectId, signal)) tables.add(table);
  return tables.size;
}

async function forgetOnShard(
  parts: ForgettingParts,
  projectId: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const tables: string[] = [];
  for (const table of await tablesOfProjects(parts)) {
    signal.throwIfAborted();
    if (await forgetRows(parts, table, projectId, signal)) tables.push(table);
  }
  return tables;
}

/** Deletes the rows of a project from one table, and resolves with whether it had any when they are gone. */
export async function forgetRows(
  parts: ForgettingParts,
  table: string,
  projectId: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(await hasRows(parts, table, projectId))) return false;
  await forgetIn(parts, table, projectId, signal);
  return true;
}

/** Every table with the column, so that one of a later migration is not forgotten here. */
async function tablesOfProjects({ ask }: ForgettingParts): Promise<readonly string[]> {
  const { rows } = await ask({
    sql: `SELECT name FROM system.tables
          WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND name NOT LIKE '.%'
            AND name IN (SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'project_id')
          ORDER BY name`,
    params: {},
  });
  return rows.map(({ name }) => name as string);
}

async function hasRows({ ask }: ForgettingParts, table: string, project: string): Promise<boolean> {
  const sql = `SELECT 1 FROM ${quotedName(table)} WHERE project_id = {project:String} LIMIT 1`;
  return (await ask({ sql, params: { project } })).rows.length > 0;
}

/**
 * A mutation and not a lightweight deletion, which tables with projections refuse and which leaves the rows on the disk.
 * ClickHouse carries it out in the background, however long it takes, also if this process ends.
 */
async function forgetIn(parts: ForgettingParts, table: string, project: string, signal: AbortSignal): Promise<void> {
  const { client } = parts;
  if ((await mutationOf(parts, table, project)) === undefined) {
    try {
      await client.command({
        query: `ALTER TABLE ${quotedName(table)} DELETE WHERE project_id = {project:String}`,
        query_params: { project },
        clickhouse_settings: { mutations_sync: '0' },
      });
    } catch (error) {
      throw openingError(error);
    }
  }
  for (;;) {
    const mutation = await mutationOf(parts, table, project);
    if (mutation === undefined) return;
    if (mutation.failure !== '') {
      throw new TidemarkError('STORE_UNAVAILABLE', `ClickHouse cannot delete rows of ${table}: ${mutation.failure}`);
    }
    await pause(POLL_MS, signal);
    signal.throwIfAborted();
  }
}

/** The deletion of the project that is under way, and why it failed last; undefined where none is. */
async function mutationOf(
  { ask }: ForgettingParts,
  table: string,
  project: string,
): Promise<{ readonly failure: string } | undefined> {
  const { rows } = await ask({
    sql: `SELECT latest_fail_reason AS failure FROM system.mutations
          WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done
            AND position(command, {project:String}) > 0
          LIMIT 1`,
    params: { table, project },
  });
  const failure = rows[0]?.['failure'];
  return typeof failure === 'string' ? { failure } : undefined;
}
