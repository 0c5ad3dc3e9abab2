/** Requests through HTTP with acknowledgement from disk, beside a bare node:http server, in turn, in one run. */
import { ServiceProcess } from '../support/service/service.ts';
import { HEADERS, SHAPES } from './bodies.ts';
import { type Figures, median, ROUNDS } from './figures.ts';
import type { Form } from './forms.ts';
import { type Measured, measureInTurn, reportInTurn, withBareServer } from './in-turn.ts';
import { type Answered, generatePacedLoad, loadShape } from './load.ts';
import { type Memory, MemoryPeak } from './memory.ts';

/** Without a pause, in which the readers would catch up. */
const FULL_LOAD_SECONDS = 15;
const HALF_LOAD_SECONDS = 15;
const HALF_LOAD_WARM_UP_SECONDS = 8;

export async function benchHttp(figures: Figures, form: Form): Promise<void> {
  const { title } = form;
  const single: Measured = { ours: [], bare: [] };
  const batch: Measured = { ours: [], bare: [] };
  const loaded: Memory[] = [];
  const catchingUp: Memory[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await withBareServer((bare) =>
      withService(form, async (service) => {
        const peak = new MemoryPeak(service.pid);
        await measureInTurn(single, SHAPES.single, service, bare);
        await caughtUp(service);
        await peak.take();
        await loadShape(SHAPES.batch, service, FULL_LOAD_SECONDS);
        loaded.push(await peak.take());
        await measureInTurn(batch, SHAPES.batch, service, bare);
        await caughtUp(service);
        catchingUp.push(await peak.take());
        peak.stop();
      }),
    );
  }
  reportInTurn(figures, title, SHAPES.single, single);
  reportInTurn(figures, title, SHAPES.batch, batch);
  reportMemory(figures, `${title}memory under full load`, loaded);
  reportMemory(figures, `${title}memory while the readers catch up`, catchingUp);
  await benchHalfLoad(figures, form, median(single.ours.map((answered) => answered.requestsPerSecond)) / 2);
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
  await withBareServer(async (bare) => {
    const { p99Ms } = await loadAt(rate, bare);
    figures.add(name, { 'bare node:http p99': [p99Ms, 'ms'] });
  });
  await withService(form, async (service) => {
    const loading = loadAt(rate, service);
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

function loadAt(rate: number, { url }: { readonly url: string }): Promise<Answered> {
  const { path, body, connections } = SHAPES.single;
  return generatePacedLoad({
    url: url + path,
    body,
    headers: HEADERS,
    connections,
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
