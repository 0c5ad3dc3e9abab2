import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { AnalyticsStore } from '../../services/analytics/analytics-store.ts';
import { openAnalytics } from '../../services/analytics/open.ts';
import { serverUrl } from '../servers/server.ts';
import { freshDatabase } from './fresh-database.ts';

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
  /** Closes it, and deletes what it holds. */
  drop(): Promise<void>;
}

export const EMBEDDED: TestedAnalytics = {
  name: 'chDB',
  share: 1,
  open: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    return opened(`chdb:${folder}`, () => rm(folder, { recursive: true, force: true }));
  },
};

/** chDB, and a ClickHouse server where there is one. */
export async function testedAnalytics(): Promise<readonly TestedAnalytics[]> {
  const url = await serverUrl('clickhouse');
  return url === undefined ? [EMBEDDED] : [EMBEDDED, serverAt(url)];
}

/** The ClickHouse server of this URL. */
export function serverAt(url: string): TestedAnalytics {
  return {
    name: 'a ClickHouse server',
    share: 0.3,
    open: async () => {
      const database = await freshDatabase(url);
      return opened(database.url, () => database.drop());
    },
  };
}

/** One store for the tests of a `describe`: only one chDB can be open in a process. */
export function sharedStore(tested: TestedAnalytics): () => AnalyticsStore {
  let opened: OpenedAnalytics | undefined;
  beforeAll(async () => {
    opened = await tested.open();
  });
  afterAll(() => opened?.drop());
  return () => {
    if (!opened) throw new Error('not open yet');
    return opened.store;
  };
}

async function opened(url: string, remove: () => Promise<void>): Promise<OpenedAnalytics> {
  const store = await openAnalytics(url);
  return {
    store,
    drop: async () => {
      await store.close();
      await remove();
    },
  };
}
