import { randomUUID } from 'node:crypto';
import { serverUrl } from '../../servers/server.ts';
import { CLUSTERS } from '../../servers/shards.ts';
import { freshDatabase } from '../stores/fresh-database.ts';
import { freshShards } from '../stores/fresh-shards.ts';

/** Where the servers are, under the names of the service's settings. */
export type ServerAddresses = Readonly<
  Record<'EVENT_LOG_URL' | 'PROFILES_URL' | 'ANALYTICS_URL' | 'SCHEMA_REGISTRY_URL', string>
>;

/** An installation of its own on servers that others use too. */
export interface OnServers {
  /** Its topics, databases and schemas, as the service's settings. */
  readonly settings: ServerAddresses & Readonly<Record<string, string>>;
  drop(): Promise<void>;
}

const NEEDED = ['kafka', 'registry', 'postgres', 'clickhouse'] as const;

/** Whether the test run has every server that the whole service needs. */
export async function canRunOnServers(): Promise<boolean> {
  return (await Promise.all(NEEDED.map(serverUrl))).every((url) => url !== undefined);
}

/**
 * An installation on the servers that the test run has; undefined where one of them cannot be had.
 *
 * @param analytics `clickhouse-cluster` for replicated tables.
 */
export async function onServers(
  analytics: 'clickhouse' | 'clickhouse-cluster' = 'clickhouse',
): Promise<OnServers | undefined> {
  const [kafka, registry, postgres, clickhouse] = await Promise.all(
    (['kafka', 'registry', 'postgres', analytics] as const).map(serverUrl),
  );
  if (!kafka || !registry || !postgres || !clickhouse) return undefined;
  return installOn({
    EVENT_LOG_URL: kafka,
    PROFILES_URL: postgres,
    ANALYTICS_URL: clickhouse,
    SCHEMA_REGISTRY_URL: registry,
  });
}

/** An installation on the servers at these addresses. */
export async function installOn(addresses: ServerAddresses): Promise<OnServers> {
  const { EVENT_LOG_URL: kafka, PROFILES_URL, ANALYTICS_URL, SCHEMA_REGISTRY_URL } = addresses;
  const cluster = CLUSTERS.find((name) => name === new URL(ANALYTICS_URL).searchParams.get('cluster'));
  const [profiles, events] = await Promise.all([
    freshDatabase(PROFILES_URL),
    cluster === undefined ? freshDatabase(ANALYTICS_URL) : freshShards(cluster, ANALYTICS_URL),
  ]);
  const prefix = `${randomUUID().slice(0, 8)}.`;
  const settings = {
    EVENT_LOG_URL: `${kafka}${kafka.includes('?') ? '&' : '?'}topic_prefix=${prefix}`,
    PROFILES_URL: profiles.url,
    ANALYTICS_URL: events.url,
    SCHEMA_REGISTRY_URL,
  };
  return { settings, drop: async () => void (await Promise.all([profiles.drop(), events.drop()])) };
}
