import { join } from 'node:path';
import { startClickHouse, type ClickHouse } from './clickhouse.ts';
import { freePort, freePorts } from './processes/ports.ts';

export interface ShardsOptions {
  /** An empty or missing folder; the data of all servers stay in it. */
  readonly folder: string;
  readonly shards: number;
}

export interface Shards {
  /** The first server. */
  readonly url: string;
  readonly servers: readonly ClickHouse[];
  readonly stop: () => Promise<void>;
}

/** The names of the clusters of the first server, the first two, and the first three. In `uneven` the first weighs more. */
export const CLUSTERS = ['one', 'two', 'three'] as const;

/**
 * ClickHouse servers that know each other as clusters of shards, each on an address of its own (127.0.0.1, 127.0.0.2 …),
 * since all listen on one port of HTTP. A system on which such an address is not one of this machine cannot have them.
 */
export async function startShards({ folder, shards }: ShardsOptions): Promise<Shards> {
  const port = await freePort();
  // Different ones: a server takes another for itself where that has its port.
  const nativePorts = await freePorts(shards);
  const places = nativePorts.map((nativePort, index) => ({ host: `127.0.0.${index + 1}`, nativePort }));
  const config = remoteServers(places);
  const starting = places.map((place) => startClickHouse({ folder: join(folder, place.host), ...place, port, config }));
  const started = await Promise.allSettled(starting);
  const servers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const stop = async (): Promise<void> => void (await Promise.all(servers.map((server) => server.stop())));
  const failed = started.find((one) => one.status === 'rejected');
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  return { url: servers[0]!.url, servers, stop };
}

/** As docs/clickhouse.md shows it. */
function remoteServers(places: readonly { readonly host: string; readonly nativePort: number }[]): string {
  const shards = places.map(
    ({ host, nativePort }) => `<shard><replica>
      <host>${host}</host><port>${nativePort}</port><user>tidemark</user><password>tidemark</password>
    </replica></shard>`,
  );
  const clusters = CLUSTERS.slice(0, places.length).map(
    (name, index) => `<${name}>${shards.slice(0, index + 1).join('\n')}</${name}>`,
  );
  const uneven = shards.join('\n').replace('<shard>', '<shard><weight>2</weight>');
  return `<remote_servers>${clusters.join('\n')}<uneven>${uneven}</uneven></remote_servers>`;
}
