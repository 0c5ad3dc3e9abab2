import { randomUUID } from 'node:crypto';
import { serverUrl } from '../servers/server.ts';
import { freshDatabase } from './fresh-database.ts';

/** An installation of its own on the servers that all suites share. */
export interface OnServers {
  /** Its topics, databases and schemas, as the service's settings. */
  readonly settings: Readonly<Record<string, string>>;
  drop(): Promise<void>;
}

/**
 * Undefined where a server cannot be had.
 *
 * @param analytics `clickhouse-cluster` for replicated tables.
 */
export async function onServers(
  analytics: 'clickhouse' | 'clickhouse-cluster' = 'clickhouse',
): Promise<OnServers | undefined> {
  const [kafka, registry, postgres, clickhouse] = await Promise.all(
    (['kafka', 'registry', 'postgres', analytics] as const).map((name) => serverUrl(name)),
  );
  if (!kafka || !registry || !postgres || !clickhouse) return undefined;
  const [profiles, events] = await Promise.all([freshDatabase(postgres), freshDatabase(clickhouse)]);
  const prefix = `${randomUUID().slice(0, 8)}.`;
  const settings = {
    EVENT_LOG_URL: `${kafka}${kafka.includes('?') ? '&' : '?'}topic_prefix=${prefix}`,
    PROFILES_URL: profiles.url,
    ANALYTICS_URL: events.url,
    SCHEMA_REGISTRY_URL: registry,
  };
  return { settings, drop: async () => void (await Promise.all([profiles.drop(), events.drop()])) };
}
