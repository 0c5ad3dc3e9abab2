import { Gauge, Registry } from 'prom-client';
import type { Database } from '../../stores/database/database.ts';
import { NOW_MS } from '../../stores/database/sql-time.ts';
import { SqlErasures } from '../../stores/erasures/sql-erasures.ts';
import { MISSING_AFTER_MS, type ProcessStore } from '../../stores/service-state/process-store.ts';
import type { DeadLetterCounts } from '../dead-letters/waiting-dead-letters.ts';
import { dueDeletions } from '../erasure/old-events.ts';
import { type BackupSchedule, lastBackup } from '../backup/last-backup.ts';
import { cached } from './cached.ts';
import { type DataFolders, diskRooms } from './disk.ts';
import { READER_NAMES } from './log-lag.ts';
import { fullAtMs, notedStores } from './store-sizes.ts';
import { differenceIn, lastVerification } from '../verify/last-verification.ts';

/** What is left out is not told. */
export interface JobMetricsParts {
  readonly backups?: BackupSchedule;
  /** How often the process verifies by itself; 0 for never. */
  readonly verifyEveryMs?: number;
  readonly folders?: DataFolders;
  readonly processes?: Pick<ProcessStore, 'list'>;
  readonly countWaiting?: (signal: AbortSignal) => Promise<DeadLetterCounts>;
}

/**
 * What jobs of any process came to last and what waits in an installation, as metrics. What cannot be read within three
 * seconds keeps its last figures.
 */
export class JobMetrics {
  readonly #database: Database;
  readonly #parts: JobMetricsParts;
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
  readonly #overdueAt = this.#by('kind', 'tidemark_job_overdue_timestamp_seconds', 'When the next job is overdue');
  readonly #failedJobs = this.#gauge('tidemark_jobs_failed', 'Jobs that failed within a day');
  readonly #failedAudiences = this.#gauge('tidemark_audiences_failed', 'Audiences whose last evaluation failed');
  readonly #oldestDue = this.#gauge('tidemark_audience_oldest_due_seconds', 'For how long an evaluation has been due');
  readonly #deadLetters = this.#gauge('tidemark_dead_letters_waiting', 'Messages that wait as dead letters');
  readonly #readers = this.#by('reader', 'tidemark_reader_processes', 'Processes that report that they run the reader');
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
  readonly #free = this.#by('folder', 'tidemark_disk_free_bytes', 'Bytes that are free on the disk of this folder');
  readonly #total = this.#by('folder', 'tidemark_disk_total_bytes', 'Bytes of the disk of this folder');
  readonly #fullAt = this.#by(
    'folder',
    'tidemark_disk_full_timestamp_seconds',
    'When the disk of this folder is full, if the stores on it go on to grow as they do',
  );
  readonly #sources = [
    () => this.#readVerification(),
    () => this.#readBackup(),
    () => this.#readWork(),
    (signal: AbortSignal) => this.#readDeadLetters(signal),
    () => this.#readProcesses(),
    () => this.#readErasures(),
    () => this.#readDeletions(),
    () => this.#readSizes(),
  ].map((read) => cached(0, read));

  constructor(database: Database, parts: JobMetricsParts = {}) {
    this.#database = database;
    this.#parts = parts;
  }

  /** In the text format of Prometheus. */
  async text(): Promise<string> {
    await Promise.all(this.#sources.map((read) => read()));
    return this.#registry.metrics();
  }

  async #readVerification(): Promise<void> {
    const last = await lastVerification(this.#database);
    this.#noteOverdue('verify', 3 * (this.#parts.verifyEveryMs ?? 0), last?.finishedAtMs);
    if (last === undefined) return;
    const { missing, surplus } = differenceIn(last.report);
    this.#verifiedAt.set(last.finishedAtMs / 1_000);
    for (const store of ['postgres', 'clickhouse'] as const) {
      this.#missing.set({ store }, missing[store]);
      this.#surplus.set({ store }, surplus[store]);
    }
  }

  async #readBackup(): Promise<void> {
    const { folder, everyMs = 0 } = this.#parts.backups ?? {};
    const last = await lastBackup(this.#database, folder);
    this.#noteOverdue('backup', folder === undefined ? 0 : 2 * everyMs, last?.finishedAtMs);
    if (last === null) return;
    this.#backedUpAt.set(last.finishedAtMs / 1_000);
    this.#backupBytes.set(last.result.bytes_total);
    this.#backupSeconds.set(last.result.took_ms / 1_000);
  }

  /** @param withinMs 0: none is wanted. @param lastAtMs Where there never was one, the start of the process counts. */
  #noteOverdue(kind: 'backup' | 'verify', withinMs: number, lastAtMs = performance.timeOrigin): void {
    if (withinMs > 0) this.#overdueAt.set({ kind }, (lastAtMs + withinMs) / 1_000);
  }

  async #readWork(): Promise<void> {
    const [row] = await this.#database.query<Record<'failed_jobs' | 'failed_audiences' | 'due_for_ms', bigint>>(WORK);
    this.#failedJobs.set(Number(row?.failed_jobs ?? 0));
    this.#failedAudiences.set(Number(row?.failed_audiences ?? 0));
    this.#oldestDue.set(Number(row?.due_for_ms ?? 0) / 1_000);
  }

  async #readDeadLetters(signal: AbortSignal): Promise<void> {
    const counts = await this.#parts.countWaiting?.(signal);
    if (counts !== undefined) this.#deadLetters.set(counts.messages);
  }

  async #readProcesses(): Promise<void> {
    const running = (await this.#parts.processes?.list())?.filter(({ ageMs }) => ageMs <= MISSING_AFTER_MS);
    const count = (reader: string) => running?.filter(({ rates }) => reader in rates).length ?? 0;
    for (const reader of running === undefined ? [] : READER_NAMES) this.#readers.set({ reader }, count(reader));
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
    const { folders } = this.#parts;
    const disks = folders === undefined ? [] : await diskRooms(folders, Object.values({ ...folders }));
    for (const gauge of [this.#free, this.#total]) gauge.reset();
    for (const { folder, freeBytes, totalBytes } of disks) {
      this.#free.set({ folder }, freeBytes);
      this.#total.set({ folder }, totalBytes);
    }
    const noted = await notedStores(this.#database);
    for (const gauge of [this.#stored, this.#grows, this.#fullAt]) gauge.reset();
    for (const [store, { bytes, growth }] of Object.entries(noted)) {
      this.#stored.set({ store }, bytes);
      if (growth !== null) this.#grows.set({ store }, growth.bytesADay);
    }
    for (const disk of disks) {
      const fullAt = fullAtMs(disk, noted, Date.now());
      if (fullAt !== null) this.#fullAt.set({ folder: disk.folder }, fullAt / 1_000);
    }
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.#registry] });
  }

  #by<Label extends string>(label: Label, name: string, help: string): Gauge<Label> {
    return new Gauge({ name, help, labelNames: [label], registers: [this.#registry] });
  }
}

const WORK = `
  select (select count(*) from jobs where state = 'failed' and finished_at_ms > ${NOW_MS} - 86400000) as failed_jobs,
         count(*) filter (where failure is not null) as failed_audiences,
         coalesce(greatest(max(${NOW_MS} - due_at_ms), 0), 0) as due_for_ms
  from audiences
  where deleted_at_ms is null`;
