import type { Row } from '../database.ts';

export type Query = (sql: string) => Promise<readonly Row[]>;

const CHECKPOINT_INTERVAL_MS = 5_000;

/** While the cluster is in use, maintenance runs at most every five seconds. */
export class MaintenanceSchedule {
  #lastMs = performance.now();

  isDue(): boolean {
    return performance.now() - this.#lastMs >= CHECKPOINT_INTERVAL_MS;
  }

  done(): void {
    this.#lastMs = performance.now();
  }
}

/**
 * Does the work of a server's background processes, which PGlite lacks. Without it, the write-ahead log and a table
 * that is rewritten repeatedly grow without limit (tried). A checkpoint takes 20 to 100 ms, a vacuum 50 ms per 50 MB of
 * a table.
 */
export async function maintain(query: Query): Promise<void> {
  const [due] = await query(CHECKPOINT_DUE);
  if (due?.['is_due'] === true) await query('checkpoint');
  const [table] = await query(TABLE_TO_VACUUM);
  if (table) await query(`vacuum (analyze) ${String(table['name'])}`);
}

const CHECKPOINT_DUE = `
  select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) > 32 * 1024 * 1024 as is_due
  from pg_control_checkpoint()`;

// The rules of autovacuum, for the worst table: https://www.postgresql.org/docs/18/routine-vacuuming.html#AUTOVACUUM
// The rule for tables that only grow is stricter, because a vacuum blocks the thread: for 50 ms after 100,000 new rows.
// Without that rule, nothing would summarize the BRIN index of `applied`, and the hourly deletion of old claims would
// read the whole table (a second for a million rows).
const TABLE_TO_VACUUM = `
  select format('%I.%I', schemaname, relname) as name
  from pg_stat_user_tables
  where n_dead_tup > 5000 + 0.2 * n_live_tup or n_ins_since_vacuum > 50000 + 0.02 * n_live_tup
  order by greatest(n_dead_tup, n_ins_since_vacuum) desc
  limit 1`;
