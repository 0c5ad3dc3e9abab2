/**
 * `node test/bench/audience/shards.ts [EVENTS]`: one audience question over the same events (3 million unless told) in
 * ClickHouse by itself, in two and in three shards, in turn: the median of six each, in ms. The servers share this machine,
 * so each shard's part is asked by itself too, one after another: the longest is what servers of their own would take. Then
 * how long a live audience takes to decide a hundred users, each shard asked about its own, and about all of them: of 40.
 */
import { join } from 'node:path';
import { compilePreview } from '../../../services/questions/sql/compile.ts';
import type { Audience } from '../../../services/questions/definition/audience.ts';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { decideAll } from '../../../services/questions/live/decide.ts';
import { Followed } from '../../../services/questions/live/followed.ts';
import type { AnalyticsStore, Query } from '../../../services/stores/analytics/analytics-store.ts';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { removeServersFolder, serversFolder } from '../../servers/processes/reaped.ts';
import { startShards } from '../../servers/shards.ts';
import { AMPLE } from '../../support/stores/analytics.ts';
import { askServer } from '../../support/stores/clickhouse.ts';
import { shardUrls } from '../../support/stores/fresh-shards.ts';
import { median, timesInTurn } from '../figures.ts';

const TIMES = 6;
const TICKS = 40;
const USERS_OF_TICK = 100;
const PROJECT = 'p';
const events = Number(process.argv[2] ?? 3_000_000);
const users = Math.ceil(events / 15);
const now = BigInt(Date.UTC(2026, 10, 20, 12)) * 1000n;
const DEFINITION = {
  all: [
    { trait: 'plan', is: 'pro' },
    { event: 'Bought', count: { at_least: 3 }, within: { last: '30d' }, where: [{ property: 'amount', gt: 20 }] },
  ],
};

// The numbers of users are hashes, as those of the service are.
const USER = `reinterpretAsUInt128(sipHash128(number % ${users}))`;
const SETTINGS =
  'SETTINGS distributed_foreground_insert = 1, max_partitions_per_insert_block = 0, input_format_parallel_parsing = 0';
const FILL = [
  `INSERT INTO user_rows (project_id, user, internal_id, user_id) ${SETTINGS}
   SELECT '${PROJECT}', ${USER}, lower(hex(${USER})), concat('u', toString(number)) FROM numbers(${users})`,
  `INSERT INTO trait_rows (project_id, trait, user, version, kind, value, text) ${SETTINGS}
   SELECT '${PROJECT}', 'plan', ${USER}, 1, 'string', '"pro"', if(cityHash64(number) % 5 = 0, 'pro', 'free') FROM numbers(${users})`,
  `INSERT INTO track_rows (project_id, event, user, message_id, timestamp, received_at, properties, properties_text) ${SETTINGS}
   SELECT '${PROJECT}', if(cityHash64(number, 1) % 5 < 2, 'Bought', 'Seen'), ${USER}, toString(number),
          fromUnixTimestamp64Micro(${now} - toInt64(cityHash64(number, 2) % 90) * 86400000000, 'UTC') AS at, at,
          concat('{"amount":', toString(cityHash64(number, 3) % 100), '}') AS text, text FROM numbers(${events})`,
];

const folder = await serversFolder();
const shards = await startShards({ folder: join(folder, 'shards'), shards: 3 });
const stores = new Map<string, AnalyticsStore>();
const parts = new Map<string, AnalyticsStore[]>();
try {
  for (const [title, cluster] of [
    ['one server', ''],
    ['two shards', 'two'],
    ['three shards', 'three'],
  ] as const) {
    const url = new URL(shards.url);
    url.pathname = `/bench_${cluster === '' ? 'one' : cluster}`;
    if (cluster !== '') url.searchParams.set('cluster', cluster);
    stores.set(title, await openAnalytics(url.href));
    for (const sql of FILL) await askServer(url.href, sql);
    if (cluster === '') continue;
    const locals = await shardUrls({ url: url.href });
    const opened = await Promise.all(locals.map((local) => openAnalytics(local.replace(/\?.*/, ''))));
    parts.set(`${title}, longest part`, opened);
  }
  const read = readDefinition(DEFINITION, { timezone: 'UTC' });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const query = compilePreview(read.definition, { projectId: PROJECT, now, sampleSize: 10 });
  const ways: Record<string, () => Promise<number>> = {};
  for (const [title, store] of stores) {
    const { rows, rowsRead } = await store.ask(query, AMPLE);
    console.log(`${title}: ${String(rows[0]?.['count'])} users of ${rowsRead} rows read`);
    ways[title] = async () => (await store.ask(query, AMPLE)).tookMs;
  }
  for (const [title, shardStores] of parts) {
    ways[title] = async () => {
      const each = [];
      for (const store of shardStores) each.push((await store.ask(query, AMPLE)).tookMs);
      return Math.max(...each);
    };
  }
  for (const [title, times] of await timesInTurn(ways, TIMES))
    console.log(`${title}: ${median(times).toFixed(0)} ms (${times.map((ms) => ms.toFixed(0)).join(', ')})`);
  const ticks: Record<string, () => Promise<number>> = {};
  for (const [title, store] of stores) {
    const { shards: spread } = await store.placementOf({});
    ticks[`${title}, a tick`] = await tickOn(store, read.definition, spread);
    if (spread > 1) ticks[`${title}, a tick that asks each about everybody`] = await tickOn(store, read.definition, 1);
  }
  for (const [title, times] of await timesInTurn(ticks, TICKS)) console.log(`${title}: ${median(times).toFixed(0)} ms`);
} finally {
  for (const store of [...stores.values(), ...[...parts.values()].flat()]) await store.close();
  await shards.stop();
  await removeServersFolder(folder);
}
process.exit();

/** Resolves to what decides other users each time it is called, and resolves to the milliseconds that took. */
async function tickOn(store: AnalyticsStore, definition: Audience, spread: number): Promise<() => Promise<number>> {
  const sql = `SELECT internal_id FROM user_rows WHERE project_id = '${PROJECT}' ORDER BY cityHash64(user) LIMIT 10000`;
  const keys = (await store.ask({ sql, params: {} }, AMPLE)).rows.map((row) => row['internal_id'] as string);
  const followed = new Followed('audience', PROJECT, 1);
  followed.follow({ definition, version: 1, timezone: 'UTC', joins: false, eventsFrom: null }, 0n, (one) => one);
  const lookUp = (query: Query) => ({ ...query, isLookUp: true });
  const parts = {
    ask: async (query: Query) => (await store.ask(lookUp(query), AMPLE)).rows,
    askHistory: async (query: Query) => (await store.askHistory(lookUp(query), AMPLE)).rows,
    unwritten: new Map(),
    shards: spread,
  };
  let from = 0;
  return async () => {
    const some = keys.slice(from, (from += USERS_OF_TICK));
    const startedMs = performance.now();
    await decideAll(parts, PROJECT, new Map(some.map((key) => [key, new Set([followed])])), now);
    return performance.now() - startedMs;
  };
}
