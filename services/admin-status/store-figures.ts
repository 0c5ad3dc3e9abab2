import type { RecordCoordinates } from '../maintenance/dead-letters/record-coordinates.ts';
import { SettledDeadLetters } from '../maintenance/dead-letters/settled-dead-letters.ts';
import { lastVerification, type LastVerification } from '../maintenance/verify/last-verification.ts';
import type { AnalyticsReader } from '../stores/analytics/analytics-store.ts';
import type { Database } from '../stores/database/database.ts';

/** What the stores tell of the installation. Arguments and results can be cloned between threads. */
export interface StoreFigures {
  /** Bytes of the database of profiles on the disk of its server. */
  profilesBytes(): Promise<number>;
  /** Bytes of the rows of analytics on the disk of its server; of a cluster, on the node that answers. */
  analyticsBytes(): Promise<number>;
  /** Null before the first verification. */
  verification(): Promise<LastVerification | null>;
  /** Which of these messages of dead letters, by their coordinates, were replayed or dropped. */
  settled(messages: readonly RecordCoordinates[]): Promise<readonly string[]>;
}

export class SqlStoreFigures implements StoreFigures {
  readonly #database: Pick<Database, 'query'>;
  readonly #analytics: Pick<AnalyticsReader, 'ask'>;

  constructor(database: Pick<Database, 'query'>, analytics: Pick<AnalyticsReader, 'ask'>) {
    this.#database = database;
    this.#analytics = analytics;
  }

  async profilesBytes(): Promise<number> {
    const sql = 'select pg_database_size(current_database()) as bytes';
    const [row] = await this.#database.query<{ readonly bytes: bigint }>(sql);
    return Number(row?.bytes ?? 0);
  }

  async analyticsBytes(): Promise<number> {
    const { rows } = await this.#analytics.ask({ sql: ANALYTICS_BYTES, params: {} }, LIMITS);
    return Number(rows[0]?.['bytes'] ?? 0);
  }

  async verification(): Promise<LastVerification | null> {
    return (await lastVerification(this.#database)) ?? null;
  }

  async settled(messages: readonly RecordCoordinates[]): Promise<readonly string[]> {
    return [...(await new SettledDeadLetters(this.#database).find(messages)).keys()];
  }
}

// Later generations are databases of the same name with a number behind it.
const ANALYTICS_BYTES = `
  SELECT toString(sum(bytes_on_disk)) AS bytes
  FROM system.parts
  WHERE active AND (database = currentDatabase() OR match(database, concat('^', currentDatabase(), '_g[0-9]+$')))`;

const LIMITS = { maxMs: 2_000, maxMemoryBytes: 100_000_000, maxRowsRead: 10_000_000 };
