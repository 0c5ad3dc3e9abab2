/**
 * How long it takes until people are forgotten, beside a service that has nothing else to do: until they are 404, and until
 * nothing of them is in a file; on servers, in a table. Seventy seconds of that are pauses, in which readers learn of it. On
 * Kafka the records stay: how long it takes to copy the topics without them. `BENCH_ERASURE_MESSAGES` (1,000,000), of 50,000
 * users.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isBlank } from '../../services/event-log/blank.ts';
import { openEventLog } from '../../services/event-log/open.ts';
import { Codec } from '../../services/messages/codec.ts';
import { MESSAGE_TOPICS, TOPICS } from '../../services/messages/message.ts';
import { openSchemaIds } from '../../services/messages/registry/open.ts';
import { openAnalytics } from '../../services/stores/analytics/open.ts';
import { openDatabase } from '../../services/stores/database/open.ts';
import { searchFiles } from '../support/search-files.ts';
import { ADMIN_KEY, READ_KEY, ServiceProcess } from '../support/service/service.ts';
import { spawnCli } from '../support/service/spawn-cli.ts';
import { tablesWith } from '../support/stores/tables-with.ts';
import { cpuSecondsOf } from './cpu.ts';
import type { Figures } from './figures.ts';
import { EMBEDDED, type Form, type Installation } from './forms.ts';
import { fill } from './history.ts';
import { hasRead } from './lag.ts';

const AS_ADMIN = { key: ADMIN_KEY };
const COUNT = Number(process.env['BENCH_ERASURE_MESSAGES'] ?? 1_000_000);
const USERS = 50_000;
/** How many people are forgotten at once, one number after the other: `BENCH_ERASURE_PEOPLE` (1,200). */
const PEOPLE = (process.env['BENCH_ERASURE_PEOPLE'] ?? '1,200').split(',').map(Number);
/** A search for everybody would take longer than the erasure. */
const SEARCHED = 10;
const LOOK_EVERY_MS = 20;
/** With as many digits as the largest: none begins another. */
const FIRST_ID = 10_000;
const NEW_PREFIX = 'renewed.';

interface Erasures {
  readonly erasures: readonly { readonly id: string }[];
}

export async function benchErasure(figures: Figures, form: Form): Promise<void> {
  await form.install(async (installation) => {
    const { folder, settings } = installation;
    let service = await ServiceProcess.start(folder, settings);
    const project = await firstProject(service);
    await service.stop();
    const log = await openEventLog(settings.EVENT_LOG_URL, { topics: TOPICS, partitions: 4 });
    const codec = new Codec(await openSchemaIds(settings['SCHEMA_REGISTRY_URL']));
    await fill(log, { count: COUNT, users: USERS, projectId: project, encoder: codec });
    await log.close();
    service = await ServiceProcess.start(folder, settings);
    let next = FIRST_ID;
    try {
      await hasRead(service, 'projector|sink');
      for (const count of PEOPLE) {
        const ids = Array.from({ length: count }, (_, index) => `user-${next + index}`);
        next += count;
        const took = await measure(service, project, ids);
        const hits = await (form === EMBEDDED ? hitsInFiles : hitsInTables)(installation, ids.slice(0, SEARCHED));
        for (const hit of hits) console.error(JSON.stringify(hit));
        figures.add(`${form.title}${count} of ${USERS} people forgotten`, { ...took, hits: [hits.length, ''] });
      }
    } finally {
      await service.stop();
    }
    if (form !== EMBEDDED) figures.add(`${form.title}log renew`, await renewal(installation, codec));
  });
}

async function firstProject(service: ServiceProcess): Promise<string> {
  const { projects } = await service.ask<{ projects: { id: string }[] }>('/v1/admin/projects', undefined, AS_ADMIN);
  return projects[0]?.id ?? '';
}

async function measure(service: ServiceProcess, project: string, ids: readonly string[]) {
  const [startedAt, cpu] = [performance.now(), await cpuSecondsOf(service.pid)];
  const seconds = (): number => (performance.now() - startedAt) / 1_000;
  const users = ids.map((id) => ({ user_id: id }));
  const { erasures } = await service.ask<Erasures>('/v1/admin/erasures', { project, users }, AS_ADMIN);
  if (erasures.length !== ids.length) throw new Error(`${erasures.length} erasures of ${ids.length} people`);
  const last = `/v1/users/${ids.at(-1)}`;
  while ((await service.request(last, undefined, { api_key: READ_KEY })).status !== 404) await delay(LOOK_EVERY_MS);
  const hidden = seconds();
  const pending = `/v1/admin/erasures?state=pending&limit=1`;
  while ((await service.ask<Erasures>(pending, undefined, AS_ADMIN)).erasures.length > 0)
    await delay(10 * LOOK_EVERY_MS);
  const done = seconds();
  const used = (await cpuSecondsOf(service.pid)) - cpu;
  return {
    'until 404': [hidden, 's'],
    'until done': [done, 's'],
    'CPU of the service': [used, 's'],
  } as const;
}

function hitsInFiles({ folder }: Installation, ids: readonly string[]): Promise<readonly unknown[]> {
  return searchFiles(folder, Object.fromEntries(ids.map((id) => [id, id])));
}

async function hitsInTables({ settings }: Installation, ids: readonly string[]): Promise<readonly unknown[]> {
  const database = await openDatabase(settings.PROFILES_URL);
  const analytics = await openAnalytics(settings.ANALYTICS_URL);
  try {
    return await tablesWith({ database, analytics }, ids);
  } finally {
    await Promise.all([database.close(), analytics.close()]);
  }
}

/** Once the service is stopped: all of it in one run. */
async function renewal({ settings }: Installation, codec: Codec) {
  const startedAt = performance.now();
  await spawnCli(['log', 'renew', '--to-prefix', NEW_PREFIX, '--finish'], settings);
  const took = (performance.now() - startedAt) / 1_000;
  const url = new URL(settings.EVENT_LOG_URL);
  const before = await recordsOf(url.href, codec);
  url.searchParams.set('topic_prefix', NEW_PREFIX);
  const after = await recordsOf(url.href, codec);
  return {
    took: [took, 's'],
    records: [after.all, ''],
    'of people who were forgotten, before': [before.forgotten, ''],
    'and after': [after.forgotten, ''],
  } as const;
}

/** How many records a log has, and how many of them are of those who were forgotten. */
async function recordsOf(url: string, codec: Codec): Promise<Record<'all' | 'forgotten', number>> {
  const log = await openEventLog(url, { topics: TOPICS });
  const found = { all: 0, forgotten: 0 };
  const count = PEOPLE.reduce((sum, one) => sum + one, 0);
  const people = new Set(Array.from({ length: count }, (_, index) => `user-${FIRST_ID + index}`));
  try {
    const ranges = (await log.ends(MESSAGE_TOPICS)).map(({ offset, ...at }) => ({ ...at, from: 0n, to: offset }));
    for await (const { topic, records } of log.scan(ranges, { withBlank: true })) {
      found.all += records.length;
      const whole = records.filter((record) => !isBlank(record));
      await codec.prepare(whole.map(({ value }) => value));
      for (const { value } of whole) if (people.has(codec.decode(topic, value).userId ?? '')) found.forgotten++;
    }
    return found;
  } finally {
    await log.close();
  }
}
