import { serverUrl } from '../../servers/server.ts';
import { EMBEDDED, serverAt, shardsOf, type TestedAnalytics } from './analytics-stores.ts';
import { TESTED_FORM } from '../service/tested-form.ts';

/** chDB; at night a ClickHouse server, where there is one. */
export async function testedAnalytics(): Promise<readonly TestedAnalytics[]> {
  const url = TESTED_FORM === 'servers' ? await serverUrl('clickhouse') : undefined;
  return [url === undefined ? EMBEDDED : serverAt(url)];
}

/** At night clusters of two and of three shards, where there are servers for them. */
export async function testedShards(share: number): Promise<readonly TestedAnalytics[]> {
  if (TESTED_FORM === 'embedded' || (await serverUrl('clickhouse-shards')) === undefined) return [];
  return shardsOf(share);
}
