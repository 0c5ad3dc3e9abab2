/** Requests through HTTP with acknowledgement from disk, beside a bare node:http server, in turn, in one run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ServiceProcess } from '../support/service.ts';
import { BATCH, HEADERS, SINGLE } from './bodies.ts';
import { type Figures, median } from './figures.ts';
import type { Form } from './forms.ts';
import { type Answered, generateLoad, generatePacedLoad } from './load.ts';
import { type Memory, MemoryPeak } from './memory.ts';

export const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const SECONDS = 5;
const HALF_LOAD_SECONDS = 15;
const HALF_LOAD_WARM_UP_SECONDS = 8;
/** Both are warmed up first: what is measured is not the compiler, which has its hands in ours for 6 to 8 s. */
const WARM_UP_SECONDS = 8;

export async function benchHttp(figures: Figures, form: Form): Promise<void> {
  const bare: Measured = { single: [], batch: [] };
  const { single, batch }: Measured = { single: [], batch: [] };
  const loaded: Memory[] = [];
  const catchingUp: Memory[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await measureBare(bare);
    await withService(form, async (service) => {
      const peak = new MemoryPeak(service.pid);
      single.push(await load(`${service.url}/v1/track`, SINGLE, 64));
      await caughtUp(service);
      await peak.take();
      batch.push(await load(`${service.url}/v1/batch`, BATCH, 16));
      loaded.push(await peak.take());
      await caughtUp(service);
      catchingUp.push(await peak.take());
      peak.stop();
    });
  }
  const { title } = form;
  report(figures, title, { single, batch }, bare);
  reportMemory(figures, `${title}memory under full load`, loaded);
  reportMemory(figures, `${title}memory while the readers catch up`, catchingUp);
  await benchHalfLoad(figures, form, median(single.map((answered) => answered.requestsPerSecond)) / 2);
}

/** Answers of one server, round after round. */
export interface Measured {
  readonly single: Answered[];
  readonly batch: Answered[];
}

export function measureBare({ single, batch }: Measured): Promise<void> {
  return withBareServer(async (url) => {
    single.push(await load(`${url}/`, SINGLE, 64));
    batch.push(await load(`${url}/`, BATCH, 16));
  });
}

export async function load(url: string, body: string, connections: number): Promise<Answered> {
  await generateLoad({ url, body, headers: HEADERS, connections, seconds: WARM_UP_SECONDS });
  return generateLoad({ url, body, headers: HEADERS, connections, seconds: SECONDS });
}

/** @param title What stands before the names of its figures. */
export function report(figures: Figures, title: string, ours: Measured, bare: Measured): void {
  reportOne(figures, `${title}single track, 64 connections`, ours.single, bare.single, 1);
  reportOne(figures, `${title}batch of 100, 16 connections`, ours.batch, bare.batch, 100);
}

function reportOne(
  figures: Figures,
  name: string,
  ours: readonly Answered[],
  bare: readonly Answered[],
  events: number,
): void {
  const of = (answers: readonly Answered[], pick: (answered: Answered) => number): number => median(answers.map(pick));
  const rate = of(ours, (answered) => answered.requestsPerSecond);
  const ratios = ours.map((answered, round) => answered.requestsPerSecond / (bare[round]?.requestsPerSecond ?? NaN));
  figures.add(name, {
    'requests/s': [rate, '1/s'],
    'events/s': [rate * events, '1/s'],
    'bare node:http requests/s': [of(bare, (answered) => answered.requestsPerSecond), '1/s'],
    'of the bare server': [median(ratios), ''],
    p50: [of(ours, (answered) => answered.p50Ms), 'ms'],
    p99: [of(ours, (answered) => answered.p99Ms), 'ms'],
    errors: [ours.reduce((sum, { errors }) => sum + errors, 0), ''],
  });
}

function reportMemory(figures: Figures, name: string, peaks: readonly Memory[]): void {
  figures.add(name, {
    "peak, with the log's mapped pages": [median(peaks.map(({ residentMiB }) => residentMiB)), 'MiB'],
    'peak, without them': [median(peaks.map(({ withoutLogMiB }) => withoutLogMiB)), 'MiB'],
  });
}

/** Half the rate that was reached, fixed: latency, and how long until an event is queryable. */
async function benchHalfLoad(figures: Figures, form: Form, rate: number): Promise<void> {
  const name = `${form.title}single track at half load`;
  await withBareServer(async (url) => {
    const { p99Ms } = await loadAt(rate, `${url}/`);
    figures.add(name, { 'bare node:http p99': [p99Ms, 'ms'] });
  });
  await withService(form, async (service) => {
    const loading = loadAt(rate, `${service.url}/v1/track`);
    const warm = performance.now() + HALF_LOAD_WARM_UP_SECONDS * 1000;
    while (performance.now() < warm) await timeToQueryable(service);
    const ended = warm + HALF_LOAD_SECONDS * 1000;
    const queryableMs: number[] = [];
    while (performance.now() < ended) queryableMs.push(await timeToQueryable(service));
    const { p50Ms, p99Ms, requestsPerSecond, errors } = await loading;
    figures.add(name, {
      'requests/s': [requestsPerSecond, '1/s'],
      p50: [p50Ms, 'ms'],
      p99: [p99Ms, 'ms'],
      errors: [errors, ''],
      'posted to queryable, median': [median(queryableMs), 'ms'],
      'posted to queryable, longest': [Math.max(...queryableMs), 'ms'],
    });
  });
}

function loadAt(rate: number, url: string): Promise<Answered> {
  return generatePacedLoad({
    url,
    body: SINGLE,
    headers: HEADERS,
    connections: 64,
    seconds: HALF_LOAD_SECONDS,
    rate,
    warmUpSeconds: HALF_LOAD_WARM_UP_SECONDS,
  });
}

async function timeToQueryable(service: ServiceProcess): Promise<number> {
  const started = performance.now();
  const posted = await service.request('/v1/track', { user_id: 'probe', event: 'Probe' });
  const { receipt } = (await posted.json()) as { receipt: string };
  const answer = await service.request(`/v1/receipts/${receipt}?wait=30`);
  const { queryable } = (await answer.json()) as { queryable: boolean };
  return queryable ? performance.now() - started : Infinity;
}

/** Resolves once both readers have caught up with what was posted before. */
async function caughtUp(service: ServiceProcess): Promise<void> {
  while ((await timeToQueryable(service)) === Infinity);
}

/** @param as The role, none for all of them, and settings of its own. */
export function withService(
  form: Form,
  use: (service: ServiceProcess) => Promise<void>,
  as: { readonly role?: string; readonly settings?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  return form.install(async ({ folder, settings }) => {
    const service = await ServiceProcess.start(folder, { ...settings, ...as.settings }, as.role);
    try {
      await use(service);
    } finally {
      await service.stop();
    }
  });
}

async function withBareServer(use: (url: string) => Promise<void>): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, 'bare-server.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  try {
    await use(line.toString().trim());
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}
