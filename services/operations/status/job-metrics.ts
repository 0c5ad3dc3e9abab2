import { Gauge, Registry } from 'prom-client';
import type { Database } from '../../stores/database/database.ts';
import { SqlErasures } from '../../stores/erasures/sql-erasures.ts';
import { dueDeletions } from '../erasure/old-events.ts';
import { lastBackup } from '../backup/last-backup.ts';
import { type DataFolders, diskRoom } from './disk.ts';
import { fullAtMs, notedStores } from './store-sizes.ts';
import { differenceIn, lastVerification } from '../verify/last-verification.ts';

/** What jobs of any process came to last, as metrics. While Postgres is unavailable, the last figures remain. */
export class JobMetrics {
  readonly #database: Database;
  readonly #backupFolder: string | undefined;
  readonly #folders: DataFolders | undefined;
  readonly #registry = new Registry();
  readonly #verifiedAt = this.#gauge(
    'tidemark_verify_last_check_timestamp_seconds',
    'When the last hours were last held against the log; 0 where they never were',
  );
  readonly #missing = this.#by(
    'store',
    'tidemark_verify_missing_messages',
    'Messages on the log that a store lacks, of the hours last verified',
  );
  readonly #surplus = this.#by(
    'store',
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
  readonly #stored = this.#by('store', 'tidemark_store_bytes', 'What the store took when that was last noted');
  readonly #grows = this.#by(
    'store',
    'tidemark_store_grows_bytes_per_day',
    'How much the store grows a day by the notes of up to seven days, below 0 where it shrinks',
  );
  readonly #free = this.#by('folder', 'tidemark_disk_free_bytes', 'Bytes that are free on the disk of the data folder');
  readonly #fullAt = this.#by(
    'folder',
    'tidemark_disk_full_timestamp_seconds',
    'When the disk of the data folder is full, if the stores on it go on to grow as they do',
  );

  /**
   * @param backupFolder Undefined: whatever folder the last went to.
   * @param folders Left out: nothing is told of the disk.
   */
  constructor(database: Database, backupFolder: string | undefined, folders?: DataFolders) {
    this.#database = database;
    this.#backupFolder = backupFolder;
    this.#folders = folders;
  }

  /** In the text format of Prometheus. */
  async text(): Promise<string> {
    await Promise.allSettled([
      this.#readVerification(),
      this.#readBackup(),
      this.#readErasures(),
      this.#readDeletions(),
      this.#readSizes(),
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

  async #readSizes(): Promise<void> {
    const disk = this.#folders === undefined ? null : await diskRoom(this.#folders);
    if (disk !== null) this.#free.set({ folder: disk.folder }, disk.freeBytes);
    const noted = await notedStores(this.#database);
    for (const gauge of [this.#stored, this.#grows, this.#fullAt]) gauge.reset();
    for (const [store, { bytes, growth }] of Object.entries(noted)) {
      this.#stored.set({ store }, bytes);
      if (growth !== null) this.#grows.set({ store }, growth.bytesADay);
    }
    const fullAt = disk && fullAtMs(disk, noted, Date.now());
    if (disk !== null && fullAt !== null) this.#fullAt.set({ folder: disk.folder }, fullAt / 1_000);
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.#registry] });
  }

  #by<Label extends string>(label: Label, name: string, help: string): Gauge<Label> {
    return new Gauge({ name, help, labelNames: [label], registers: [this.#registry] });
  }
}
