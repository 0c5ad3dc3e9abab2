/**
 * Pictures of every screen, wide and narrow, light and dark, of a service with the demo's data, for a person to look at:
 *
 *   npm run demo                                    # in another terminal
 *   node test/console/screenshots.ts FOLDER         # with TIDEMARK_URL, READ_KEY and WRITE_KEY where they differ
 * ADMIN_KEY, too, where it differs. ONLY=1280-light,390-dark makes these alone, and names behind the folder these screens
 * alone; `empty-*` those that begin so.
 */
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { ADMIN_KEY, READ_KEY, WRITE_KEY } from '../support/service/service.ts';
import { openBrowser } from './browser.ts';
import { ADMIN_SCREENS, SCREENS } from './screens.ts';
import { AUDIENCE_SHOTS } from './shots/audience-shots.ts';
import { putShotData } from './shots/shot-data.ts';
import { stateShots } from './shots/state-shots.ts';
import { type Shot, USER_SHOTS } from './shots/user-shots.ts';
import { WEBHOOK_SHOTS } from './shots/webhook-shots.ts';

const { TIDEMARK_URL: url = 'http://127.0.0.1:8080' } = process.env;
const readKey = process.env['READ_KEY'] ?? READ_KEY;
const writeKey = process.env['WRITE_KEY'] ?? WRITE_KEY;
const adminKey = process.env['ADMIN_KEY'] ?? ADMIN_KEY;
const only = process.env['ONLY']?.split(',');
const [folder = 'screenshots'] = process.argv.slice(2);

const BUILT = JSON.stringify({
  all: [
    {
      event: 'Order Completed',
      where: [{ property: 'total', gt: 100 }],
      count: { at_least: 2 },
      within: { last: '30d' },
    },
    { trait: 'plan', in: ['pro', 'team'] },
    { not: { trait: 'country', is: 'DE' } },
    {
      any: [
        { event: 'Newsletter Opened', within: { last: '2w' } },
        { trait: 'lifetime_value', gte: 100, lt: 900 },
      ],
    },
  ],
});
/** Each screen as it is opened, under its name. */
function opened(screens: typeof SCREENS, isAdmin: boolean): readonly Shot[] {
  return screens.map(([name, address]) => ({
    name: name.replaceAll(/\W+/g, '-').toLowerCase(),
    address,
    isAdmin,
    act: (page) => page.waitForTimeout(2_000),
  }));
}

const OPENED: readonly Shot[] = [
  ...opened(SCREENS, false),
  ...opened(ADMIN_SCREENS, true),
  {
    name: 'live-open',
    address: '#/live?type=track',
    act: async (page) => {
      await page.locator('[data-row]').nth(3).click({ timeout: 20_000 });
      await page.waitForTimeout(2_500);
    },
  },
  {
    name: 'event-split',
    address:
      '#/events/Order%20Completed?measure=sum&of=total&split=trait:plan&compare=previous&last=7d&where=[{"property":"total","gt":50}]',
    act: async (page) => {
      await page.locator('.chart').hover({ timeout: 20_000 });
      await page.waitForTimeout(300);
    },
  },
  {
    name: 'event-open',
    address: '#/events/Order%20Completed?compare=previous',
    act: async (page) => {
      await page.locator('.newest-row').nth(1).click({ timeout: 20_000 });
      await page.locator('.details').scrollIntoViewIfNeeded();
      await page.waitForTimeout(300);
    },
  },
  ...USER_SHOTS,
  {
    name: 'audience-why',
    address: '#/audiences',
    act: async (page) => {
      await page.locator('[data-row]').first().click();
      await page.getByRole('button', { name: 'Why?' }).first().click();
      await page.waitForTimeout(2_000);
    },
  },
  ...['changes', 'history'].map((tab) => ({
    name: `audience-${tab}`,
    address: '#/audiences',
    act: async (page: Page) => {
      await page.locator('[data-row]').first().click();
      await page.locator(`.tabs a[href$="tab=${tab}"]`).click();
      await page.waitForTimeout(2_000);
    },
  })),
  ...WEBHOOK_SHOTS,
  ...AUDIENCE_SHOTS,
  {
    name: 'search',
    address: '#/events',
    act: async (page) => {
      await page.waitForTimeout(800);
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search' }).fill('den');
      await page.waitForTimeout(1_000);
    },
  },
  { name: 'import-new', address: '#/imports/new', isAdmin: true },
  {
    name: 'settings-project',
    address: '#/settings',
    isAdmin: true,
    act: async (page) => {
      await page.locator('[data-row]').first().click();
      await page.waitForTimeout(1_500);
    },
  },
  {
    name: 'settings-revoke',
    address: '#/settings/keys',
    isAdmin: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByRole('button', { name: 'Revoke' }).first().click();
      await page.waitForTimeout(300);
    },
  },
  {
    name: 'settings-audit',
    address: '#/settings/audit',
    isAdmin: true,
    act: async (page) => {
      await page.locator('[data-row]').first().click();
      await page.waitForTimeout(500);
    },
  },
  {
    name: 'pipeline',
    address: '#/pipeline',
    isAdmin: true,
    act: async (page) => {
      await page.waitForTimeout(4_000);
      const start = page.getByRole('button', { name: 'Verify now' });
      if (await start.isVisible()) await start.click();
      await page.waitForTimeout(3_000);
    },
  },
  {
    name: 'pipeline-partitions',
    address: '#/pipeline?partitions=analytics',
    isAdmin: true,
    act: (page) => page.waitForTimeout(2_500),
  },
  {
    name: 'dead-letters',
    address: '#/dead-letters?state=any',
    isAdmin: true,
    act: (page) => page.waitForTimeout(1_000),
  },
  {
    name: 'letter',
    address: '#/dead-letters',
    isAdmin: true,
    act: async (page) => {
      await page.waitForTimeout(1_000);
      const row = page.locator('[data-row]').first();
      if ((await row.count()) === 1) await row.click();
      await page.waitForTimeout(1_000);
    },
  },
  {
    name: 'builder',
    address: `#/audiences/new?definition=${encodeURIComponent(BUILT)}`,
    act: async (page) => {
      await page.locator('.figure:not(.stale) b').waitFor();
      await page.getByRole('button', { name: 'Count each condition' }).click();
      await page.locator('.left').nth(3).waitFor();
    },
  },
  {
    name: 'builder-why',
    address: `#/audiences/new?definition=${encodeURIComponent(BUILT)}`,
    act: async (page) => {
      await page.getByRole('button', { name: 'Why?' }).first().click();
      await page.locator('.why .part').last().scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'builder-json',
    address: `#/audiences/new?definition=${encodeURIComponent(BUILT)}`,
    act: async (page) => {
      await page.getByRole('button', { name: 'JSON', exact: true }).click();
      await page.getByRole('button', { name: '+ Condition' }).last().click();
      await page.waitForTimeout(1_500);
      await page.evaluate('localStorage.clear()');
    },
  },
  {
    name: 'help',
    address: '#/users',
    act: async (page) => {
      await page.waitForTimeout(600);
      await page.locator('main').focus();
      await page.keyboard.press('?');
      await page.waitForTimeout(200);
    },
  },
];

