/**
 * Measures the console against a service of its own, with a fresh folder, and prints one line of JSON each:
 *
 *   node test/console/measure.ts paint               # first paint of Today, when it is finished, bytes, requests
 *   node test/console/measure.ts live [SECONDS]      # Live at 5,000 events a second: memory, long tasks, counts
 *   node test/console/measure.ts consoles [PAIRS]    # requests a second with ten listeners, and without, in pairs
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { READ_KEY, ServiceProcess, WRITE_KEY } from '../support/service/service.ts';
import { openBrowser } from './browser.ts';
import { signIn } from './scene.ts';

const [what = 'paint', given] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'tidemark-measure-'));
const service = await ServiceProcess.start(folder, {});

function print(line: object): void {
  process.stdout.write(`${JSON.stringify({ ...line, load: loadavg().map((one) => Math.round(one * 10) / 10) })}\n`);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const BATCH = 100;

async function sendBatch(n: number): Promise<number> {
  const batch = Array.from({ length: BATCH }, (_, i) => ({
    type: 'track',
    userId: `u${(n * BATCH + i) % 1_000}`,
    event: `Event ${i % 7}`,
    properties: { total: i, currency: 'EUR', path: `/products/${n}` },
  }));
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${WRITE_KEY}` };
  const answer = await fetch(`${service.url}/v1/batch`, { method: 'POST', headers, body: JSON.stringify({ batch }) });
  await answer.arrayBuffer();
  return answer.status;
}

/** As many messages as this a second, until the time is over. @returns how many were accepted. */
async function sendPaced(perSecond: number, seconds: number): Promise<number> {
  const begun = performance.now();
  const batches = (perSecond / BATCH) * seconds;
  const sent: Promise<number>[] = [];
  for (let n = 0; n < batches; n++) {
    const dueMs = begun + (n * 1_000 * BATCH) / perSecond;
    if (dueMs > performance.now()) await new Promise((resolve) => setTimeout(resolve, dueMs - performance.now()));
    sent.push(sendBatch(n));
  }
  return (await Promise.all(sent)).filter((status) => status === 200).length * BATCH;
}

interface ListenCounts {
  seen: number;
}

/** Follows the stream that a page of Live with this filter shares, and adds up what it says. */
async function follow(counts: ListenCounts, signal: AbortSignal): Promise<void> {
  const answer = await fetch(`${service.url}/v1/events/live`, { headers: { api_key: READ_KEY }, signal });
  let rest = '';
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    const events = (rest + chunk).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) counts.seen += Number(/"seen":(\d+),"shown"/.exec(event)?.[1] ?? 0);
  }
}

async function openPage(browser: Browser, address: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`${service.url}/console/`);
  await signIn(page, READ_KEY);
  await page.goto(`${service.url}/console/${address}`);
  return page;
}

/** How much came over the network for a first look, and when the last of it was painted. */
interface FirstScreen {
  readonly paintMs: number;
  readonly finishedMs: number;
  readonly requests: number;
  readonly bytes: number;
}

/** In the page. A stream that stays open is no resource that has come. */
const FIRST_SCREEN = `(() => {
  const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  return {
    paintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
    finishedMs: performance.now(),
    requests: all.length,
    bytes: all.reduce((sum, { transferSize }) => sum + transferSize, 0),
  };
})()`;

/** Today as somebody sees it who was never there: nothing is in the browser's cache. */
async function measurePaint(): Promise<void> {
  await sendBatch(0);
  const browser = await openBrowser();
  const page = await openPage(browser, '#/');
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  const seen: FirstScreen[] = [];
  for (let n = 0; n < 11; n++) {
    await page.reload();
    await page.getByRole('button', { name: /^(All systems normal|\d+ issues? )/ }).waitFor();
    await page
      .getByRole('link', { name: /^Event \d/ })
      .first()
      .waitFor();
    await page.getByRole('link', { name: /^Events \d/ }).waitFor();
    seen.push(await page.evaluate<FirstScreen>(FIRST_SCREEN));
  }
  const medianOf = (name: keyof FirstScreen): number => Math.round(median(seen.map((one) => one[name])));
  print({
    what,
    medianMs: medianOf('paintMs'),
    allMs: seen.map(({ paintMs }) => Math.round(paintMs)),
    finishedMs: medianOf('finishedMs'),
    requests: medianOf('requests'),
    bytes: medianOf('bytes'),
  });
  await browser.close();
}

async function heapBytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN;
}

async function measureLive(seconds: number): Promise<void> {
  const browser = await openBrowser();
  const page = await openPage(browser, '#/live');
  await page.getByText('Listening…').waitFor();
  const counts: ListenCounts = { seen: 0 };
  const gone = new AbortController();
  const following = follow(counts, gone.signal).catch(() => undefined);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await page.evaluate(`
    globalThis.longTasks = []; globalThis.frames = [];
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
    let last = performance.now();
    const frame = (now) => { if (now - last > 100) frames.push(now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  `);
  const heaps: number[] = [];
  const sampling = (async () => {
    for (let n = 0; n < 6; n++) {
      await new Promise((resolve) => setTimeout(resolve, (seconds * 1_000) / 6));
      heaps.push(Math.round((await heapBytes(session)) / 1_024));
    }
  })();
  const accepted = await sendPaced(5_000, seconds);
  await sampling;
  const until = performance.now() + 30_000;
  while (counts.seen < accepted && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 200));
  const shown = await page.evaluate<{ longTasks: number[]; frames: number[] }>('({ longTasks, frames })');
  print({
    what,
    seconds,
    accepted,
    seen: counts.seen,
    heapKB: heaps,
    framesOver100Ms: shown.frames.map(Math.round),
    longTasksMs: shown.longTasks.filter((ms) => ms > 100).map(Math.round),
  });
  gone.abort();
  await following;
  await browser.close();
}

/** Messages a second, of 32 requests of one event at once. */
async function throughput(seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1_000;
  let messages = 0;
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${WRITE_KEY}` };
  const body = JSON.stringify({
    userId: 'ada',
    event: 'Order Completed',
    properties: { total: 129.9, currency: 'EUR' },
  });
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      const answer = await fetch(`${service.url}/v1/track`, { method: 'POST', headers, body });
      await answer.arrayBuffer();
      if (answer.status === 200) messages++;
    }
  };
  await Promise.all(Array.from({ length: 32 }, one));
  return messages / seconds;
}

async function measureConsoles(pairs: number): Promise<void> {
  await throughput(5);
  const ratios: number[] = [];
  for (let n = 0; n < pairs; n++) {
    const measured = { alone: 0, withTen: 0 };
    // Each second pair the other way round.
    for (const name of n % 2 === 0 ? (['alone', 'withTen'] as const) : (['withTen', 'alone'] as const)) {
      const gone = new AbortController();
      const listening = name === 'alone' ? [] : Array.from({ length: 10 }, () => follow({ seen: 0 }, gone.signal));
      measured[name] = Math.round(await throughput(8));
      gone.abort();
      await Promise.allSettled(listening);
    }
    ratios.push(Math.round((1_000 * measured.withTen) / measured.alone) / 1_000);
    print({ what, ...measured, ratio: ratios.at(-1) });
  }
  print({ what, medianRatio: median(ratios) });
}

try {
  if (what === 'paint') await measurePaint();
  else if (what === 'live') await measureLive(Number(given ?? 60));
  else await measureConsoles(Number(given ?? 5));
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}
