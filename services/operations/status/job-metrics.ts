import { Gauge, Registry } from 'prom-client';
import type { Database } from '../../stores/database/database.ts';
import { SqlErasures } from '../../stores/erasures/sql-erasures.ts';
import { dueDeletions } from '../erasure/old-events.ts';
import { lastBackup } from '../backup/last-backup.ts';
import { differenceIn, lastVerification } from '../verify/last-verification.ts';

/** What jobs of any process came to last, as metrics. While Postgres is unavailable, the last figures remain. */
export class JobMetrics {
  readonly #database: Database;
  readonly #backupFolder: string | undefined;
  readonly #registry = new Registry();
  readonly #verifiedAt = this.#gauge(
    'tidemark_verify_last_check_timestamp_seconds',
    'When the last hours were last held against the log; 0 where they never were',
  );
  readonly #missing = this.#byStore(
    'tidemark_verify_missing_messages',
    'Messages on the log that a store lacks, of the hours last verified',
  );
  readonly #surplus = this.#byStore(
    'tidemark_verify_surplus_messages',
    'Messages that a store has or has counted beyond those on the log, of the hours last verified',
  );
  readonly #backedUpAt = this.#gauge(
    'tidemark_backup_last_success_timestamp_seconds',
    'When the last backup ended that came to its end; 0 where none has',
  );
  readonly #backupBytes = this.#gauge('tidemark_backup_bytes', 'What the folder of the last backup holds');
  readonly #backupSeconds = this.#gauge('tidemark_backup_seconds', 'How long the last backup took');
  readonly #oldestErasure = this.#gauge(
    'tidemark_erasures_oldest_seconds',
    'How long ago the oldest erasure was asked for that is not done; 0 where all are',
  );

  readonly #dueDeletions = this.#gauge(
    'tidemark_old_events_due_projects',
    'Projects that have events which they no longer keep; 0 where all are deleted',
  );

  /** @param backupFolder Undefined: whatever folder the last went to. */
  constructor(database: Database, backupFolder: string | undefined) {
    this.#database = database;
    this.#backupFolder = backupFolder;
  }

  /** In the text format of Prometheus. */
  async text(): Promise<string> {
    await Promise.allSettled([
      this.#readVerification(),
      this.#readBackup(),
      this.#readErasures(),
      this.#readDeletions(),
    ]);
    return this.#registry.metrics();
  }

  async #readVerification(): Promise<void> {
    const last = await lastVerification(this.#database);
    if (last === undefined) return;
    const { missing, surplus } = differenceIn(last.report);
    this.#verifiedAt.set(last.finishedAtMs / 1_000);
    for (const store of ['postgres', 'clickhouse'] as const) {
      this.#missing.set({ store }, missing[store]);
      this.#surplus.set({ store }, surplus[store]);
    }
  }

  async #readBackup(): Promise<void> {
    const last = await lastBackup(this.#database, this.#backupFolder);
    if (last === null) return;
    this.#backedUpAt.set(last.finishedAtMs / 1_000);
    this.#backupBytes.set(last.result.bytes_total);
    this.#backupSeconds.set(last.result.took_ms / 1_000);
  }

  async #readErasures(): Promise<void> {
    const oldest = await new SqlErasures(this.#database).oldestPending();
    const waitedMs = oldest === null ? 0 : Date.now() - Number(oldest.requestedAt / 1_000n);
    this.#oldestErasure.set(Math.max(0, waitedMs) / 1_000);
  }

  async #readDeletions(): Promise<void> {
    this.#dueDeletions.set((await dueDeletions(this.#database)).length);
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.#registry] });
  }

  #byStore(name: string, help: string): Gauge<'store'> {
    return new Gauge({ name, help, labelNames: ['store'], registers: [this.#registry] });
  }
}
