import { randomBytes } from 'node:crypto';
import { serverUrl } from '../../servers/server.ts';
import type { CLUSTERS } from '../../servers/shards.ts';
import { askServer } from './clickhouse.ts';
import type { FreshDatabase } from './fresh-database.ts';

/**
 * A new name of a database in one of the clusters of `clickhouse-shards`, or of the servers at this URL; the service makes
 * the database.
 */
export async function freshShards(cluster: (typeof CLUSTERS)[number], url?: string): Promise<FreshDatabase> {
  const first = url ?? (await serverUrl('clickhouse-shards'));
  if (first === undefined) throw new Error('there are no servers for shards');
  const fresh = new URL(first);
  fresh.pathname = `/test_${randomBytes(8).toString('hex')}`;
  fresh.searchParams.set('cluster', cluster);
  return { url: fresh.href, drop: () => dropEverywhere(fresh, cluster) };
}

/** The URLs of the servers of a database of shards, with their databases of tables. */
export async function shardUrls({ url }: Pick<FreshDatabase, 'url'>): Promise<readonly string[]> {
  const cluster = new URL(url).searchParams.get('cluster');
  return hostsOf(new URL(url), cluster ?? '').then((hosts) =>
    hosts.map((host) => {
      const local = new URL(url);
      local.hostname = host;
      local.pathname = `${local.pathname}_local`;
      return local.href;
    }),
  );
}

async function dropEverywhere(fresh: URL, cluster: string): Promise<void> {
  const prefix = fresh.pathname.slice(1);
  for (const host of await hostsOf(fresh, cluster)) {
    const server = new URL(fresh);
    server.hostname = host;
    server.pathname = '/default';
    const names = await askServer(server.href, `SELECT name FROM system.databases WHERE startsWith(name, '${prefix}')`);
    for (const name of names) await askServer(server.href, `DROP DATABASE IF EXISTS ${name} SYNC`);
  }
}

function hostsOf(url: URL, cluster: string): Promise<readonly string[]> {
  const server = new URL(url);
  server.pathname = '/default';
  return askServer(
    server.href,
    `SELECT host_name FROM system.clusters WHERE cluster = '${cluster}' ORDER BY shard_num`,
  );
}
