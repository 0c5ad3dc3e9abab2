/** An installation without its HTTP side: log, stores and readers in this process, and messages that keep coming. */
import { setTimeout as delay } from 'node:timers/promises';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import type { ClickHouseStore } from '../../../services/stores/analytics/clickhouse/clickhouse-store.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { migrateDatabase } from '../../../services/stores/database/migrate.ts';
import { openDatabase } from '../../../services/stores/database/open.ts';
import type { EventLog } from '../../../services/event-log/event-log.ts';
import { openEventLog } from '../../../services/event-log/open.ts';
import type { Generation, GenerationKind } from '../../../services/stores/generations/generation.ts';
import { type LiveStores, liveStores } from '../../../services/stores/generations/live-stores.ts';
import { type Message, MESSAGE_TOPICS, TOPICS, topicOf } from '../../../services/messages/message.ts';
import { progressOf } from '../../../services/stores/profiles/progress-of.ts';
import { type BuiltGeneration, ReplayCommands } from '../../../services/operations/replay/replay-commands.ts';
import { Replay } from '../../../services/operations/replay/replay.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { createLogger } from '../../../services/runtime/logger.ts';
import { Readers } from '../../../services/app/readers/readers.ts';
import { AMPLE } from '../stores/analytics.ts';
import type { StoreUrls } from '../stores/new-stores.ts';
import { codec, identify, recordOf, session, track } from '../messages/messages.ts';

const logger = createLogger('silent', process.stderr);
const QUIET = { report: () => undefined, signal: new AbortController().signal };

export class ReplayScene {
  readonly log: EventLog;
  readonly database: Database;
  readonly analytics: AnalyticsStore;
  readonly live: LiveStores;
  readonly commands: ReplayCommands;
  #readers: Readers;
  #isPosting = false;
  #posting: Promise<void> | undefined;
  #posted = 0;

  private constructor(log: EventLog, database: Database, analytics: AnalyticsStore) {
    this.log = log;
    this.database = database;
    this.analytics = analytics;
    this.live = liveStores(database, analytics);
    const parts = { log, codec, database, analytics };
    this.commands = new ReplayCommands({ ...parts, whileFed: (run) => run() });
    this.#readers = this.#newReaders();
  }

  static async open(urls: StoreUrls): Promise<ReplayScene> {
    const log = await openEventLog(urls.EVENT_LOG_URL, { topics: TOPICS, partitions: 2 });
    const database = await openDatabase(urls.PROFILES_URL);
    await migrateDatabase(database);
    return new ReplayScene(log, database, await openAnalytics(urls.ANALYTICS_URL));
  }

  startReaders(): void {
    this.#readers.start();
  }

  /** They may be started again. */
  async stopReaders(): Promise<void> {
    await this.#readers.stop();
    this.#readers = this.#newReaders();
  }

  /** As if their process had ended and another had been started. */
  async restartReaders(): Promise<void> {
    await this.stopReaders();
    this.startReaders();
  }

  /** Without waiting for its readers. */
  makeGeneration(kind: GenerationKind): Promise<Generation> {
    return new Replay({ log: this.log, codec, database: this.database, analytics: this.analytics }).make(
      { kind, projectId: null },
      undefined,
    );
  }

  async close(): Promise<void> {
    await this.stopPosting();
    await this.#readers.stop();
    await Promise.all([this.log.close(), this.database.close(), this.analytics.close()]);
  }

  async append(messages: readonly Message[]): Promise<void> {
    await this.log.append(messages.map((message) => ({ topic: topicOf(message), ...recordOf(message) })));
  }

  /** Some thirty messages of a handful of users, again and again, until it is told to stop. */
  startPosting(projectId: string): void {
    this.#isPosting = true;
    this.#posting ??= this.#post(projectId);
  }

  async stopPosting(): Promise<void> {
    this.#isPosting = false;
    await this.#posting;
    this.#posting = undefined;
  }

  build(kind: GenerationKind, project: string | null = null, asOf: string | null = null): Promise<BuiltGeneration> {
    return this.commands.build({ kind, project, as_of: asOf }, QUIET);
  }

  async run(name: 'rollback' | 'drop' | 'compare', args: object): Promise<unknown> {
    return this.commands[name](args as never, QUIET);
  }

  /** Swaps in what is being built for the project, or for all. */
  async swap(kind: GenerationKind, project: string | null = null): Promise<unknown> {
    const all = await this.status();
    const built = all.find((one) => one.kind === kind && one.project === project && one.state === 'building');
    return this.commands.swap({ kind, number: built?.number ?? 0 }, QUIET);
  }

  status() {
    return this.commands.list();
  }

  /** Resolves once a generation has passed where the log ends now. */
  async hasRead(kind: GenerationKind, number: number): Promise<void> {
    const ends = await this.log.ends(MESSAGE_TOPICS);
    const isPast = async (): Promise<boolean> => {
      const at = await progressOf(this.database, kind, number);
      return ends.every(
        ({ topic, partition, offset }) =>
          offset <= (at.find((one) => one.topic === topic && one.partition === partition)?.offset ?? 0n),
      );
    };
    while (!(await isPast())) await delay(50);
  }

  /** Takes rows out of a table of analytics behind everybody's back. */
  async deleteRows(table: string, where: string): Promise<void> {
    const [local] = await this.analytics
      .ask(
        { sql: "SELECT name FROM system.databases WHERE name = concat(currentDatabase(), '_local')", params: {} },
        AMPLE,
      )
      .then(({ rows }) => rows.map(({ name }) => `${String(name)}.`));
    await (this.analytics as ClickHouseStore).define(`ALTER TABLE ${local ?? ''}${table} DELETE WHERE ${where}`, {
      mutations_sync: '2',
    });
  }

  #newReaders(): Readers {
    const { log, database, analytics } = this;
    return new Readers({ config: readConfig({}), logger, log, codec, database, analytics }, ['projector', 'sink']);
  }

  async #post(projectId: string): Promise<void> {
    while (this.#isPosting) {
      const seq = ++this.#posted;
      const users = [`hot`, ...Array.from({ length: 9 }, (_, index) => `u${(seq * 9 + index) % 300}`)];
      await this.append(
        users.flatMap((userId) => [
          identify({ projectId, userId, traits: `{"seq":${seq}}` }),
          track({ projectId, userId, event: `Event ${seq % 5}`, properties: `{"seq":${seq}}` }),
          session({ projectId, userId, traits: '{"here":true}' }),
        ]),
      );
      await delay(20);
    }
  }
}
