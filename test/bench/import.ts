/**
 * History beside live requests: what an import does to their latency, and how fast it is. In one run, in turn: live
 * requests alone, beside the import, beside the readers that catch up with it, and alone again.
 * `BENCH_IMPORT_LINES` (1,000,000), `BENCH_IMPORT_RATE` live requests a second (2,000).
 */
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { ServiceProcess, WRITE_KEY } from '../support/service/service.ts';
import { type Figures, median } from './figures.ts';
import type { Form } from './forms.ts';
import { hasRead } from './lag.ts';
import { type Answered, generatePacedLoad } from './load.ts';

const run = promisify(execFile);

const LINES = Number(process.env['BENCH_IMPORT_LINES'] ?? 1_000_000);
const RATE = Number(process.env['BENCH_IMPORT_RATE'] ?? 2_000);
const USERS = 50_000;
const WARM_UP_SECONDS = 10;
const SEGMENT_SECONDS = 10;
/** Each is a process of its own, which is compiled first. */
const SEGMENT_WARM_UP_SECONDS = 3;
const ALONE_SEGMENTS = 3;

const BODY = JSON.stringify({
  user_id: 'user-20261121-000042',
  event: 'Order Completed',
  properties: { order: 'A-1000042', total: 129.9, currency: 'EUR', items: 3, coupon: null, channel: 'web' },
});

export async function benchImport(figures: Figures, form: Form): Promise<void> {
  await form.install(async ({ folder, settings }) => {
    const file = join(folder, 'history.ndjson');
    await pipeline(history(), createWriteStream(file));
    const service = await ServiceProcess.start(folder, settings);
    try {
      await measure(figures, `${form.title}import beside ${RATE} requests/s`, service, () =>
        importFile(file, { ...settings, DATA_DIR: folder }),
      );
    } finally {
      await service.stop();
    }
  });
}

/** Calls with what imports the file. */
async function measure(
  figures: Figures,
  name: string,
  service: ServiceProcess,
  start: () => Promise<void>,
): Promise<void> {
  const load = (warmUpSeconds = SEGMENT_WARM_UP_SECONDS): Promise<Answered> =>
    generatePacedLoad({
      url: `${service.url}/v1/track`,
      body: BODY,
      headers: { 'content-type': 'application/json', api_key: WRITE_KEY },
      connections: 64,
      seconds: SEGMENT_SECONDS,
      rate: RATE,
      warmUpSeconds,
    });
  const alone = async (): Promise<Answered[]> => {
    const segments: Answered[] = [];
    for (let i = 0; i < ALONE_SEGMENTS; i++) segments.push(await load());
    return segments;
  };
  await load(WARM_UP_SECONDS);
  const before = await alone();
  const importing = timed(start());
  const beside = await whilst(importing, load);
  const catchingUp = await whilst(timed(hasRead(service, 'import-\\w+')), load);
  const after = await alone();
  report(figures, name, { before, beside, catchingUp, after });
  const seconds = (await importing) / 1_000;
  figures.add(name, {
    'lines/s into the log': [LINES / seconds, '1/s'],
    seconds: [seconds, 's'],
  });
}

type Phases = Readonly<Record<'before' | 'beside' | 'catchingUp' | 'after', readonly Answered[]>>;

function report(figures: Figures, name: string, { before, beside, catchingUp, after }: Phases): void {
  const of = (answers: readonly Answered[], pick: (one: Answered) => number): number => median(answers.map(pick));
  const p99 = (answers: readonly Answered[]): number => of(answers, ({ p99Ms }) => p99Ms);
  const alone = p99([...before, ...after]);
  figures.add(name, {
    'live p50 alone': [of([...before, ...after], ({ p50Ms }) => p50Ms), 'ms'],
    'live p50 beside the import': [of(beside, ({ p50Ms }) => p50Ms), 'ms'],
    'live p99 alone, before': [p99(before), 'ms'],
    'live p99 alone, after': [p99(after), 'ms'],
    'live p99 beside the import': [p99(beside), 'ms'],
    'live p99 beside its readers': [p99(catchingUp), 'ms'],
    'of p99 alone, the import': [p99(beside) / alone, ''],
    'of p99 alone, its readers': [p99(catchingUp) / alone, ''],
    'live requests/s beside the import': [of(beside, (one) => one.requestsPerSecond), '1/s'],
    errors: [[...before, ...beside, ...catchingUp, ...after].reduce((sum, { errors }) => sum + errors, 0), ''],
  });
}

/** Load after load, the last of them begun before `work` is done. */
async function whilst(work: Promise<unknown>, load: () => Promise<Answered>): Promise<Answered[]> {
  const begun = { isUnderWay: true };
  const done = work.finally(() => (begun.isUnderWay = false));
  const segments: Answered[] = [];
  do segments.push(await load());
  while (begun.isUnderWay);
  await done;
  return segments;
}

async function timed(work: Promise<void>): Promise<number> {
  const started = performance.now();
  await work;
  return performance.now() - started;
}

async function importFile(file: string, env: Record<string, string>): Promise<void> {
  const program = [join(import.meta.dirname, '../../services/cli/tidemark.ts'), 'import', file, '--json'];
  const { stdout } = await run(process.execPath, program, { env: { PATH: process.env['PATH'], ...env } });
  const { accepted } = JSON.parse(stdout) as { accepted: number };
  if (accepted !== LINES) throw new Error(`${accepted} lines of ${LINES} were imported`);
}

/** Four tracks to an identify, about 200 bytes a line, of the last years. */
function* history(): Generator<string> {
  for (let n = 0; n < LINES; n++) {
    const common = { user_id: `user-${n % USERS}`, timestamp: new Date(1_600_000_000_000 + n * 60_000).toISOString() };
    const call =
      n % 5 === 0
        ? {
            type: 'identify',
            ...common,
            traits: { plan: 'pro', orders: n, city: 'Berlin', email: `u${n}@example.com` },
          }
        : {
            type: 'track',
            ...common,
            event: 'Order Completed',
            properties: { order: `A-${n}`, total: n % 1_000, currency: 'EUR', items: 3 },
          };
    yield `${JSON.stringify(call)}\n`;
  }
}
