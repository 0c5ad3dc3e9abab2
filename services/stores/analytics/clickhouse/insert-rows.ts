import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type ClickHouseClient, drainStream } from '@clickhouse/client';
import { allSettledOrThrow } from '../../../runtime/pause.ts';
import { EventLoopYielder } from '../../../runtime/event-loop-yielder.ts';
import type { Rows } from '../analytics-store.ts';
import { columnNames, ROW_TABLES } from '../columns.ts';
import type { Deployment } from './deployment.ts';
import { insertError } from './errors.ts';
import { INSERT_SETTINGS } from './settings.ts';

export interface InsertTarget {
  readonly client: ClickHouseClient;
  readonly deployment: Deployment;
}

/** Inserts rows, all tables at once. */
export async function insertRows(target: InsertTarget, rows: Rows): Promise<void> {
  await allSettledOrThrow(
    ROW_TABLES.map((table) => insertChunks(target, table, columnNames(table), rows.get(table) ?? [])),
  );
}

export async function insertChunks(
  { client, deployment: { insertSettings, dropsRepeats } }: InsertTarget,
  table: string,
  columns: string,
  chunks: readonly Uint8Array[],
): Promise<void> {
  if (chunks.length === 0) return;
  const { stream } = await client.exec({
    query: `INSERT INTO ${table} (${columns}) FORMAT RowBinaryWithDefaults`,
    values: Readable.from(chunks, { objectMode: false }),
    clickhouse_settings: {
      ...INSERT_SETTINGS,
      ...insertSettings,
      ...(dropsRepeats && { insert_deduplication_token: await tokenOf(chunks) }),
    },
  });
  await drainStream(stream);
}

/** Inserts rows that are lines of JSON with the names of their columns. A column that they do not name has its default. */
export async function insertLines(
  { client, deployment: { insertSettings } }: InsertTarget,
  table: string,
  lines: Uint8Array,
): Promise<void> {
  const columns = Object.keys(JSON.parse(firstLineOf(lines)) as object).join(', ');
  const { stream } = await client.exec({
    query: `INSERT INTO ${table} (${columns}) FORMAT JSONEachRow`,
    values: Readable.from([lines], { objectMode: false }),
    clickhouse_settings: { ...INSERT_SETTINGS, ...insertSettings },
  });
  await drainStream(stream);
}

function firstLineOf(lines: Uint8Array): string {
  const end = lines.indexOf(NEW_LINE);
  return Buffer.from(lines.subarray(0, end === -1 ? lines.length : end)).toString();
}

const NEW_LINE = 0x0a;

/**
 * Inserts rows into tables of the same columns that keep nothing, and drops those tables: so the rows are read as an insert
 * reads them, and nothing changes. A table that a crash leaves is empty and is never read.
 *
 * @throws TidemarkError as `AnalyticsStore.tryInsert`.
 */
export async function tryRows(target: InsertTarget, rows: Rows, define: (sql: string) => Promise<void>): Promise<void> {
  const suffix = randomUUID().replaceAll('-', '');
  for (const table of ROW_TABLES.filter((one) => rows.has(one))) {
    const copy = `tried_${table}_${suffix}`;
    await define(`CREATE TABLE ${copy} AS ${table} ENGINE = Null`);
    try {
      await insertChunks(target, copy, columnNames(table), rows.get(table) ?? []);
    } catch (error) {
      throw insertError(error);
    } finally {
      await define(`DROP TABLE IF EXISTS ${copy}`);
    }
  }
}

/**
 * The deduplication token of an insert, derived from its bytes: that of a planned range is always the same. It only
 * saves writing a repeat, which would be harmless, because every table merges rows with equal keys.
 */
async function tokenOf(chunks: readonly Uint8Array[]): Promise<string> {
  const yielder = new EventLoopYielder();
  const digest = createHash('sha256');
  for (const chunk of chunks) {
    if (yielder.isOver()) await yielder.next();
    digest.update(chunk);
  }
  return digest.digest('hex');
}
