/**
 * The members of saved audiences as a client gets them, among two million users that lie in analytics already: ids a
 * second and what the service holds meanwhile; beside it, the same answer as bytes, read where ClickHouse gives them.
 */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { openAnalytics } from '../../services/stores/analytics/open.ts';
import { compileMembers } from '../../services/questions/sql/compile-members.ts';
import { readDefinition } from '../../services/questions/definition/definition.ts';
import { openDatabase } from '../../services/stores/database/open.ts';
import { SqlProjectStore } from '../../services/stores/projects/sql-project-store.ts';
import { askServer } from '../support/stores/clickhouse.ts';
import { READ_KEY, ServiceProcess } from '../support/service/service.ts';
import { traitRows, userRows } from './audience/data.ts';
import { USERS } from './audience/shape.ts';
import { cpuSecondsOf } from './cpu.ts';
import { type Figures, median, ROUNDS } from './figures.ts';
import type { Form, Installation } from './forms.ts';
import { memoryOf, MemoryPeak } from './memory.ts';

const NEWLINE = 10;
/** For what a look at the memory finds when nothing has happened for a while. */
const REST_MS = 5_000;
const LIMITS = { maxMs: 60_000, maxMemoryBytes: 2 ** 32, maxRowsRead: 2 ** 40 };

const ALL_USERS = { not: { trait: 'plan', is: 'of nobody' } };

/** Audiences, and what the request for their members asks for besides the ids. */
const AUDIENCES: Readonly<Record<string, { readonly definition: object; readonly query?: string }>> = {
  'all users': { definition: ALL_USERS },
  'a fifth of them': { definition: { trait: 'plan', is: 'pro' } },
  'all users with a trait': { definition: ALL_USERS, query: '?traits=plan' },
};

interface Read {
  readonly ids: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly firstMs: number;
}

interface Served extends Read {
  /** Processor time of the service. */
  readonly cpuSeconds: number;
}

export async function benchMembers(figures: Figures, form: Form): Promise<void> {
  await form.install(async (installation) => {
    await (await startOn(installation)).stop();
    const projectId = await projectOf(installation);
    await fill(installation, projectId);
    const served = await serve(figures, form, installation);
    for (const [title, { definition }] of Object.entries(AUDIENCES)) {
      const bare = await bareReads(installation, projectId, definition);
      report(figures, `${form.title}members, ${title}`, served.get(title) ?? [], bare);
    }
  });
}

function startOn({ folder, settings }: Installation): Promise<ServiceProcess> {
  return ServiceProcess.start(folder, settings);
}

async function projectOf({ settings }: Installation): Promise<string> {
  const database = await openDatabase(settings.PROFILES_URL);
  const [project] = await new SqlProjectStore(database).listProjects();
  await database.close();
  return project?.id ?? '';
}

async function fill({ settings }: Installation, projectId: string): Promise<void> {
  const statements = [userRows(projectId), ...traitRows(projectId).filter((sql) => sql.includes("'plan'"))];
  const folder = /^chdb:(.+)$/.exec(settings.ANALYTICS_URL)?.[1];
  if (folder === undefined) {
    for (const sql of statements) await askServer(settings.ANALYTICS_URL, sql);
    return;
  }
  const { Session } = await import('chdb');
  const session = new Session(`${folder}/store`);
  for (const sql of statements) await session.queryAsync(sql);
  session.close();
}

async function serve(figures: Figures, form: Form, installation: Installation): Promise<Map<string, Served[]>> {
  const service = await startOn(installation);
  const peak = new MemoryPeak(service.pid);
  try {
    const ids = new Map<string, string>();
    for (const [name, { definition }] of Object.entries(AUDIENCES))
      ids.set(name, await save(service, name, definition));
    await delay(REST_MS);
    const before = (await memoryOf(service.pid)).withoutLogMiB;
    await peak.take();
    const served = new Map<string, Served[]>([...ids.keys()].map((name) => [name, []]));
    const peaks: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, id] of ids) {
        served.get(name)?.push(await readMembers(service, `${id}/members${AUDIENCES[name]?.query ?? ''}`));
        peaks.push((await peak.take()).withoutLogMiB);
      }
    }
    await delay(REST_MS);
    const after = (await memoryOf(service.pid)).withoutLogMiB;
    figures.add(`${form.title}members, memory of the service`, {
      before: [before, 'MiB'],
      'peak of the first stream': [peaks[0] ?? NaN, 'MiB'],
      'peak of all': [Math.max(...peaks), 'MiB'],
      'after, at rest': [after, 'MiB'],
    });
    return served;
  } finally {
    peak.stop();
    await service.stop();
  }
}

async function save(service: ServiceProcess, name: string, definition: object): Promise<string> {
  return (await service.ask<{ id: string }>('/v1/audiences', { name, definition })).id;
}

async function readMembers(service: ServiceProcess, path: string): Promise<Served> {
  const cpu = await cpuSecondsOf(service.pid);
  const started = performance.now();
  const asked = request(`${service.url}/v1/audiences/${path}`, { headers: { api_key: READ_KEY } }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const read = await readLines(response, started);
  // The last line is no member.
  return { ...read, ids: read.ids - 1, cpuSeconds: (await cpuSecondsOf(service.pid)) - cpu };
}

async function bareReads({ settings }: Installation, projectId: string, definition: object): Promise<Read[]> {
  const read = readDefinition(definition, { timezone: 'UTC' });
  if (!read.ok) throw new Error('not a definition');
  const query = compileMembers(read.definition, { projectId, now: BigInt(Date.now()) * 1000n, after: 0n, limit: null });
  const analytics = await openAnalytics(settings.ANALYTICS_URL);
  const reads: Read[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    reads.push(await readLines(await analytics.stream(query, LIMITS), started));
  }
  await analytics.close();
  return reads;
}

async function readLines(chunks: AsyncIterable<Uint8Array>, started: number): Promise<Read> {
  let [ids, bytes, firstMs] = [0, 0, NaN];
  for await (const chunk of chunks) {
    if (bytes === 0) firstMs = performance.now() - started;
    bytes += chunk.byteLength;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) ids++;
  }
  return { ids, bytes, firstMs, seconds: (performance.now() - started) / 1000 };
}

function report(figures: Figures, name: string, served: readonly Served[], bare: readonly Read[]): void {
  const rate = (reads: readonly Read[]): number => median(reads.map(({ ids, seconds }) => ids / seconds));
  figures.add(name, {
    'ids, and of how many users': [served[0]?.ids ?? NaN, `of ${USERS}`],
    'ids/s at the client': [rate(served), '1/s'],
    'MiB/s': [median(served.map(({ bytes, seconds }) => bytes / 2 ** 20 / seconds)), 'MiB/s'],
    'the first of them after': [median(served.map(({ firstMs }) => firstMs)), 'ms'],
    "the service's processor": [median(served.map(({ cpuSeconds: seconds }) => seconds)), 's'],
    'ids/s where ClickHouse gives them': [rate(bare), '1/s'],
    'of that': [rate(served) / rate(bare), ''],
  });
}
