import type { Logger } from '../../runtime/logger.ts';
import { Looking } from '../../runtime/looking.ts';
import type { Database } from '../../stores/database/database.ts';
import type { JobRunner } from '../jobs/job-runner.ts';
import { type BackupSchedule, takeBackupTurn } from './last-backup.ts';

export interface BackupWatchParts extends BackupSchedule {
  readonly database: Pick<Database, 'query'>;
  readonly jobs: Pick<JobRunner, 'start'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** How often it checks whether the next backup is due. */
  readonly lookEveryMs?: number;
}

const BACKUP_DUE_POLL_MS = 60_000;

/** Begins a backup periodically, in one process at a time. */
export class BackupWatch {
  readonly #parts: BackupWatchParts;
  readonly #looking: Looking;

  constructor(parts: BackupWatchParts) {
    this.#parts = parts;
    const { lookEveryMs: everyMs = BACKUP_DUE_POLL_MS, logger } = parts;
    this.#looking = new Looking({ look: () => this.#look(), everyMs, cannot: 'a backup cannot be begun', logger });
  }

  start(): void {
    const { folder, everyMs } = this.#parts;
    if (folder !== undefined && everyMs > 0) this.#looking.start();
  }

  /** A backup that it began is a job, which goes on. Idempotent. */
  stop(): Promise<void> {
    return this.#looking.stop();
  }

  async #look(): Promise<boolean> {
    const { folder, database, jobs, everyMs } = this.#parts;
    if (folder !== undefined && (await takeBackupTurn(database, folder, everyMs)))
      await jobs.start({ kind: 'backup', args: { folder }, principal: 'service' });
    return false;
  }
}
