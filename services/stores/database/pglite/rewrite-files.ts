import type { Query } from './maintenance.ts';

export interface RewritingParts {
  readonly query: Query;
  /** Throws where the disk has less than its reserve and these bytes. */
  readonly expectRoom: (bytes: number) => void;
  readonly signal: AbortSignal;
}

// Where planner statistics have the most frequent values of a column, and its histogram.
const STATISTICS = 'pg_catalog.pg_statistic';

// The new files of a table, and the same bytes on the write-ahead log.
const COPIES = 2n;

/**
 * See `Database.rewriteFiles`. A vacuum leaves the bytes of deleted rows in their pages, statistics have values of rows, and
 * the write-ahead log has both. A table is locked while it is rewritten: about 30 ms per megabyte.
 */
export async function rewriteFiles(parts: RewritingParts, tables: readonly string[]): Promise<void> {
  for (const table of tables) await rewrite(parts, table, 'full, analyze');
  await rewrite(parts, STATISTICS, 'full');
  await dropWriteAheadLog(parts);
}

async function rewrite({ query, expectRoom, signal }: RewritingParts, table: string, how: string): Promise<void> {
  signal.throwIfAborted();
  const [size] = await query(`select pg_total_relation_size('${table}') as bytes`);
  expectRoom(Number((size?.['bytes'] as bigint) * COPIES));
  await query(`vacuum (${how}) ${table}`);
  await query('checkpoint');
}

/**
 * A checkpoint keeps old segments under new names, with what they held, to be written again. So none is kept, and those that
 * were kept before are passed until all of them lie behind.
 */
async function dropWriteAheadLog({ query, signal }: RewritingParts): Promise<void> {
  await query('set wal_recycle = off');
  try {
    const [last] = await query('select max(name) as name from pg_ls_waldir()');
    for (;;) {
      signal.throwIfAborted();
      const [at] = await query('select pg_walfile_name(pg_current_wal_insert_lsn()) as name');
      if (String(at?.['name']) > String(last?.['name'])) break;
      // A segment in which nothing stands cannot be ended.
      await query(`select pg_logical_emit_message(false, 'tidemark', '')`);
      await query('select pg_switch_wal()');
    }
    await query('checkpoint');
  } finally {
    await query('reset wal_recycle');
  }
}
