import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import type { Position, TopicPartition } from '../../../event-log/event-log.ts';
import { TidemarkError } from '../../../runtime/errors.ts';
import type { Micros } from '../../../messages/message.ts';
import type {
  AnalyticsStore,
  ChangesQuery,
  CopiedMessages,
  Difference,
  Evaluation,
  EventsQuery,
  ForgettingOptions,
  ForgottenRows,
  IngestedRange,
  KeptHistory,
  LiveNumbers,
  Query,
  QueryLimits,
  QueryResult,
  Rows,
  StoredEvent,
  Whose,
} from '../analytics-store.ts';
import { askRows, endSoon, refuseIfStopping } from './ask.ts';
import { ClickHouseAudiences } from './clickhouse-audiences.ts';
import { type ClickHouseClients, lookupsFor } from './clients.ts';
import type { Deployment } from './deployment.ts';
import { countRows, type ForgettingParts, forgetRows } from './forget-rows.ts';
import { type ClickHouseDatabases, ClickHouseGenerations } from './clickhouse-generations.ts';
import { insertError, openingError } from './errors.ts';
import { insertChunks, insertRows, type InsertTarget, tryRows } from './insert-rows.ts';
import { INGESTED_RANGE_COLUMNS, IngestedRanges, rangeRows } from './ingested-ranges.ts';
import { DEFINING, type Exclusively, migrateClickHouse } from './migrations.ts';
import { HISTORY_LIMITS } from './kept-history.ts';
import { LOOKUP_LIMITS } from './settings.ts';
import { joinedResults } from './shards.ts';
import { openStream, type QuestionStream } from './stream.ts';
import type { ConcernedUser, JoinsQuestion } from '../joins.ts';
import { keepJoins } from '../joins-sql.ts';
import { userEvents } from '../user-events.ts';

export class ClickHouseStore implements AnalyticsStore {
  readonly #clients: ClickHouseClients;
  readonly #deployment: Deployment;
  readonly #stopping = new AbortController();
  readonly #databases: ClickHouseDatabases;
  readonly liveHistory: ClickHouseAudiences;
  readonly dropOldFiles: ClickHouseDatabases['dropOldFiles'];
  readonly #ingestedRanges: IngestedRanges;
  readonly #inserts = new Set<Promise<unknown>>();
  readonly #streams = new Set<QuestionStream>();
  readonly #generations: ClickHouseGenerations;
  #closed: Promise<void> | undefined;

