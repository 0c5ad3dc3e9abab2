import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { placeAnalytics } from './new-stores.ts';

/** One analytics store for the tests of a file: only one can be open in a process. */
export function sharedAnalytics(): () => AnalyticsStore {
  let folder: string;
  let store: AnalyticsStore | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    await placeAnalytics(folder);
    store = await openAnalytics(`chdb:${folder}`);
  });
  afterAll(async () => {
    await store?.close();
    await rm(folder, { recursive: true, force: true });
  });
  return () => {
    if (!store) throw new Error('not open yet');
    return store;
  };
}
