import { afterEach, beforeEach } from 'vitest';
import type {
  AnalyticsStore,
  AnalyticsWriter,
  IngestedRange,
  Rows,
} from '../../../services/stores/analytics/analytics-store.ts';
import type { ConcernedUser, JoinsQuestion } from '../../../services/stores/analytics/joins.ts';
import type { Position, TopicPartition } from '../../../services/event-log/event-log.ts';
import { Codec } from '../../../services/messages/codec.ts';
import {
  type Identify,
  importTopicOf,
  type Message,
  MESSAGE_TOPICS,
  topicOf,
  type Track,
} from '../../../services/messages/message.ts';
import { EmbeddedSchemaIds } from '../../../services/messages/schema-ids.ts';
import { partitionKeyOf } from '../../../services/messages/user-key.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { SqlSinkPlans } from '../../../services/stores/profiles/sql-sink-plans.ts';
import { createLogger } from '../../../services/runtime/logger.ts';
import { type InsertReport, Sink, type SinkOptions } from '../../../services/consumers/sink/sink.ts';
import { EMBEDDED, type OpenedAnalytics, type TestedAnalytics } from '../stores/analytics-stores.ts';
import { sharedDatabase } from '../stores/database.ts';
import { MemoryLog } from '../event-log/memory-log.ts';

export const codec = new Codec(new EmbeddedSchemaIds());

/** What a sink works between: for each test a log of its own in memory, an empty analytics store, and no plans. */
export class SinkBench {
  readonly log = new MemoryLog();
  readonly analytics: FaultyAnalytics;
  readonly plans: SqlSinkPlans;
  readonly inserts: InsertReport[] = [];
  readonly lines: string[] = [];
  readonly #running = new Set<Sink>();

  constructor(store: AnalyticsStore, plans: SqlSinkPlans) {
    this.analytics = new FaultyAnalytics(store);
    this.plans = plans;
  }

  /** Runs a sink until it is stopped or the test ends. */
  run(parts: Partial<SinkOptions> = {}): Sink {
    const sink = new Sink({
      log: this.log,
      codec,
      plans: this.plans,
      analytics: this.analytics,
      logger: createLogger('info', { write: (line) => void this.lines.push(line) }),
      onInsert: (report) => this.inserts.push(report),
      ...parts,
    });
    this.#running.add(sink);
    sink.start();
    return sink;
  }

  /** Puts messages on the log. */
  put(messages: readonly Message[], partition = 0): void {
    for (const message of messages) {
      this.log.put(topicOf(message), partition, { key: partitionKeyOf(message), value: codec.encode(message) });
    }
  }

  /** Puts messages on the lane of imports. */
  putImported(messages: readonly (Identify | Track)[]): void {
    for (const message of messages) {
      const topic = importTopicOf(message);
      this.log.put(topic, 0, { key: partitionKeyOf(message), value: codec.encode(message, topic) });
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running].map((sink) => sink.stop()));
  }

  /** Whether every record on the log is planned and inserted. */
  async hasCaughtUp(): Promise<boolean> {
    const partitions = this.log.partitionsOf(MESSAGE_TOPICS);
    const plans = await this.plans.last(partitions);
    return partitions.every(({ topic, partition }) => {
      const plan = plans.find(({ to }) => to.topic === topic && to.partition === partition);
      return plan?.inserted === true && plan.to.offset === BigInt(this.log.records(topic, partition).length);
    });
  }
}

/** A real store that fails on demand: a fake at the port. */
export class FaultyAnalytics implements AnalyticsWriter {
  readonly store: AnalyticsStore;
  /** Every call of insert, before it is passed on. */
  readonly calls: { readonly ranges: readonly IngestedRange[]; readonly rows: Rows }[] = [];
  /** Asked before every insert: throws what the insert is to throw. */
  before: (ranges: readonly IngestedRange[], rows: Rows) => void | Promise<void> = () => undefined;
  /** Called before every compactIngested: throws what that is to throw. */
  beforeCompacting: () => void = () => undefined;

  constructor(store: AnalyticsStore) {
    this.store = store;
  }

  async insert(ranges: readonly IngestedRange[], rows: Rows): Promise<void> {
    this.calls.push({ ranges, rows });
    await this.before(ranges, rows);
    await this.store.insert(ranges, rows);
  }

  keepJoins(question: JoinsQuestion, number: bigint): Promise<readonly ConcernedUser[]> {
    return this.store.keepJoins(question, number);
  }

  ingestedUpTo(partitions: readonly TopicPartition[]): Promise<readonly Position[]> {
    return this.store.ingestedUpTo(partitions);
  }

  async compactIngested(): Promise<void> {
    this.beforeCompacting();
    await this.store.compactIngested();
  }
}

/** A bench for each test, in chDB unless told. */
export function sinkBench(
  tested: Pick<TestedAnalytics, 'open'> = EMBEDDED,
  database: () => Database = sharedDatabase(),
): () => SinkBench {
  let opened: OpenedAnalytics;
  let bench: SinkBench;
  beforeEach(async () => {
    await database().script('delete from sink_plans; delete from applied');
    opened = await tested.open();
    bench = new SinkBench(opened.store, new SqlSinkPlans(database()));
  });
  afterEach(async () => {
    await bench.stop();
    await opened.drop();
  });
  return () => bench;
}
