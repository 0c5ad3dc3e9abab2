/** An installation to be backed up and restored: a log in files, a database in memory, and analytics that are a fake. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { EventLog, LogCopy, LogRecord } from '../../../services/event-log/event-log.ts';
import { openEventLog, openLogCopy } from '../../../services/event-log/open.ts';
import { type Message, TOPICS, topicOf } from '../../../services/messages/message.ts';
import { backUp } from '../../../services/operations/backup/back-up.ts';
import type { BackupResult } from '../../../services/operations/backup/last-backup.ts';
import type { ErasureRow } from '../../../services/operations/erasure/erasures-file.ts';
import { restore, type RestoreResult, type RestoreStores } from '../../../services/operations/backup/restore.ts';
import type { AnalyticsStore, HistoryTable, KeptHistory } from '../../../services/stores/analytics/analytics-store.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { migrateDatabase } from '../../../services/stores/database/migrate.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { identify, recordOf, track } from '../../support/messages/messages.ts';
import { openEmptyDatabase, openNewDatabase } from '../../support/stores/new-stores.ts';

export const SILENT = { report: () => undefined, signal: new AbortController().signal };
const SILENT_LOGGER = { info: () => undefined, warn: () => undefined };
const PARTITIONS = 2;

/** The history of audiences in memory. */
export class MemoryHistory implements KeptHistory {
  readonly tables: Record<HistoryTable, string[]> = { audience_evaluations: [], audience_changes: [] };
  derived = 0;

  async rows(table: HistoryTable): Promise<AsyncIterable<Uint8Array>> {
    return ReadableStream.from(this.tables[table].map((line) => Buffer.from(`${line}\n`)));
  }

  async clear(): Promise<void> {
    this.tables.audience_changes = [];
    this.tables.audience_evaluations = [];
  }

  async insert(table: HistoryTable, lines: Uint8Array): Promise<void> {
    this.tables[table].push(...Buffer.from(lines).toString().split('\n'));
  }

  async deriveMembers(): Promise<void> {
    this.derived++;
  }
}

export class BackupScene {
  readonly log: EventLog;
  readonly database: Database;
  readonly history = new MemoryHistory();

  private constructor(log: EventLog, database: Database) {
    this.log = log;
    this.database = database;
  }

  static async open(folder: string): Promise<BackupScene> {
    const log = await openEventLog(`log:${join(folder, 'event-log')}`, { topics: TOPICS, partitions: PARTITIONS });
    const database = await openNewDatabase();
    await migrateDatabase(database);
    onTestFinished(async () => {
      await log.close();
      await database.close();
    });
    const scene = new BackupScene(log, database);
    await new SqlProjectStore(database).createProject({ name: 'Shop', timezone: 'Asia/Tokyo', rateLimit: 1.5 });
    scene.history.tables.audience_changes.push('{"user":340282366920938463463374607431768211455}', '{"user":1}');
    return scene;
  }

  /** Appends tracks and identifies of this number. */
  async append(count: number): Promise<void> {
    const messages = Array.from({ length: count }, (_, index): Message => {
      const who = { projectId: 'proj_a', userId: `u${index % 17}` };
      return index % 2 === 0 ? track(who) : identify({ ...who, traits: `{"n":${index}}` });
    });
    await this.log.append(messages.map((message) => ({ topic: topicOf(message), ...recordOf(message) })));
  }

  backUp(
    folder: string,
    options: { keep?: number; again?: boolean; signal?: AbortSignal } = {},
  ): Promise<BackupResult> {
    const { keep = 3, again = false, signal = SILENT.signal } = options;
    const analytics = { keptHistory: () => this.history };
    const parts = {
      log: this.log,
      database: this.database,
      analytics,
      keep,
      hasRegistry: false,
      logger: SILENT_LOGGER,
    };
    return backUp(parts, { folder, again }, { ...SILENT, signal });
  }
}

/** What a backup is restored into. It may be tried several times, as by processes one after the other. */
export class RestoreScene {
  readonly url: string;
  readonly database: Database;
  readonly history = new MemoryHistory();
  ingested = 0n;

  private constructor(url: string, database: Database) {
    this.url = url;
    this.database = database;
  }

  static async open(folder: string): Promise<RestoreScene> {
    const database = await openEmptyDatabase();
    onTestFinished(() => database.close());
    return new RestoreScene(`log:${join(folder, 'restored-log')}`, database);
  }

  async restore(
    folder: string,
    { untilMs, partitions = PARTITIONS, signal = SILENT.signal, ...other }: RestoreOptions = {},
  ): Promise<RestoreResult> {
    const closing: { close(): Promise<void> }[] = [];
    const analytics = {
      keptHistory: () => other.history ?? this.history,
      ingestedUpTo: async (partitions: readonly object[]) => partitions.map(() => ({ offset: this.ingested })),
    };
    const stores: RestoreStores = {
      database: async () => other.database ?? this.database,
      analytics: async () => analytics as unknown as AnalyticsStore,
      log: async (options) => {
        const log = await openLogCopy(this.url, options);
        closing.push(log);
        return other.around?.(log) ?? log;
      },
    };
    try {
      return await restore(
        stores,
        {
          folder,
          untilMs,
          partitions,
          hasRegistry: other.hasRegistry === true,
          erasures: other.erasures ?? [],
          isDrill: other.isDrill === true,
        },
        { ...SILENT, signal },
      );
    } finally {
      for (const one of closing) await one.close();
    }
  }
}

export interface RestoreOptions {
  readonly untilMs?: number;
  readonly partitions?: number;
  readonly hasRegistry?: boolean;
  readonly isDrill?: boolean;
  readonly signal?: AbortSignal;
  readonly erasures?: readonly ErasureRow[];
  readonly history?: KeptHistory;
  readonly database?: Database;
  readonly around?: (log: LogCopy) => LogCopy;
}

/** Every record of a log with its place and time. */
export async function recordsOf(log: EventLog): Promise<readonly object[]> {
  const ends = await log.ends(TOPICS);
  const ranges = ends.map(({ topic, partition, offset }) => ({ topic, partition, from: 0n, to: offset }));
  const all: object[] = [];
  for await (const { records, ...at } of log.scan(ranges)) all.push(...records.map((record) => plain(at, record)));
  return all.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

function plain(at: object, { offset, appendedAtMs, key, value }: LogRecord): object {
  const [text, data] = [Buffer.from(key).toString('hex'), Buffer.from(value).toString('hex')];
  return { ...at, offset: String(offset), appendedAtMs, key: text, value: data };
}

/** The rows of tables, as text. */
export async function rowsOf(
  database: Database,
  tables: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const rows = tables.map(async (table) => {
    return [table, await database.query(`select to_jsonb(t)::text as row from ${table} t order by 1`)] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}
