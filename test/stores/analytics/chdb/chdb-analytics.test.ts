import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { openAnalytics } from '../../../../services/stores/analytics/open.ts';
import { testAnalyticsGenerations } from '../../../contract/analytics-generations.ts';
import { testAnalyticsStore } from '../../../contract/analytics-store.ts';
import { testJoins } from '../../../contract/joins.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
});
afterAll(() => rm(folder, { recursive: true }));

testAnalyticsStore('chDB', () => openAnalytics(`chdb:${folder}`));
testJoins('chDB', () => openAnalytics(`chdb:${folder}`));
testAnalyticsGenerations('chDB', () => openAnalytics(`chdb:${folder}`));