/** A few messages a second, until the pictures are made. */
async function keepSending(signal: AbortSignal): Promise<void> {
  for (let i = 0; !signal.aborted; i++) {
    const user = `u-${String(1 + ((i * 37) % 400)).padStart(5, '0')}`;
    const events = [
      { event: 'Product Viewed', properties: { product: 'Oak stool', category: 'home', price: 149 } },
      { event: 'Order Completed', properties: { order_id: `B-${i}`, total: 129.9, currency: 'EUR', items: 2 } },
      { event: 'Page Viewed', properties: { path: '/bags', referrer: 'newsletter' } },
      { event: 'Checkout Started', properties: { total: 84.55, currency: 'EUR', items: 1 } },
    ];
    const message =
      i % 7 === 6
        ? { type: 'identify', traits: { plan: 'pro', newsletter: true } }
        : { type: 'track', ...events[i % 4] };
    await fetch(`${url}/v1/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${writeKey}` },
      body: JSON.stringify({ batch: [{ ...message, userId: user }] }),
    });
    await new Promise((resolve) => setTimeout(resolve, 120 + 250 * Math.abs(Math.sin(i / 9))));
  }
}

async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${folder}/${name}.png` });
}

/** One that cannot be made is named, and the others are made. */
async function take(page: Page, { name, address, before, act }: Shot, suffix: string): Promise<void> {
  await page.goto('about:blank');
  await before?.(page);
  try {
    await page.goto(`${url}/console/${address}`);
    await page.locator('h1').waitFor();
    await act?.(page);
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${name}-${suffix}: ${String(error)}\n`);
  }
  await picture(page, `${name}-${suffix}`);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
}

mkdirSync(folder, { recursive: true });
const sending = new AbortController();
void keepSending(sending.signal);
const browser = await openBrowser();
const data = await putShotData({ url, readKey, writeKey, adminKey });
const wanted = process.argv.slice(3);
const isWanted = (name: string): boolean =>
  wanted.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one));
const shots = [...OPENED, ...stateShots(data)].filter(({ name }) => wanted.length === 0 || isWanted(name));
const sessions = [
  { key: readKey, shots: shots.filter(({ isAdmin = false }) => !isAdmin) },
  { key: adminKey, shots: shots.filter(({ isAdmin = false }) => isAdmin) },
];
for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1280, 390]) {
    const suffix = `${width}-${colorScheme}`;
    if (only !== undefined && !only.includes(suffix)) continue;
    for (const { key, shots } of sessions) {
      if (shots.length === 0) continue;
      const context = await browser.newContext({ colorScheme, viewport: { width, height: width === 390 ? 844 : 800 } });
      const page = await context.newPage();
      await page.goto(`${url}/console/`);
      await page.getByLabel('Key').waitFor();
      await picture(page, `sign-in-${suffix}`);
      await page.getByLabel('Key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('#main').waitFor();
      for (const shot of shots) await take(page, shot, suffix);
      await context.close();
    }
  }
}
sending.abort();
await browser.close();
await data.remove();
