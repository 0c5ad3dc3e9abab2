/** The last backup into each folder, as its job found it. */
import type { Queryable } from '../../stores/database/database.ts';

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
    `select finished_at_ms, result from jobs
     where kind = 'backup' and state = 'done' and ($1::text is null or result::jsonb ->> 'folder' = $1)
     order by finished_at_ms desc
     limit 1`,
    [folder ?? null],
  );
  if (row === undefined) return null;
  return { finishedAtMs: Number(row.finished_at_ms), result: JSON.parse(row.result) as BackupResult };
}
