import type { ServerName } from './server.ts';

export interface Started {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** No package holds such a server: it comes from Docker or the environment, or not at all. */
export class NotPackaged extends Error {}

/** Servers as programs on this machine, the modules of each loaded when it is first asked for. */
export const startLocally: Record<ServerName, (folder: string) => Promise<Started>> = {
  kafka: async (folder) => (await import('./kafka.ts')).startKafka({ folder }),
  kafka3: async (folder) => (await import('./kafka.ts')).startKafka({ folder, brokers: 3 }),
  registry: async (folder) => (await import('./registry.ts')).startRegistry({ folder }),
  postgres: async (folder) => {
    const { startPostgres } = await import('./postgres.ts');
    // Many suites share it; nobody cuts its power.
    return startPostgres({ folder, settings: { max_connections: '200', fsync: 'off' } });
  },
  clickhouse: async (folder) => (await import('./clickhouse.ts')).startClickHouse({ folder }),
  'clickhouse-shards': async (folder) => (await import('./shards.ts')).startShards({ folder, shards: 3 }),
  'clickhouse-cluster': async () => {
    // Replicas hand each other their parts by a port that only the whole server opens; without, their tables stay read-only.
    throw new NotPackaged("chdb's library serves no replicated tables");
  },
};
