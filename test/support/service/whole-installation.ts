import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import { ChdbEngine } from '../../../services/stores/analytics/chdb/chdb-engine.ts';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { migrateDatabase } from '../../../services/stores/database/migrate.ts';
import { openDatabase } from '../../../services/stores/database/open.ts';
import type { Appended, EventLog } from '../../../services/event-log/event-log.ts';
import { openEventLog } from '../../../services/event-log/open.ts';
import { Codec } from '../../../services/messages/codec.ts';
import { type Message, MESSAGE_TOPICS, TOPICS, topicOf } from '../../../services/messages/message.ts';
import { EmbeddedSchemaIds } from '../../../services/messages/schema-ids.ts';
import { partitionKeyOf } from '../../../services/messages/user-key.ts';
import { deletionsOf } from '../../../services/stores/erasures/left-out.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { progressOf } from '../../../services/stores/profiles/progress-of.ts';
import { SqlSinkPlans } from '../../../services/stores/profiles/sql-sink-plans.ts';
import { Projector } from '../../../services/consumers/projector/projector.ts';
import { createLogger } from '../../../services/runtime/logger.ts';
import { Sink } from '../../../services/consumers/sink/sink.ts';
import { askServer } from '../stores/clickhouse.ts';
import { newStores, type StoreUrls } from '../stores/new-stores.ts';
import { onServers } from './server-settings.ts';

const PATIENCE = { timeout: 30_000, interval: 50 };
const codec = new Codec(new EmbeddedSchemaIds());

/** A log, profiles and analytics, with readers that run when they are told to. */
export class WholeInstallation {
  readonly codec = codec;
  readonly log: EventLog;
  readonly database: Database;
  readonly analytics: AnalyticsStore;
  /** Runs a statement that writes, past the adapter. */
  readonly alterAnalytics: (sql: string) => Promise<unknown>;
  readonly #logger = createLogger('silent', { write: () => undefined });

  constructor(opened: Pick<WholeInstallation, 'log' | 'database' | 'analytics' | 'alterAnalytics'>) {
    this.log = opened.log;
    this.database = opened.database;
    this.analytics = opened.analytics;
    this.alterAnalytics = opened.alterAnalytics;
  }

  /** Appends messages one after another, and says where each went. */
  append(
    messages: readonly Message[],
    topic?: (message: Message) => (typeof MESSAGE_TOPICS)[number],
  ): Promise<readonly Appended[]> {
    return this.log.append(
      messages.map((message) => {
        const at = (topic ?? topicOf)(message);
        return { topic: at, key: partitionKeyOf(message), value: codec.encode(message, at) };
      }),
    );
  }

  /** Runs both readers until they have come to the log's end. */
  async readAll(readers: { projector?: boolean; sink?: boolean } = {}): Promise<void> {
    const { projector = true, sink = true } = readers;
    const common = { log: this.log, codec, logger: this.#logger, ...deletionsOf(this.database) };
    const running = [
      ...(projector
        ? [new Projector({ ...common, store: new SqlProfileStore(this.database), repeatWindowMs: 2 ** 40 })]
        : []),
      ...(sink ? [new Sink({ ...common, plans: new SqlSinkPlans(this.database), analytics: this.analytics })] : []),
    ];
    for (const reader of running) reader.start();
    try {
      if (projector) await expect.poll(() => this.#behind('projector'), PATIENCE).toEqual([]);
      if (sink) await expect.poll(() => this.#behind('sink'), PATIENCE).toEqual([]);
    } finally {
      await Promise.all(running.map((reader) => reader.stop()));
    }
  }

  async #behind(reader: 'projector' | 'sink'): Promise<readonly string[]> {
    const [ends, positions] = await Promise.all([
      this.log.ends(MESSAGE_TOPICS),
      progressOf(this.database, reader === 'projector' ? 'profiles' : 'analytics', 1),
    ]);
    const behind = ends.filter(({ topic, partition, offset }) => {
      const stands = positions.find((one) => one.topic === topic && one.partition === partition);
      return (stands?.offset ?? 0n) < offset;
    });
    return behind.map(({ topic, partition }) => `${topic}/${partition}`);
  }

  async close(): Promise<void> {
    await Promise.all([this.log.close(), this.database.close(), this.analytics.close()]);
  }
}

/** One installation for the tests of a `describe`. */
export function sharedInstallation(form: 'embedded' | 'servers'): () => WholeInstallation {
  let installation: WholeInstallation | undefined;
  let drop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const installed = await (form === 'embedded' ? embedded() : servers());
    drop = installed.drop;
    installation = await open(installed);
  }, 180_000);
  afterAll(async () => {
    await installation?.close();
    await drop?.();
  });
  return () => {
    if (!installation) throw new Error('not open yet');
    return installation;
  };
}

/** An embedded one in a data folder, which stays when it is closed. */
export async function openEmbedded(folder: string): Promise<WholeInstallation> {
  return open({ urls: await newStores(folder), alterAnalytics: () => Promise.reject(new Error('it is open')) });
}

interface Place {
  readonly urls: StoreUrls;
  readonly alterAnalytics: (sql: string) => Promise<unknown>;
  readonly drop: () => Promise<void>;
}

async function open({ urls, alterAnalytics }: Omit<Place, 'drop'>): Promise<WholeInstallation> {
  const database = await openDatabase(urls.PROFILES_URL);
  await migrateDatabase(database);
  return new WholeInstallation({
    log: await openEventLog(urls.EVENT_LOG_URL, { topics: TOPICS, partitions: 2 }),
    database,
    analytics: await openAnalytics(urls.ANALYTICS_URL),
    alterAnalytics,
  });
}

async function embedded(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  return {
    urls: await newStores(folder),
    alterAnalytics: async (sql) => {
      const engine = new ChdbEngine(`${folder}/analytics/store`);
      try {
        await engine.query('', sql);
      } finally {
        await engine.close();
      }
    },
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

async function servers(): Promise<Place> {
  const installed = await onServers();
  if (installed === undefined) throw new Error('skip these tests where there are no servers');
  return {
    urls: installed.settings,
    alterAnalytics: (sql) => askServer(installed.settings.ANALYTICS_URL, sql),
    drop: () => installed.drop(),
  };
}
