/**
 * How long it takes until people are forgotten, beside a service that has nothing else to do: until they are 404, and until
 * nothing of them is in a file. Seventy seconds of that are pauses, in which readers learn of it. `BENCH_ERASURE_MESSAGES`
 * (1,000,000), of 50,000 users. Embedded, since only there the service has the files.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { openEventLog } from '../../services/event-log/open.ts';
import { TOPICS } from '../../services/messages/message.ts';
import { searchFiles } from '../support/search-files.ts';
import { ADMIN_KEY, READ_KEY, ServiceProcess } from '../support/service/service.ts';
import { cpuSecondsOf } from './cpu.ts';
import type { Figures } from './figures.ts';
import type { Form } from './forms.ts';
import { fill } from './history.ts';
import { hasRead } from './lag.ts';

const COUNT = Number(process.env['BENCH_ERASURE_MESSAGES'] ?? 1_000_000);
const USERS = 50_000;
/** How many people are forgotten at once. */
const PEOPLE = [1, 200];
/** A search for everybody would take longer than the erasure. */
const SEARCHED = 10;
const LOOK_EVERY_MS = 20;

interface Erasures {
  readonly erasures: readonly { readonly id: string }[];
}

export async function benchErasure(figures: Figures, form: Form): Promise<void> {
  await form.install(async ({ folder, settings }) => {
    let service = await ServiceProcess.start(folder, settings);
    const project = await firstProject(service);
    await service.stop();
    const log = await openEventLog(settings.EVENT_LOG_URL, { topics: TOPICS, partitions: 4 });
    await fill(log, { count: COUNT, users: USERS, projectId: project });
    await log.close();
    service = await ServiceProcess.start(folder, settings);
    try {
      await hasRead(service, 'projector|sink');
      // Ids of as many digits as the largest: none begins another.
      let next = 10_000;
      for (const count of PEOPLE) {
        const ids = Array.from({ length: count }, (_, index) => `user-${next + index}`);
        next += count;
        figures.add(`${form.title}${count} of ${USERS} people forgotten`, await measure(service, folder, project, ids));
      }
    } finally {
      await service.stop();
    }
  });
}

async function firstProject(service: ServiceProcess): Promise<string> {
  const { projects } = await admin<{ projects: readonly { readonly id: string }[] }>(service, '/v1/admin/projects');
  return projects[0]?.id ?? '';
}

async function measure(service: ServiceProcess, folder: string, project: string, ids: readonly string[]) {
  const [startedAt, cpu] = [performance.now(), await cpuSecondsOf(service.pid)];
  const seconds = (): number => (performance.now() - startedAt) / 1_000;
  const users = ids.map((id) => ({ user_id: id }));
  const { erasures } = await admin<Erasures>(service, '/v1/admin/erasures', { project, users });
  if (erasures.length !== ids.length) throw new Error(`${erasures.length} erasures of ${ids.length} people`);
  const last = `/v1/users/${ids.at(-1)}`;
  while ((await service.request(last, undefined, { api_key: READ_KEY })).status !== 404) await delay(LOOK_EVERY_MS);
  const hidden = seconds();
  const pending = `/v1/admin/erasures?state=pending&limit=1`;
  while ((await admin<Erasures>(service, pending)).erasures.length > 0) await delay(10 * LOOK_EVERY_MS);
  const done = seconds();
  const used = (await cpuSecondsOf(service.pid)) - cpu;
  const wanted = Object.fromEntries(ids.slice(0, SEARCHED).map((id) => [id, id]));
  const hits = await searchFiles(folder, wanted);
  for (const hit of hits) console.error(JSON.stringify(hit));
  return {
    'until 404': [hidden, 's'],
    'until in no file': [done, 's'],
    'CPU of the service': [used, 's'],
    'hits in its files': [hits.length, ''],
  } as const;
}

async function admin<T>(service: ServiceProcess, path: string, body?: unknown): Promise<T> {
  const answer = await service.request(path, body, { api_key: ADMIN_KEY });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}
