import type { StartedName } from './server.ts';

export interface Started {
  readonly url: string;
  /** The address where users of few rights sign in to Kafka, if it has some. */
  readonly usersUrl?: string;
  readonly stop: () => Promise<void>;
}

/** No package holds such a server: it comes from Docker or the environment, or not at all. */
export class NotPackaged extends Error {}

/** Servers as programs on this machine, the modules of each loaded when it is first asked for. */
export const startLocally: Record<StartedName, (folder: string) => Promise<Started>> = {
  kafka: async (folder) => {
    const { LIMITED_NAMES } = await import('../support/stores/limited-users.ts');
    return (await import('./kafka.ts')).startKafka({ folder, users: LIMITED_NAMES });
  },
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
