import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import { hasCode, TidemarkError } from '../../../runtime/errors.ts';
import type { AnalyticsStore, CopiedMessages, LiveNumbers } from '../analytics-store.ts';
import { copyMessages } from './copy-messages.ts';
import { type Deployment, quotedName } from './deployment.ts';
import { openingError } from './errors.ts';
import type { ForgettingParts } from './forget-rows.ts';
import { FORGET_DOUBTFUL } from './ingested-ranges.ts';
import { viewStatements } from './views.ts';
import type { QueryQueue } from '../query-queue.ts';

/** The store of one generation's database. */
export interface GenerationStore extends AnalyticsStore {
  /** Each server with the tables of the generation. */
  readonly shardParts: readonly ForgettingParts[];
  /** Runs a statement that defines something. */
  define(sql: string, settings?: ClickHouseSettings): Promise<void>;
}

/** Access to the databases of other generations. */
export interface ClickHouseDatabases {
  /** The name of the opened database, which is that of the first generation. */
  readonly name: string;
  /** The query queues that all of them share. */
  readonly gates: Readonly<Record<'questions' | 'streams' | 'evaluations', QueryQueue>>;
  /** Opens an existing database, whose tables it migrates where it `isNew` or else where opening may. */
  open(name: string, isNew?: boolean): Promise<GenerationStore>;
  /** See `AnalyticsStore.dropOldFiles`. */
  readonly dropOldFiles?: (signal: AbortSignal) => Promise<void>;
  /** The space that the disk lacks while deletions stand still for it. Left out where a server has the disk. */
  readonly lack?: () => string | undefined;
}

const FIRST = 1;
const SHOW_ATTEMPTS = 5;

// Dropping has no size limit.
const DROPPING: ClickHouseSettings = { max_table_size_to_drop: '0', max_partition_size_to_drop: '0' };

/** Creates, opens, shows and drops the generations of a ClickHouse. */
export class ClickHouseGenerations {
  readonly #first: GenerationStore;
  readonly #client: ClickHouseClient;
  readonly #databases: ClickHouseDatabases;
  readonly #deployment: Deployment;
  readonly #opened = new Map<number, Promise<GenerationStore>>();
  #shown: Promise<unknown> = Promise.resolve();

  constructor(
    first: GenerationStore,
    client: ClickHouseClient,
    databases: ClickHouseDatabases,
    deployment: Deployment,
  ) {
    this.#first = first;
    this.#client = client;
    this.#databases = databases;
    this.#deployment = deployment;
  }

