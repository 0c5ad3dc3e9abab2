import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from 'chdb';
import { afterAll, beforeAll } from 'vitest';
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { askServer } from './clickhouse.ts';
import { type FreshDatabase, freshDatabase } from './fresh-database.ts';
import { freshShards } from './fresh-shards.ts';
import { placeAnalytics } from './new-stores.ts';

/** A ClickHouse that the suites of analytics run on. */
export interface TestedAnalytics {
  readonly name: string;
  /** A new, empty store. */
  open(): Promise<OpenedAnalytics>;
  /** How many times as many random histories it is tried with. */
  readonly share: number;
}

export interface OpenedAnalytics {
  readonly store: AnalyticsStore;
  /** Runs a SELECT as somebody would in a client of ClickHouse's own, with none of the service's settings: a line a row. */
  byHand(sql: string): Promise<readonly string[]>;
  /** Closes it, and deletes what it holds. */
  drop(): Promise<void>;
}

export const EMBEDDED: TestedAnalytics = {
  name: 'chDB',
  share: 1,
  open: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    await placeAnalytics(folder);
    return opened(
      `chdb:${folder}`,
      (sql) => askChdb(`${folder}/store`, sql),
      () => rm(folder, { recursive: true, force: true }),
    );
  },
};

/** The ClickHouse server of this URL. */
export function serverAt(url: string): TestedAnalytics {
  return {
    name: 'a ClickHouse server',
    share: 0.3,
    open: async () => openedOn(await freshDatabase(url)),
  };
}

/** Clusters of two and of three shards. */
export function shardsOf(share: number): readonly TestedAnalytics[] {
  return (['two', 'three'] as const).map((cluster) => ({
    name: `ClickHouse in ${cluster} shards`,
    share,
    open: async () => openedOn(await freshShards(cluster)),
  }));
}

/** One store for the tests of a `describe`: only one chDB can be open in a process. */
export function sharedStore(tested: TestedAnalytics): () => AnalyticsStore {
  const analytics = sharedAnalytics(tested);
  return () => analytics().store;
}

/** The same with what else there is to it. */
export function sharedAnalytics(tested: TestedAnalytics): () => OpenedAnalytics {
  let opened: OpenedAnalytics | undefined;
  beforeAll(async () => {
    opened = await tested.open();
  });
  afterAll(() => opened?.drop());
  return () => {
    if (!opened) throw new Error('not open yet');
    return opened;
  };
}

/** In a database of a ClickHouse server or of shards. */
function openedOn({ url, drop }: FreshDatabase): Promise<OpenedAnalytics> {
  return opened(url, (sql) => askServer(url, sql), drop);
}

async function opened(
  url: string,
  byHand: OpenedAnalytics['byHand'],
  remove: () => Promise<void>,
): Promise<OpenedAnalytics> {
  const store = await openAnalytics(url);
  return {
    store,
    byHand,
    drop: async () => {
      await store.close();
      await remove();
    },
  };
}

async function askChdb(folder: string, sql: string): Promise<readonly string[]> {
  const session = new Session(folder);
  try {
    return (await session.queryAsync(sql, { format: 'TabSeparated' })).text().split('\n').slice(0, -1);
  } finally {
    session.close();
  }
}
