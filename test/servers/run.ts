/**
 * `npm run servers [-- --brokers 3 --shards 2 --superuser]`: Kafka, a schema registry, Postgres and ClickHouse, fresh, until
 * SIGTERM or Ctrl-C. Prints the service's settings for them, a line each, then `ready`; what it does goes to standard error.
 *
 * The settings are those of the owner of `deploy/rights`, and the stores are migrated. It writes those of every user of
 * `deploy/rights` into a file, for Node's `--env-file`. With `--superuser`, and with shards, the servers are as new, and the
 * settings are those of who may do everything.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startClickHouse } from './clickhouse.ts';
import { startKafka } from './kafka.ts';
import { startPostgres } from './postgres.ts';
import type { Started } from './local.ts';
import { removeServersFolder, serversFolder } from './processes/reaped.ts';
import { startRegistry } from './registry.ts';
import { CLUSTERS, startShards } from './shards.ts';
import type { ServerAddresses } from '../support/service/server-settings.ts';
import { LIMITED_NAMES, LIMITED_USERS, LimitedUsers, usersInClickHouse } from '../support/stores/limited-users.ts';

const { values } = parseArgs({
  options: {
    brokers: { type: 'string', default: '1' },
    shards: { type: 'string', default: '1' },
    superuser: { type: 'boolean', default: false },
  },
});
const [brokers, shards] = [Number(values.brokers), Number(values.shards)];
if (![1, 3].includes(brokers)) {
  say('--brokers is 1 or 3');
  process.exit(2);
}
if (CLUSTERS[shards - 1] === undefined) {
  say(`--shards is 1 to ${CLUSTERS.length}`);
  process.exit(2);
}

const stopAsked = new Promise<void>((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve());
});
const folder = await serversFolder();
say(`starts in ${folder}`);
const hasUsers = shards === 1 && !values.superuser;
const starting = [
  start('EVENT_LOG_URL', startLog(join(folder, 'kafka'))),
  start('PROFILES_URL', startPostgres({ folder: join(folder, 'postgres'), settings: { max_connections: '200' } })),
  start('ANALYTICS_URL', startAnalytics(join(folder, 'clickhouse'))),
  start('SCHEMA_REGISTRY_URL', startRegistry({ folder: join(folder, 'registry') })),
];
try {
  const addresses = await Promise.race([Promise.all(starting.map(async (one) => (await one).address)), stopAsked]);
  if (addresses !== undefined) {
    const all = Object.fromEntries(addresses) as ServerAddresses;
    process.stdout.write(`${linesOf(hasUsers ? await ownedBy(all) : all)}ready\n`);
  }
  await stopAsked;
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
say('stops');
// One that is on its way up is waited for, or it would outlive us.
for (const one of await Promise.allSettled(starting)) if (one.status === 'fulfilled') await one.value.stop();
await removeServersFolder(folder);
// Whoever reads our output may have gone; nothing else keeps us.
process.exit();

async function startLog(of: string): Promise<Started> {
  const options = { folder: of, brokers, heapMb: 512, compile: 'fully' } as const;
  if (!hasUsers) return startKafka(options);
  const { usersUrl = '', stop } = await startKafka({ ...options, users: LIMITED_NAMES });
  return { url: usersUrl, stop };
}

/** Makes the users, migrates as the owner, and resolves with the addresses of the owner. */
async function ownedBy(servers: ServerAddresses): Promise<ServerAddresses> {
  const users = new LimitedUsers(servers);
  await users.make();
  await users.migrate();
  for (const user of LIMITED_USERS) {
    const file = join(folder, `${user}.env`);
    await writeFile(file, linesOf(users.settingsOf(user)));
    say(`${file} has the settings of ${user}`);
  }
  return users.addressesOf('admin');
}

async function startAnalytics(of: string): Promise<Started> {
  if (shards === 1) return startClickHouse({ folder: of, ...(hasUsers && { users: await usersInClickHouse() }) });
  const { url, stop } = await startShards({ folder: of, shards });
  return { url: `${url}?cluster=${CLUSTERS[shards - 1]}`, stop };
}

async function start(setting: string, server: Promise<Started>) {
  const started = await server;
  say(`${setting} is at ${started.url.replace(/\/\/[^@/]*@/, '//')}`);
  return { address: [setting, started.url] as const, stop: started.stop };
}

function linesOf(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

function say(text: string): void {
  process.stderr.write(`servers: ${text}\n`);
}
