/** The lines of docs/sdks.md for pages, in a page of another origin. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findChromium, openBrowser } from '../console/browser.ts';
import { type ServiceProcess, WRITE_KEY } from '../support/service/service.ts';
import { startedService } from '../support/service/shared-service.ts';
import { codeOnPage } from './page.ts';
import { SDKS } from './sdks.ts';

const SDK = SDKS.find(({ inBrowsers }) => inBrowsers)!;

let browser: Browser;
let pages: Server;
let pageUrl: string;

beforeAll(async () => {
  if (findChromium() === undefined) return;
  const [script] = await Promise.all([bundleOf(await codeOnPage(SDK)), openPages()]);
  pages.on('request', (request, response) => {
    const isScript = request.url?.startsWith('/it.js') === true;
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(isScript ? script : '<!doctype html><title>Shop</title><script src="/it.js" async></script>');
  });
  browser = await openBrowser();
}, 180_000);

afterAll(async () => {
  await browser?.close();
  pages?.close();
});

async function openPages(): Promise<void> {
  pages = createServer();
  await once(pages.listen(0, '127.0.0.1'), 'listening');
  pageUrl = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
}

/** The lines as they are printed, in a script that a page can load. */
async function bundleOf(lines: readonly string[]): Promise<string> {
  const entry = join(import.meta.dirname, 'npm/lines-of-the-page.ts');
  const code = [
    ...lines.filter((line) => line.startsWith('import ')),
    'const { url, writeKey } = Object.fromEntries(new URLSearchParams(location.search));',
    ...lines.filter((line) => !line.startsWith('import ')),
    'globalThis.analytics = analytics;',
  ].join('\n');
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [
      { name: 'lines', resolveId: (id) => (id === entry ? id : null), load: (id) => (id === entry ? code : null) },
    ],
    build: { write: false, minify: false, rolldownOptions: { input: entry, output: { format: 'iife' } } },
  });
  return ((Array.isArray(built) ? built[0] : built) as Rolldown.RolldownOutput).output[0].code;
}

/** Calls the SDK in a page, sends by means that no browser asks before, and leaves the page. */
async function visit(service: ServiceProcess, userId: string): Promise<void> {
  const page = await browser.newPage();
  try {
    await page.goto(`${pageUrl}/?${new URLSearchParams({ url: service.url, writeKey: WRITE_KEY }).toString()}`);
    await page.waitForFunction('globalThis.analytics !== undefined');
    await page.evaluate(`globalThis.analytics.identify(${JSON.stringify(userId)}, { plan: 'pro' })`);
    await page.evaluate(`globalThis.analytics.track('Signed Up')`);
    const plain = { type: 'track', userId, event: 'Left', writeKey: WRITE_KEY };
    const url = JSON.stringify(`${service.url}/v1/track`);
    const body = JSON.stringify(JSON.stringify(plain));
    await page.evaluate(`fetch(${url}, { method: 'POST', body: ${body}, mode: 'no-cors' })`);
    await page.evaluate(`navigator.sendBeacon(${url}, ${body})`);
    // A beacon tells nobody that it has arrived: the same connection brings this one after it.
    await page.evaluate(`fetch(${url}, { method: 'POST', body: ${body}, mode: 'no-cors' })`);
  } finally {
    await page.close();
  }
}

async function eventsOf(service: ServiceProcess, userId: string): Promise<readonly string[]> {
  const response = await service.request(`/v1/users/${userId}/events`);
  if (response.status === 404) return [];
  const { events } = (await response.json()) as { readonly events: readonly { readonly event: string }[] };
  return events.map(({ event }) => event);
}

async function serviceWith(settings: Record<string, string>): Promise<ServiceProcess> {
  const service = await startedService(undefined, settings);
  return service;
}

const TIMEOUT = { timeout: 240_000 };

test.skipIf(findChromium() === undefined)(
  'a page whose origin CORS_ORIGINS names can send as docs/sdks.md prints it',
  TIMEOUT,
  async () => {
    const service = await serviceWith({ CORS_ORIGINS: pageUrl });

    await visit(service, 'ada');

    const seen = async (): Promise<readonly string[]> => (await eventsOf(service, 'ada')).toSorted();
    await expect.poll(seen, { timeout: 30_000 }).toEqual(['Left', 'Left', 'Left', 'Signed Up']);
  },
);

test.skipIf(findChromium() === undefined)(
  'nothing is recorded of a page whose origin it does not name',
  TIMEOUT,
  async () => {
    const service = await serviceWith({});

    await visit(service, 'ada');

    expect((await service.request('/v1/track', { user_id: 'bob', event: 'Later' })).status).toBe(200);
    await expect.poll(() => eventsOf(service, 'bob'), { timeout: 30_000 }).toEqual(['Later']);
    expect(await eventsOf(service, 'ada')).toEqual([]);
  },
);
