/** The stores that a backup is restored into: they hold nothing, or what the same restore has put there before. */
import type { EndOfPartition, BackupEntry } from './manifest.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { AnalyticsStore } from '../../stores/analytics/analytics-store.ts';
import type { Database, Queryable } from '../../stores/database/database.ts';
import { hasTable, migrateUpTo } from '../../stores/database/migrate.ts';
import { noteRestoreBegun, restoreState } from '../../stores/service-state/restore-state.ts';

export interface BegunRestore {
  /** Whether a restore of the same backup was begun before. */
  readonly isResumed: boolean;
  readonly hasTables: boolean;
}

/**
 * Makes the tables as they were when the backup was made, and notes that the restore has begun.
 *
 * @param name Names the backup and up to when its log goes.
 * @throws TidemarkError `RESTORE_REFUSED` where the database holds anything else; `STORE_NEWER`.
 */
export async function beginRestore(database: Database, { schema }: BackupEntry, name: string): Promise<BegunRestore> {
  const state = await restoreState(database);
  if (state === undefined) {
    await expectEmpty(database);
    await migrateUpTo(database, schema);
    await noteRestoreBegun(database, name);
    return { isResumed: false, hasTables: false };
  }
  if (state.failure !== null) {
    throw restoreRefusal(`A restore into these stores has failed: ${state.failure} Empty them and begin again.`);
  }
  if (state.isFinished) throw restoreRefusal(`The backup of ${state.backup} was restored into these stores before.`);
  if (state.backup === name) return { isResumed: true, hasTables: state.hasTables };
  throw restoreRefusal(
    `The restore of the backup of ${state.backup} was begun into these stores, not that of ${name}. Finish it, or empty them.`,
  );
}

/** What a database has that was made and never used. */
const OF_NEW_DATABASE = ['migrations', 'generations', 'live_generations'];

async function expectEmpty(database: Queryable): Promise<void> {
  const isNew = !(await hasTable(database, 'migrations'));
  if (isNew) return;
  const tables = await database.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables
     where schemaname = current_schema() and not tablename = any ($1::text[])
     order by tablename`,
    [OF_NEW_DATABASE],
  );
  const filled: string[] = [];
  for (const { name } of tables) {
    const rows = await database.query(`select 1 from ${name} limit 1`);
    if (rows.length > 0) filled.push(name);
  }
  if (filled.length > 0) throw restoreRefusal(`The database is not empty. Tables with rows: ${filled.join(', ')}.`);
}

/** @throws TidemarkError `RESTORE_REFUSED` where analytics has messages. */
export async function expectNothingIngested(
  analytics: Pick<AnalyticsStore, 'ingestedUpTo'>,
  ends: readonly EndOfPartition[],
): Promise<void> {
  const ingested = await analytics.ingestedUpTo(ends.map(({ topic, partition }) => ({ topic, partition })));
  if (ingested.every(({ offset }) => offset === 0n)) return;
  throw restoreRefusal('Analytics is not empty: it has messages of another installation.');
}

/** @throws TidemarkError `RESTORE_REFUSED` where analytics has the history of an audience. */
export async function expectNoHistory(analytics: Pick<AnalyticsStore, 'keptHistory'>): Promise<void> {
  for await (const _ of await analytics.keptHistory().rows('audience_evaluations')) {
    throw restoreRefusal('Analytics is not empty: it has the history of audiences.');
  }
}

export function restoreRefusal(message: string): TidemarkError {
  return new TidemarkError('RESTORE_REFUSED', message);
}