  /** A store of one database; the others of `databases` are opened on demand. */
  constructor(clients: ClickHouseClients, deployment: Deployment, databases: ClickHouseDatabases) {
    this.#clients = clients;
    this.#deployment = deployment;
    this.#generations = new ClickHouseGenerations(this, clients.inserts, databases, deployment);
    this.#databases = databases;
    this.dropOldFiles = databases.dropOldFiles;
    this.#ingestedRanges = new IngestedRanges({
      client: clients.inserts,
      shards: clients.shards,
      ask: (query) => this.#lookUp(query),
      insertSettings: deployment.insertSettings,
    });
    this.liveHistory = new ClickHouseAudiences({
      client: clients.evaluations,
      shards: clients.shards,
      local: deployment.localOf?.(databases.name) ?? databases.name,
      ask: (query) => this.#ask(clients.lookups, query, HISTORY_LIMITS),
      target: this.#target,
      liveTarget: { client: clients.lookups, deployment },
      database: databases.name,
      stopping: this.#stopping.signal,
    });
  }

  /** @throws TidemarkError `STORE_NEWER`; `STORE_OLDER` where it may not migrate; `CONFIG_INVALID`; `STORE_UNAVAILABLE`; `SERVER_DENIED`. */
  async migrate(migration: Parameters<typeof migrateClickHouse>[3], exclusively?: Exclusively): Promise<void> {
    try {
      // Has the time limit of an evaluation: a statement may move every event.
      await migrateClickHouse([this.#clients.evaluations], this.#deployment, exclusively, migration);
    } catch (error) {
      throw error instanceof TidemarkError ? error : openingError(error);
    }
  }

  /** After a machine crash: deletes the ranges that may not have reached the disk, in every generation. */
  forgetDoubtful(): Promise<void> {
    return this.#generations.forgetDoubtful();
  }

  insert(ranges: readonly IngestedRange[], rows: Rows): Promise<void> {
    return this.#inserting(async () => {
      await insertRows(this.#target, rows);
      // Ranges are recorded last, so that a recorded range is complete.
      await insertChunks(this.#target, 'held_ranges', INGESTED_RANGE_COLUMNS, rangeRows(ranges));
    });
  }

  async keepJoins(question: JoinsQuestion, number: bigint): Promise<readonly ConcernedUser[]> {
    const { insertSettings: clickhouse_settings, localOf } = this.#deployment;
    if (localOf !== undefined) return [];
    const ask = async (query: Query) => (await this.#lookUp(query)).rows;
    const run = ({ sql: query, params: query_params }: Query) =>
      this.#clients.inserts.command({ query, query_params, clickhouse_settings });
    return this.#inserting(() => keepJoins(question, number, ask, run));
  }

  tryInsert(rows: Rows): Promise<void> {
    refuseIfStopping(this.#stopping.signal);
    return tryRows(this.#target, rows, (sql) => this.define(sql));
  }

  ingestedUpTo(partitions: readonly TopicPartition[]): Promise<readonly Position[]> {
    return this.#ingestedRanges.upTo(partitions);
  }

  async compactIngested(): Promise<void> {
    refuseIfStopping(this.#stopping.signal);
    try {
      await this.#ingestedRanges.compact();
    } catch (error) {
      throw error instanceof TidemarkError ? error : insertError(error);
    }
  }

  userEvents(query: EventsQuery): Promise<readonly StoredEvent[]> {
    return userEvents(query, async (page) => (await this.#lookUp(page)).rows);
  }

  async ask(query: Query, limits: QueryLimits): Promise<QueryResult> {
    refuseIfStopping(this.#stopping.signal);
    if (query.isLookUp === true) return this.#ask(lookupsFor(this.#clients, query), query, limits);
    // What is estimated or planned of the tables that refer to others says nothing of those.
    const isOfTables = this.#deployment.localOf !== undefined && query.sql.startsWith('EXPLAIN ');
    const ask = async (): Promise<QueryResult> =>
      isOfTables
        ? joinedResults(await Promise.all(this.#clients.shards.map((shard) => this.#ask(shard, query, limits))))
        : this.#ask(this.#clients.questions, query, limits);
    return this.#databases.gates.questions.run(query.projectId ?? '', this.#stopping.signal, ask);
  }

  askHistory(query: Query, limits: QueryLimits): Promise<QueryResult> {
    // The first shard alone has it.
    return this.ask({ ...query, shard: { index: 0, of: this.#clients.lookupsByShard.length } }, limits);
  }

  async placementOf(): ReturnType<AnalyticsStore['placementOf']> {
    return { shards: this.#clients.lookupsByShard.length, hasReplicas: this.#deployment.beforeReading !== undefined };
  }

  async stream(query: Query, limits: QueryLimits): Promise<AsyncIterable<Uint8Array>> {
    refuseIfStopping(this.#stopping.signal);
    const stopping = this.#stopping.signal;
    const leave = await this.#databases.gates.streams.enter(query.projectId ?? '', stopping);
    let opened: QuestionStream | undefined;
    const onEnd = (): void => {
      leave();
      if (opened !== undefined) this.#streams.delete(opened);
    };
    try {
      opened = await openStream(this.#clients.streams, query, limits, { stopping, onEnd });
      if (!opened.ended) this.#streams.add(opened);
      return opened;
    } catch (error) {
      onEnd();
      refuseIfStopping(this.#stopping.signal);
      throw error;
    }
  }

  audienceChanges(query: ChangesQuery, limits: QueryLimits): Promise<AsyncIterable<Uint8Array>> {
    return this.stream(this.liveHistory.changes(query), limits);
  }

  async difference(evaluation: Evaluation, members: Query, limits: QueryLimits): Promise<Difference> {
    refuseIfStopping(this.#stopping.signal);
    const find = (): Promise<Difference> => this.liveHistory.difference(evaluation, members, limits);
    return this.#databases.gates.evaluations.run(evaluation.projectId, this.#stopping.signal, find);
  }

  finalize(evaluation: Evaluation): Promise<void> {
    refuseIfStopping(this.#stopping.signal);
    return this.liveHistory.finalize(evaluation);
  }

  finalizedAt(projectId: string, audienceId: string): Promise<Micros | null> {
    return this.liveHistory.finalizedAt(projectId, audienceId);
  }

  forgetAudience(projectId: string, audienceId: string): Promise<void> {
    refuseIfStopping(this.#stopping.signal);
    return this.liveHistory.forget(projectId, audienceId);
  }

  keptHistory(): KeptHistory {
    return this.liveHistory.kept((query) => this.stream(query, HISTORY_LIMITS));
  }

  forget(whose: Whose, { signal, ...options }: ForgettingOptions): Promise<readonly ForgottenRows[]> {
    refuseIfStopping(this.#stopping.signal);
    return forgetRows(this.shardParts, whose, { ...options, signal: AbortSignal.any([signal, this.#stopping.signal]) });
  }

  countOf(whose: Whose): Promise<readonly ForgottenRows[]> {
    refuseIfStopping(this.#stopping.signal);
    return countRows(this.shardParts, whose);
  }

  /** Runs a DDL statement, adapted to the deployment of this ClickHouse. */
  async define(sql: string, settings: ClickHouseSettings = {}): Promise<void> {
    try {
      const clickhouse_settings = { ...DEFINING, ...settings };
      const query = this.#deployment.statement(sql);
      for (const server of this.#clients.servers) await server.command({ query, clickhouse_settings });
    } catch (error) {
      throw openingError(error);
    }
  }

  ofGeneration(number: number): Promise<AnalyticsStore> {
    refuseIfStopping(this.#stopping.signal);
    return this.#generations.open(number);
  }

  databaseOf(number: number): Promise<string> {
    return Promise.resolve(this.#generations.nameOf(number));
  }

  makeGeneration(number: number): Promise<void> {
    return this.#generations.make(number);
  }

  dropGeneration(number: number): Promise<void> {
    return this.#generations.drop(number);
  }

  copyMessages(from: number, to: number, copied: CopiedMessages): Promise<void> {
    return this.#generations.copy(from, to, copied);
  }

  showGenerations(live: LiveNumbers): Promise<void> {
    return this.#generations.show(live);
  }

  async check(): Promise<void> {
    await this.#lookUp({ sql: 'SELECT 1 FROM system.one', params: {} });
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  /** Closing waits for it. */
  async #inserting<T>(insert: () => Promise<T>): Promise<T> {
    refuseIfStopping(this.#stopping.signal);
    const inserted = insert();
    this.#inserts.add(inserted);
    try {
      return await inserted;
    } catch (error) {
      throw error instanceof TidemarkError ? error : insertError(error);
    } finally {
      this.#inserts.delete(inserted);
    }
  }

  get shardParts(): readonly ForgettingParts[] {
    const askOn = (client: ClickHouseClient) => (query: Query) => this.#ask(client, query, LOOKUP_LIMITS);
    return this.#clients.shards.map((client) => ({ client, ask: askOn(client), lack: this.#databases.lack }));
  }

  get #target(): InsertTarget {
    return { client: this.#clients.inserts, deployment: this.#deployment };
  }

  #lookUp(query: Query): Promise<QueryResult> {
    return this.#ask(this.#clients.lookups, query, LOOKUP_LIMITS);
  }

  #ask(client: ClickHouseClient, query: Query, limits: QueryLimits): Promise<QueryResult> {
    return askRows(client, query, limits, { deployment: this.#deployment, stopping: this.#stopping.signal });
  }

  async #close(): Promise<void> {
    this.#stopping.abort();
    const streams = Array.from(this.#streams, (stream) => stream.return());
    await endSoon(this.#deployment, [this.#generations.close(), ...this.#inserts, ...streams]);
    const { release, ...clients } = this.#clients;
    await Promise.all([...new Set(Object.values(clients).flat())].map((client) => client.close()));
    await release();
  }
}
