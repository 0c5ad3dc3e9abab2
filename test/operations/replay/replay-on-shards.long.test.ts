import { describe } from 'vitest';
import { serverUrl } from '../../servers/server.ts';
import { freshShards } from '../../support/stores/fresh-shards.ts';
import { embedded, type Installed, testReplay } from './replay-tests.ts';

describe.skipIf((await serverUrl('clickhouse-shards')) === undefined)('with shards', () => {
  testReplay('ClickHouse in two shards', embeddedWithShards);
});

async function embeddedWithShards(): Promise<Installed> {
  const [installed, shards] = await Promise.all([embedded(), freshShards('two')]);
  return {
    settings: { ...installed.settings, ANALYTICS_URL: shards.url },
    drop: async () => void (await Promise.all([installed.drop(), shards.drop()])),
  };
}
