/**
 * `npm run servers [-- --brokers 3 --shards 2]`: Kafka, a schema registry, Postgres and ClickHouse, fresh, until SIGTERM or
 * Ctrl-C. Prints the service's settings for them, a line each, then `ready`; what it does goes to standard error.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startClickHouse } from './clickhouse.ts';
import { startKafka } from './kafka.ts';
import { startPostgres } from './postgres.ts';
import type { Started } from './local.ts';
import { removeServersFolder, serversFolder } from './processes/reaped.ts';
import { startRegistry } from './registry.ts';
import { CLUSTERS, startShards } from './shards.ts';

const { values } = parseArgs({
  options: { brokers: { type: 'string', default: '1' }, shards: { type: 'string', default: '1' } },
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
const starting = [
  start('EVENT_LOG_URL', startKafka({ folder: join(folder, 'kafka'), brokers, heapMb: 512, compile: 'fully' })),
  start('PROFILES_URL', startPostgres({ folder: join(folder, 'postgres'), settings: { max_connections: '200' } })),
  start('ANALYTICS_URL', startAnalytics(join(folder, 'clickhouse'))),
  start('SCHEMA_REGISTRY_URL', startRegistry({ folder: join(folder, 'registry') })),
];
try {
  const lines = await Promise.race([Promise.all(starting.map(async (one) => (await one).line)), stopAsked]);
  if (lines !== undefined) process.stdout.write(`${lines.join('\n')}\nready\n`);
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

async function startAnalytics(of: string): Promise<Started> {
  if (shards === 1) return startClickHouse({ folder: of });
  const { url, stop } = await startShards({ folder: of, shards });
  return { url: `${url}?cluster=${CLUSTERS[shards - 1]}`, stop };
}

async function start(setting: string, server: Promise<Started>) {
  const started = await server;
  const line = `${setting}=${started.url}`;
  say(line);
  return { line, stop: started.stop };
}

function say(text: string): void {
  process.stderr.write(`servers: ${text}\n`);
}
