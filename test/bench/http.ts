/** Requests through HTTP with acknowledgement from disk, beside a bare node:http server, in turn, in one run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceProcess, WRITE_KEY } from '../support/service.ts';
import { type Figures, median } from './figures.ts';
import { type Answered, generateLoad } from './load.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const SECONDS = 5;
const HALF_LOAD_SECONDS = 15;
/** Both are warmed up first: what is measured is not the compiler. */
const WARM_UP_SECONDS = 3;
const HEADERS = { 'content-type': 'application/json', api_key: WRITE_KEY };

/** About 200 bytes. */
const SINGLE = JSON.stringify({
  user_id: 'user-20261121-000042',
  event: 'Order Completed',
  properties: {
    order: 'A-1000042',
    total: 129.9,
    currency: 'EUR',
    items: 3,
    coupon: null,
    channel: 'web',
    first: false,
  },
});
const BATCH = JSON.stringify({
  batch: Array.from({ length: 100 }, (_, index) => ({
    type: 'track',
    ...(JSON.parse(SINGLE) as object),
    user_id: `user-20261121-${String(index).padStart(6, '0')}`,
  })),
});

export async function benchHttp(figures: Figures): Promise<void> {
  const single: Answered[] = [];
  const batch: Answered[] = [];
  const bareSingle: Answered[] = [];
  const bareBatch: Answered[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await withBareServer(async (url) => {
      bareSingle.push(await load(`${url}/`, SINGLE, 64));
      bareBatch.push(await load(`${url}/`, BATCH, 16));
    });
    await withService(async (service) => {
      single.push(await load(`${service.url}/v1/track`, SINGLE, 64));
      await caughtUp(service);
      batch.push(await load(`${service.url}/v1/batch`, BATCH, 16));
      figures.add(`memory, round ${round + 1}`, { 'peak resident under load': [await peakMiB(service.pid), 'MiB'] });
    });
  }
  report(figures, 'single track, 64 connections', single, bareSingle, 1);
  report(figures, 'batch of 100, 16 connections', batch, bareBatch, 100);
  await benchHalfLoad(figures, median(single.map((answered) => answered.requestsPerSecond)) / 2);
}

async function load(url: string, body: string, connections: number): Promise<Answered> {
  await generateLoad({ url, body, headers: HEADERS, connections, seconds: WARM_UP_SECONDS });
  return generateLoad({ url, body, headers: HEADERS, connections, seconds: SECONDS });
}

function report(
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

/** Half the rate that was reached, fixed: latency, and how long until an event is queryable. */
async function benchHalfLoad(figures: Figures, rate: number): Promise<void> {
  await withService(async (service) => {
    const url = `${service.url}/v1/track`;
    const loading = generateLoad({
      url,
      body: SINGLE,
      headers: HEADERS,
      connections: 64,
      seconds: HALF_LOAD_SECONDS,
      rate,
    });
    const ended = performance.now() + HALF_LOAD_SECONDS * 1000;
    const queryableMs: number[] = [];
    while (performance.now() < ended) queryableMs.push(await timeToQueryable(service));
    const { p50Ms, p99Ms, requestsPerSecond, errors } = await loading;
    figures.add('single track at half load', {
      'requests/s': [requestsPerSecond, '1/s'],
      p50: [p50Ms, 'ms'],
      p99: [p99Ms, 'ms'],
      errors: [errors, ''],
      'posted to queryable, median': [median(queryableMs), 'ms'],
      'posted to queryable, longest': [Math.max(...queryableMs), 'ms'],
    });
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

async function withService(use: (service: ServiceProcess) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-bench-'));
  const service = await ServiceProcess.start(folder);
  try {
    await use(service);
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
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

/** The most resident memory the process ever held, where the system tells (Linux). */
async function peakMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? NaN) / 1024;
}
