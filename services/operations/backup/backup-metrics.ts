import { Gauge, Registry } from 'prom-client';
import type { Queryable } from '../../stores/database/database.ts';
import { lastBackup, type LastBackup } from './last-backup.ts';

/** The last backup of any process, as metrics. */
export class BackupMetrics {
  readonly #database: Queryable;
  readonly #folder: string | undefined;
  readonly #registry = new Registry();
  readonly #at = this.#gauge(
    'tidemark_backup_last_success_timestamp_seconds',
    'When the last backup ended that came to its end; 0 where none has',
  );
  readonly #bytes = this.#gauge('tidemark_backup_bytes', 'What the folder of the last backup holds');
  readonly #seconds = this.#gauge('tidemark_backup_seconds', 'How long the last backup took');

  /** @param folder Undefined: whatever folder the last went to. */
  constructor(database: Queryable, folder: string | undefined) {
    this.#database = database;
    this.#folder = folder;
  }

  /** In the text format of Prometheus. */
  async text(): Promise<string> {
    // While Postgres is unavailable, the last figures remain.
    const last = await lastBackup(this.#database, this.#folder).catch(() => null);
    if (last !== null) this.#show(last);
    return this.#registry.metrics();
  }

  #show({ finishedAtMs, result }: LastBackup): void {
    this.#at.set(finishedAtMs / 1000);
    this.#bytes.set(result.bytes_total);
    this.#seconds.set(result.took_ms / 1000);
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.#registry] });
  }
}
