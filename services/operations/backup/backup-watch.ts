import type { Logger } from '../../runtime/logger.ts';
import { pause } from '../../runtime/pause.ts';
import type { Database } from '../../stores/database/database.ts';
import type { Jobs } from '../jobs/job-runner.ts';
import { type BackupSchedule, takeBackupTurn } from './last-backup.ts';

export interface BackupWatchParts extends BackupSchedule {
  readonly database: Pick<Database, 'query'>;
  readonly jobs: Pick<Jobs, 'start'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** How often it checks whether the next backup is due. */
  readonly lookEveryMs?: number;
}

const BACKUP_DUE_POLL_MS = 60_000;

/** Begins a backup periodically, in one process at a time. */
export class BackupWatch {
  readonly #parts: BackupWatchParts;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(parts: BackupWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    const { folder, everyMs } = this.#parts;
    if (folder !== undefined && everyMs > 0) this.#running ??= this.#run(folder, this.#stopping.signal);
  }

  /** A backup that it began is a job, which goes on. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(folder: string, signal: AbortSignal): Promise<void> {
    const { database, jobs, everyMs, logger, lookEveryMs = BACKUP_DUE_POLL_MS } = this.#parts;
    while (!signal.aborted) {
      try {
        if (await takeBackupTurn(database, folder, everyMs)) {
          await jobs.start({ kind: 'backup', args: { folder }, principal: 'service' });
        }
      } catch (error) {
        if (!signal.aborted) logger.warn({ err: error }, 'cannot begin a backup now');
      }
      await pause(lookEveryMs, signal);
    }
  }
}
