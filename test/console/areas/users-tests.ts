import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { complaintsOf, type Scene } from '../scene.ts';

export function testUsers(scene: () => Scene): void {
  describe('users', () => {
    const headsOf = (page: Page) => page.locator('thead th').allInnerTexts();

    test('users are found as one types, by any part of what is known of them, and Back leaves the list', async () => {
      const page = await scene().signedIn('#/live');
      await page.getByRole('link', { name: 'Users', exact: true }).click();
      await page.getByText('u-00040').waitFor();

      await page.keyboard.press('/');
      await page.keyboard.type('u-0001');
      const rows = page.locator('[data-row]');
      await expect.poll(() => rows.count()).toBe(10);
      await expect.poll(() => page.url()).toContain('search=u-0001');
      await page.locator('.head').getByText('10 users').waitFor();
      await page.locator('[data-search]').fill(' LOVELACE ');
      await rows
        .filter({ hasText: /lovelace/i })
        .first()
        .waitFor();
      await expect.poll(() => rows.filter({ hasNotText: /lovelace/i }).count()).toBe(0);
      await expect.poll(() => page.locator('[data-search]').inputValue()).toBe(' LOVELACE ');
      await page.goBack();
      await expect.poll(() => page.url()).toContain('#/live');

      await page.goto(`${scene().url}/console/#/users?search=nobody+at+all`);
      await page.getByText('The search looks at ids').waitFor();
      await page.goto(`${scene().url}/console/#/users?anonymous_id=nobody`);
      await page.getByText('Nobody was found').waitFor();
    });

    test('a condition narrows the list and its number, and becomes an audience', async () => {
      const page = await scene().signedIn('#/users');
      const rows = page.locator('tbody tr');
      await expect.poll(() => rows.count()).toBeGreaterThan(30);
      await page.getByText('+ Only where…').click();
      await page.getByLabel('Trait', { exact: true }).fill('plan');
      await page.getByLabel('Value', { exact: true }).fill('pro');
      await page.getByRole('button', { name: 'Add', exact: true }).click();

      await page.getByText('plan is “pro”').waitFor();
      await rows.filter({ hasText: 'pro' }).first().waitFor();
      await expect.poll(() => rows.filter({ hasNotText: 'pro' }).count()).toBe(0);
      const total = String(await rows.count());
      await page.locator('.head p').getByText(`${total} users`).waitFor();
      await page.getByRole('link', { name: 'Save as audience' }).click();

      await page.locator('.figure:not(.stale) b').waitFor();
      await expect.poll(() => decodeURIComponent(page.url())).toContain('"trait":"plan"');
    });

    test('the columns of the list are chosen, and the choice stays', async () => {
      const page = await scene().signedIn('#/users');
      await expect.poll(() => headsOf(page)).toEqual(['User', 'email', 'plan', 'country', 'Events', 'Last seen ↓']);

      await page.getByText('Columns', { exact: true }).first().click();
      await page.getByLabel('country').uncheck();
      await page.getByLabel('First seen').check();

      await expect.poll(() => headsOf(page)).toContain('First seen');
      expect(await headsOf(page)).not.toContain('country');
      await page.reload();
      await expect.poll(() => headsOf(page)).toContain('First seen');
      expect(await headsOf(page)).not.toContain('country');
    });

    test('after an outage the columns come by themselves, as the rows do', async () => {
      const page = await scene().signedIn('#/live');
      await page.route('**/v1/catalog/traits*', async (route) => route.abort());
      await page.goto(`${scene().url}/console/#/users`);
      await page.getByText('u-00040').waitFor();
      expect(await headsOf(page)).not.toContain('email');

      await page.unroute('**/v1/catalog/traits*');

      await expect.poll(() => headsOf(page)).toContain('email');
    });

    test('the list is one question, however many users it has', async () => {
      const page = await scene().signedIn('#/live');
      const paths: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/v1/users')) paths.push(new URL(request.url()).pathname);
      });
      await page.goto(`${scene().url}/console/#/users`);
      await page.getByText('u-00040').waitFor();

      expect(paths).toEqual(['/v1/users/query']);
    });

    test('a user has the name as the title, the id beside it, the audiences, and a bar for each day', async () => {
      const profile = (await (await scene().service.request('/v1/users/u-00001')).json()) as {
        traits: { name: string };
      };
      const page = await scene().signedIn('#/users/u-00001');

      await page.getByRole('heading', { level: 1, name: profile.traits.name }).waitFor();
      await page.locator('.user-id').getByText('u-00001').waitFor();
      await page.getByRole('button', { name: 'Copy the id' }).waitFor();
      await page.getByRole('img', { name: /^Active on \d+ of the last 90 days$/ }).waitFor();
      await expect.poll(() => page.locator('.days-strip rect').count()).toBe(90);
      await page.locator('.user-audience-row').first().waitFor();
      const isIn = await page.locator('.membership.in').count();
      await expect.poll(() => page.locator('.audience-badges a').count()).toBe(isIn);
    });

    test('the timeline of a user is narrowed by kind, name and day, and an entry opens', async () => {
      const page = await scene().signedIn('#/users/u-00001');
      await page.getByText('There is nothing earlier.').waitFor();
      await page.locator('.event-row').first().click();
      await page.locator('.details').getByText('Message id').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('.details').waitFor({ state: 'detached' });
      const kinds = async () => new Set(await page.locator('.event-row .kind').allInnerTexts());
      expect(await kinds()).toContain('identify');
      expect((await kinds()).size).toBeGreaterThan(1);

      await page.getByRole('button', { name: 'Identifies' }).click();
      await expect.poll(kinds).toEqual(new Set(['identify']));
      await expect.poll(() => page.url()).toContain('types=identify');

      await page.goto(`${scene().url}/console/#/users/u-00001?event=Page+Viewed&since=2020-01-01`);
      await page.getByText('There is nothing earlier like this.').waitFor();
      await expect.poll(kinds).toEqual(new Set(['Page Viewed']));
      await page.goto(`${scene().url}/console/#/users/u-00001?until=2020-01-01`);
      await page.getByText('Nothing like this.').waitFor();
    });

    test('a message of a timeline leads to its receipt', async () => {
      const page = await scene().signedIn('#/users/u-00001');
      await page.locator('.event-row').first().click();
      await page.locator('.details a').click();

      await page.locator('.steps li.done').nth(2).waitFor();
      await expect.poll(() => page.url()).toContain('#/live?message=');
    });

    test('a time shows its exact instant on focus, in the zone that was chosen', async () => {
      const page = await scene().signedIn('#/users/u-00001');
      await page.locator('summary', { hasText: 'Account' }).click();
      await page.getByLabel('Times in').selectOption('utc');

      await page.locator('dd time').first().focus();

      await expect
        .poll(() => page.locator('dd time').first().innerText())
        .toMatch(/^\d+ \w+ 20\d\d, [\d:]{8}\.\d{6} UTC$/);
    });

    test('a trait opens to the values that it was given, which message set each, and which came too late', async () => {
      const identify = async (plan: string, timestamp: string, messageId: string): Promise<unknown> => {
        const body = { user_id: 'historian', message_id: messageId, timestamp, traits: { plan } };
        return expect((await scene().service.request('/v1/identify', body)).status).toBe(200);
      };
      await identify('free', '2026-01-01T00:00:00Z', 'h-1');
      await identify('pro', '2026-03-01T00:00:00Z', 'h-2');
      await identify('plus', '2026-02-01T00:00:00Z', 'h-3');
      const path = '/v1/users/historian/traits/plan/history';
      const known = async (): Promise<unknown> => (await scene().service.request(path)).json();
      await expect.poll(known).toMatchObject({ values: [{}, {}, {}] });
      const page = await scene().signedIn('#/users/historian');

      await page.getByRole('button', { name: 'plan' }).click();

      const rows = page.locator('.given-values li');
      await rows.nth(2).waitFor();
      await expect.poll(() => rows.nth(0).innerText()).toMatch(/^Now\s+pro\s+identify.*h-2$/s);
      await expect
        .poll(() => rows.nth(1).innerText())
        .toMatch(/^Too late\s+plus\s+identify.*h-3\s+A newer value was already there.*h-2/s);
      await expect.poll(() => rows.nth(2).innerText()).toMatch(/^Before\s+free/);
      await page.getByLabel('Copy as…').click();
      await page.locator('.menu-panel').getByText('curl, values of plan').waitFor();
      await page.locator('.menu-panel').getByText('curl, timeline').waitFor();
      await page.goBack();
      await page.locator('.given-values').waitFor({ state: 'detached' });
      expect(complaintsOf(page)).toEqual([]);
    });

    test('the audiences of a user say in or out, and open to why', async () => {
      const page = await scene().signedIn('#/users/u-00001');
      const row = page.getByRole('button', { name: /Left a full cart this week/ });
      await row.waitFor();
      await expect.poll(() => row.innerText()).toMatch(/^(In|Out)\s/);

      await row.click();

      await page.locator('.why .part').first().waitFor();
      await expect.poll(() => page.locator('.why').innerText()).toMatch(/who did Checkout Started in the last 7 days/);
      await expect.poll(() => page.url()).toContain('audience=aud_');
    });

    test('everything about a user is saved whole', async () => {
      const page = await scene().signedIn('#/users/u-00001');
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      const download = await saved;
      const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
      expect(download.suggestedFilename()).toBe('user-u-00001.ndjson');
      expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toContain('profile');
    });

    test('an export that is cut is said to be, and nothing is saved', async () => {
      const page = await scene().signedIn('#/users/u-00001');
      await page.getByRole('button', { name: 'Export' }).waitFor();
      await page.route('**/export*', async (route) => {
        const response = await route.fetch();
        const lines = (await response.text()).trimEnd().split('\n');
        await route.fulfill({ response, body: `${lines.slice(0, -1).join('\n')}\n` });
      });
      let saved = 0;
      page.on('download', () => saved++);

      await page.getByRole('button', { name: 'Export' }).click();

      await page.getByText('The service stopped before the last line').waitFor();
      expect(saved).toBe(0);
    });

    test('an anonymous user has a page', async () => {
      const page = await scene().signedIn('#/live?type=track');
      await page.getByText('Listening…').waitFor();
      await scene().service.request('/v1/track', { anonymousId: 'cookie-1', event: 'Looked Around' });

      await page.getByRole('button', { name: 'Looked Around' }).click();
      // The page of a user has what both stores have by then.
      await page.locator('.steps li.done').nth(2).waitFor();
      await page.getByRole('link', { name: 'cookie-1' }).click();

      await page.getByRole('heading', { name: 'Anonymous user' }).waitFor();
      await page.getByRole('button', { name: 'Looked Around' }).waitFor();
    });
  });
}