  open(number: number): Promise<GenerationStore> {
    if (number === FIRST) return Promise.resolve(this.#first);
    return this.#opened.get(number) ?? this.#kept(number, this.#open(number));
  }

  async make(number: number): Promise<void> {
    if (number === FIRST) return;
    await this.#first.define(`CREATE DATABASE IF NOT EXISTS ${this.nameOf(number)}`);
    const opened = await this.#opened.get(number)?.catch(() => undefined);
    if (opened === undefined) await this.#kept(number, this.#databases.open(this.#plainNameOf(number), true));
  }

  async drop(number: number): Promise<void> {
    if (number === FIRST) {
      await this.#truncate();
      return;
    }
    const opened = this.#opened.get(number);
    this.#opened.delete(number);
    await (await opened?.catch(() => undefined))?.close();
    const name = this.#plainNameOf(number);
    for (const database of new Set([name, this.#localOf(name)]))
      await this.#first.define(`DROP DATABASE IF EXISTS ${quotedName(database)} SYNC`, DROPPING);
  }

  async copy(from: number, to: number, copied: CopiedMessages): Promise<void> {
    const { shardParts } = await this.open(to);
    await copyMessages(shardParts, quotedName(this.#localOf(this.#plainNameOf(from))), copied);
  }

  /**
   * ClickHouse replaces no view while it replaces it for another: it refuses one of the two with UNKNOWN_TABLE. So one at a
   * time in this process, and again where another process was at it.
   */
  show(live: LiveNumbers): Promise<void> {
    const showing = this.#shown.then(async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#show(live);
        } catch (error) {
          if (attempt === SHOW_ATTEMPTS || !hasCode(error, 'STORE_REJECTED')) throw error;
        }
      }
    });
    this.#shown = showing.catch(() => undefined);
    return showing;
  }

  async #show({ all, own }: LiveNumbers): Promise<void> {
    const live = {
      all: this.nameOf(all),
      own: new Map([...own].map(([projectId, number]) => [projectId, this.nameOf(number)])),
    };
    const showing = await this.open(all);
    // On every server.
    const comments = Map.groupBy(await this.#views(), ({ name }) => name);
    for (const { name, comment, sql } of await viewStatements(this.nameOf(FIRST), live)) {
      const isCurrent = comments.get(name)?.every((view) => view.comment === comment) ?? false;
      if (!isCurrent) await showing.define(sql);
    }
  }

  /** Opens each generation first, so that its tables have the schema of this version. */
  async forgetDoubtful(): Promise<void> {
    for (const number of [FIRST, ...(await this.#existing())]) await (await this.open(number)).define(FORGET_DOUBTFUL);
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#opened.values());
    await Promise.all(opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value.close()] : [])));
  }

  #kept(number: number, store: Promise<GenerationStore>): Promise<GenerationStore> {
    this.#opened.set(number, store);
    // The next call tries again.
    store.catch(() => this.#opened.delete(number));
    return store;
  }

  async #open(number: number): Promise<GenerationStore> {
    if (!(await this.#existing()).includes(number)) {
      throw new TidemarkError('STORE_UNAVAILABLE', `analytics has no database of generation ${number}`);
    }
    return this.#databases.open(this.#plainNameOf(number));
  }

  /** Empties the first generation. Its database is kept because it also has the views and the history of audiences. */
  async #truncate(): Promise<void> {
    const database = this.#localOf(this.#databases.name);
    const tables = await this.#rows<{ name: string }>(
      `SELECT name FROM system.tables
       WHERE database = {database:String} AND engine LIKE '%MergeTree' AND name NOT LIKE '.%' AND name != 'schema_migrations'
         AND NOT startsWith(name, 'audience_')`,
      { database },
    );
    for (const name of new Set(tables.map((table) => table.name)))
      await this.#first.define(`TRUNCATE TABLE ${quotedName(database)}.${quotedName(name)} SYNC`, DROPPING);
  }

  /** The views of the opened database. */
  #views(): Promise<readonly { readonly name: string; readonly comment: string }[]> {
    return this.#rows(
      `SELECT name, comment FROM system.tables WHERE database = {database:String} AND engine = 'View'`,
      {
        database: this.#databases.name,
      },
    );
  }

  /** The later generations that have a database. */
  async #existing(): Promise<readonly number[]> {
    const prefix = `${this.#databases.name}_g`;
    const rows = await this.#rows<{ name: string }>(
      'SELECT name FROM system.databases WHERE startsWith(name, {prefix:String})',
      { prefix },
    );
    const numbers = rows.map(({ name }) => name.slice(prefix.length)).filter((number) => /^\d+$/.test(number));
    return numbers.map(Number);
  }

  #localOf(database: string): string {
    return this.#deployment.localOf?.(database) ?? database;
  }

  #plainNameOf(number: number): string {
    return number === FIRST ? this.#databases.name : `${this.#databases.name}_g${number}`;
  }

  /** Quoted. */
  nameOf(number: number): string {
    return quotedName(this.#plainNameOf(number));
  }

  async #rows<T>(query: string, query_params: Record<string, string>): Promise<readonly T[]> {
    try {
      const { question } = this.#deployment;
      const result = await this.#client.query({
        query: question?.(query) ?? query,
        query_params,
        format: 'JSONEachRow',
      });
      return await result.json<T>();
    } catch (error) {
      throw openingError(error);
    }
  }
}
