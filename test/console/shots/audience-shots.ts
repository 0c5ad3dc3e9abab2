/** Pictures of audiences and where they go, of lists from files, of funnels and of what is shared. */
import type { Page } from 'playwright-core';
import type { Shot } from './user-shots.ts';

const FUNNEL_STEPS = {
  event: 'Product Viewed',
  within: { last: '30d' },
  followed_by: {
    event: 'Product Added',
    within: '1d',
    followed_by: { event: 'Checkout Started', within: '1d', followed_by: { event: 'Order Completed', within: '7d' } },
  },
};

async function openFirst(page: Page): Promise<void> {
  await page.locator('main tbody a[data-row]').first().click();
  await page.getByText('Send to…').waitFor();
  await page.waitForTimeout(1_500);
}

function csvFile(name: string, lines: readonly string[]) {
  return { name, mimeType: 'text/csv', buffer: Buffer.from(`${lines.join('\n')}\n`) };
}

/** Opens a page with a file that is chosen there. */
async function chooseFile(page: Page, label: string, file: ReturnType<typeof csvFile>): Promise<void> {
  await page.getByLabel(label).setInputFiles(file);
  await page.waitForTimeout(2_500);
}

const UNASKED = [
  'email',
  ...Array.from({ length: 400 }, (_, i) => `customer${i}@example.com`),
  'customer1@example.com',
];
const ORDER_LINES = [
  'customer,what,when,amount,zip',
  'u-00001,Order Completed,03.10.2026,129.90,01234',
  'u-00002,Order Completed,04.10.2026,abc,01235',
  ',Order Completed,04.10.2026,7,01235',
  ...Array.from({ length: 12 }, (_, i) => `u-0001${i % 10},Page Viewed,0${1 + (i % 9)}.10.2026,${i},10115`),
];

export const AUDIENCE_SHOTS: readonly Shot[] = [
  {
    name: 'audience-send',
    address: '#/audiences',
    act: async (page) => {
      await openFirst(page);
      await page.getByText('Send to…').click();
      await page.waitForTimeout(300);
    },
  },
  {
    name: 'audience-webhook',
    address: '#/audiences',
    act: async (page) => {
      await openFirst(page);
      await page.getByText('Send to…').click();
      await page.getByRole('button', { name: 'A new webhook…' }).click();
      await page.waitForTimeout(500);
    },
  },
  { name: 'audience-from-file', address: '#/audiences/from-file', act: (page) => page.waitForTimeout(500) },
  {
    name: 'audience-list',
    address: '#/audiences/from-file',
    act: (page) => chooseFile(page, 'File with users', csvFile('do-not-ask.csv', UNASKED)),
  },
  {
    name: 'funnel',
    address: `#/events?view=funnel&by=plan&sequence=${encodeURIComponent(JSON.stringify(FUNNEL_STEPS))}`,
    act: (page) => page.waitForTimeout(3_000),
  },
  {
    name: 'share',
    address: '#/events/Order%20Completed?split=trait:plan',
    act: async (page) => {
      await page.getByText('Share', { exact: true }).click();
      await page.waitForTimeout(800);
    },
  },
  {
    name: 'pin',
    address: '#/events/Order%20Completed?split=trait:plan',
    act: async (page) => {
      await page.getByText('Share', { exact: true }).click();
      await page.getByRole('button', { name: 'Pin to Today…' }).click();
      await page.waitForTimeout(800);
    },
  },
  {
    name: 'rejected-open',
    address: '#/live?tab=refusals',
    act: async (page) => {
      await page.getByRole('button', { name: /^traits must be an object/ }).click();
      await page.waitForTimeout(500);
    },
  },
  {
    name: 'import-preview',
    address: '#/imports/new',
    isAdmin: true,
    act: (page) => chooseFile(page, 'File to import', csvFile('history.csv', ORDER_LINES)),
  },
  {
    name: 'invite',
    address: '#/settings',
    isAdmin: true,
    act: async (page) => {
      await page.getByRole('link', { name: 'default', exact: true }).click();
      await page.getByRole('button', { name: 'Invite…' }).click();
      await page.getByLabel('Name of the person').fill('Anna');
      await page.waitForTimeout(300);
    },
  },
  {
    name: 'invitation',
    address: '#/settings',
    isAdmin: true,
    // No key is made for a picture.
    before: async (page) => {
      await page.route('**/keys', async (route) => {
        if (route.request().method() !== 'POST') return route.fallback();
        const key = {
          id: 'key_example',
          name: 'Anna',
          scopes: ['read', 'audiences'],
          key: 'tk_this-is-an-example-of-a-key',
        };
        return route.fulfill({ status: 201, json: { ...key, project_id: null, created_at: '2026-11-29T00:00:00Z' } });
      });
    },
    act: async (page) => {
      await page.getByRole('link', { name: 'default', exact: true }).click();
      await page.getByRole('button', { name: 'Invite…' }).click();
      await page.getByLabel('Name of the person').fill('Anna');
      await page.getByRole('button', { name: 'Make the invitation' }).click();
      await page.getByRole('heading', { name: 'Send this to Anna' }).waitFor();
    },
  },
  {
    name: 'forgotten',
    address: '#/settings/forgotten',
    isAdmin: true,
    act: (page) => page.waitForTimeout(800),
  },
  {
    name: 'account',
    address: '#/',
    isAdmin: true,
    act: async (page) => {
      const menu = page.getByLabel('Menu');
      if (await menu.isVisible()) await menu.click();
      await page.getByText('Account', { exact: true }).click();
      await page.waitForTimeout(500);
    },
  },
];
