/** An installation on Kafka, Postgres and ClickHouse with the users of `deploy/rights`. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { startClickHouse } from '../../servers/clickhouse.ts';
import { SUPERUSER } from '../../servers/kafka-settings.ts';
import { removeServersFolder, serversFolder } from '../../servers/processes/reaped.ts';
import { serverUrl } from '../../servers/server.ts';
import type { OnServers, ServerAddresses } from '../service/server-settings.ts';
import type { ServiceProcess } from '../service/service.ts';
import { sharedBy } from '../service/shared-service.ts';
import { freshDatabase } from './fresh-database.ts';
import { asUser, LimitedUsers, usersInClickHouse } from './limited-users.ts';

export interface ServersWithRights extends Omit<OnServers, 'settings'> {
  readonly users: LimitedUsers;
  /** The addresses of who may do everything, for what is no process of the service. */
  readonly superuser: ServerAddresses;
}

const DENIALS =
  /permission denied|must be owner|Not enough privileges|ACCESS_DENIED|AUTHORIZATION_FAILED|error (?:29|30|31) of Kafka/;

/** What a process says of rights that it does not have. */
export function deniedIn({ output }: Pick<ServiceProcess, 'output'>): readonly string[] {
  return output.filter((line) => DENIALS.test(line));
}

/** One for the tests of a file or `describe`, with the tables and topics of this version. */
export function sharedServersWithRights(): () => ServersWithRights {
  return sharedBy(async () => {
    const servers = await startServersWithRights();
    try {
      await servers.users.migrate();
      return servers;
    } catch (error) {
      await servers.drop();
      throw error;
    }
  });
}

/**
 * Its ClickHouse is its own, as its users are part of the configuration; the others are those of the test run. It is empty.
 *
 * @param without Grants of `clickhouse.sql` that are left out: those that this finds.
 */
export async function startServersWithRights(without?: RegExp): Promise<ServersWithRights> {
  const names = ['kafka-users', 'postgres', 'registry'] as const;
  const [kafka, postgres, registry] = await Promise.all(names.map(serverUrl));
  if (!kafka || !postgres || !registry) throw new Error('skip these tests where there are no servers');
  const folder = await serversFolder();
  const [clickhouse, database] = await Promise.all([
    startClickHouse({ folder: join(folder, 'clickhouse'), users: await usersInClickHouse(without) }),
    freshDatabase(postgres),
  ]);
  const EVENT_LOG_URL = `${kafka}?topic_prefix=${randomUUID().slice(0, 8)}.`;
  const servers = {
    EVENT_LOG_URL,
    PROFILES_URL: database.url,
    ANALYTICS_URL: clickhouse.url,
    SCHEMA_REGISTRY_URL: registry,
  };
  const users = new LimitedUsers(servers);
  await users.make();
  return {
    users,
    superuser: { ...servers, EVENT_LOG_URL: asUser(SUPERUSER, EVENT_LOG_URL) },
    drop: async () => {
      await Promise.all([clickhouse.stop(), database.drop()]);
      await removeServersFolder(folder);
    },
  };
}
