/** The last backup into each folder, shared by all processes of an installation. */
import type { Queryable } from '../../stores/database/database.ts';
import { TRANSACTION_MS } from '../../stores/database/sql-time.ts';

/** What a backup came to, as plain JSON. */
export interface BackupResult {
  readonly folder: string;
  /** Its number in the folder. */
  readonly number: number;
  /** When its tables were read; ISO-8601. */
  readonly at: string;
  /** Records of the log that were copied, and all that the folder has. */
  readonly records: number;
  readonly records_total: number;
  /** Bytes that were written, and all that the folder has. */
  readonly bytes: number;
  readonly bytes_total: number;
  /** How many backups the folder keeps. */
  readonly kept: number;
  readonly took_ms: number;
}

export interface LastBackup {
  readonly finishedAtMs: number;
  readonly result: BackupResult;
}

/** When and where the service makes backups by itself. */
export interface BackupSchedule {
  /** Undefined: nowhere. */
  readonly folder: string | undefined;
  /** The time from the start of one to the next; 0 for never. */
  readonly everyMs: number;
}

/** What is kept of backups, as HTTP reads it, from another thread too. */
export interface KeptBackups {
  /** The last into this folder, or into any where none is named; null before the first. */
  lastBackup(folder: string | undefined): Promise<LastBackup | null>;
}

export async function lastBackup(database: Queryable, folder: string | undefined): Promise<LastBackup | null> {
  const [row] = await database.query<{ finished_at_ms: bigint; result: string }>(
    `select finished_at_ms, result from backups
     where finished_at_ms is not null and ($1::text is null or folder = $1)
     order by finished_at_ms desc
     limit 1`,
    [folder ?? null],
  );
  if (row === undefined) return null;
  return { finishedAtMs: Number(row.finished_at_ms), result: JSON.parse(row.result) as BackupResult };
}

/** To be called where a backup begins that is not a turn of the schedule, which then waits for the next. */
export async function noteBegun(database: Queryable, folder: string): Promise<void> {
  await database.query(
    `insert into backups as last (folder, begun_at_ms) values ($1, ${TRANSACTION_MS})
     on conflict (folder) do update set begun_at_ms = excluded.begun_at_ms`,
    [folder],
  );
}

export async function noteFinished(database: Queryable, result: BackupResult): Promise<void> {
  await database.query(
    `update backups set finished_at_ms = greatest(begun_at_ms, ${TRANSACTION_MS}), result = $2 where folder = $1`,
    [result.folder, JSON.stringify(result)],
  );
}

// One that failed is tried again sooner, but not all the time.
const AGAIN_AFTER_MS = 900_000;

/** Returns whether a backup into the folder is due, and if so claims it: only one process is told so. */
export async function takeBackupTurn(database: Queryable, folder: string, everyMs: number): Promise<boolean> {
  const rows = await database.query(
    `insert into backups as last (folder, begun_at_ms) values ($1, ${TRANSACTION_MS})
     on conflict (folder) do update set begun_at_ms = excluded.begun_at_ms
     where last.begun_at_ms <= excluded.begun_at_ms
           - case when last.finished_at_ms >= last.begun_at_ms then $2::int8 else least($2::int8, $3::int8) end
     returning 1`,
    [folder, everyMs, AGAIN_AFTER_MS],
  );
  return rows.length > 0;
}
