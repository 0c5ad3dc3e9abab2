import { describe, expect, onTestFinished, test } from 'vitest';
import { openAnalytics } from '../../../../services/stores/analytics/open.ts';
import { serverUrl } from '../../../servers/server.ts';
import { freshDatabase } from '../../../support/stores/fresh-database.ts';
import { freshShards } from '../../../support/stores/fresh-shards.ts';

const clickhouse = await serverUrl('clickhouse');
const hasShards = (await serverUrl('clickhouse-shards')) !== undefined;

const FORMS = [
  ['a server', clickhouse !== undefined, () => freshDatabase(clickhouse ?? '')],
  ['a cluster of two shards', hasShards, () => freshShards('two')],
] as const;
const LOOKING = { migration: { isOn: false } };

describe.each(FORMS)('on %s', (_, isHere, fresh) => {
  test.skipIf(!isHere)(
    'analytics that may not be migrated are not opened until somebody has, and then make generations by themselves',
    async () => {
      const { url, drop } = await fresh();
      onTestFinished(drop);

      await expect(openAnalytics(url, LOOKING)).rejects.toMatchObject({ code: 'STORE_OLDER', retryable: true });
      await expect(openAnalytics(url, LOOKING)).rejects.toMatchObject({ code: 'STORE_OLDER' });
      await (await openAnalytics(url)).close();
      const store = await openAnalytics(url, LOOKING);
      onTestFinished(() => store.close());
      await store.makeGeneration(2);

      expect(await (await store.ofGeneration(2)).ingestedUpTo([])).toEqual([]);
      // Somebody else has it open only once its tables are there.
      const other = await openAnalytics(url, LOOKING);
      onTestFinished(() => other.close());
      expect(await (await other.ofGeneration(2)).ingestedUpTo([])).toEqual([]);
    },
  );
});
