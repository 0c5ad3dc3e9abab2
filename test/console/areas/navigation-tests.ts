/** How people get from one screen to another. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Scene } from '../scene.ts';
import { focusedText, violationsOf } from './screens-tests.ts';

/** In the order of the navigation, each with the letter behind `g`. */
const KEYS = {
  Today: 't',
  Live: 'l',
  Events: 'e',
  Users: 'u',
  Audiences: 'a',
  Webhooks: 'w',
  Pipeline: 'p',
  'Dead letters': 'd',
  Imports: 'i',
  Replays: 'r',
  Backups: 'b',
  Settings: 's',
} as const;

/** Those that an admin key alone opens. */
const FOR_ADMINS: readonly string[] = ['Pipeline', 'Dead letters', 'Imports', 'Replays', 'Backups'];

/** One is led to from another screen. */
const IN_NAVIGATION = Object.keys(KEYS).filter((name) => name !== 'Replays');

export function testNavigation(scene: () => Scene): void {
  describe('navigation', () => {
    const linksOf = async (page: Page): Promise<readonly string[]> => {
      const links = await page.getByRole('navigation', { name: 'Screens' }).getByRole('link').allInnerTexts();
      return links.map((text) => text.replace(/\s*\d+[^]*$/, ''));
    };

    test('what the key does not open is not in the navigation, and its letter goes nowhere', async () => {
      const page = await scene().signedIn('#/live');
      const open = IN_NAVIGATION.filter((name) => !FOR_ADMINS.includes(name));

      await expect.poll(() => linksOf(page)).toEqual(open);
      await page.keyboard.press('g');
      await page.keyboard.press('p');
      await page.keyboard.press('?');
      await page.getByRole('dialog').getByText('Go to Today').waitFor();

      expect(await page.getByRole('dialog').getByText('Go to Pipeline').count()).toBe(0);
      await expect.poll(() => page.url()).toContain('#/live');
    });

    test('where there is little room, all of the navigation is behind one button', async () => {
      const page = await scene().signedIn('#/users', { isAdmin: true });
      await page.setViewportSize({ width: 360, height: 740 });
      const link = page.getByRole('link', { name: 'Settings' });
      await link.waitFor({ state: 'hidden' });

      await page.locator('.side-menu > summary').click();
      await page.getByRole('combobox', { name: 'Project', exact: true }).waitFor();
      await expect.poll(() => linksOf(page)).toEqual(IN_NAVIGATION);
      expect(await violationsOf(page)).toEqual([]);
      await link.click();

      await page.getByRole('heading', { name: 'Settings' }).waitFor();
      await link.waitFor({ state: 'hidden' });
    });

    test('one search finds screens, audiences, events and users, and the keyboard opens what it finds', async () => {
      const page = await scene().signedIn('#/live');
      await page.keyboard.press('Control+k');
      const field = page.getByRole('combobox', { name: 'Search' });
      const first = page.getByRole('dialog').getByRole('option').first();
      for (const [text, found] of [
        ['setti', 'Settings'],
        ['full cart', 'Left a full cart this week'],
        ['completed', 'Order Completed'],
        ['00001', 'u-00001'],
      ] as const) {
        await field.fill(text);
        await first.getByText(found).waitFor();
      }
      expect(await violationsOf(page)).toEqual([]);
      await field.fill('nobody has this');
      await page.getByText('Nothing was found.').waitFor();
      await field.fill('u-0000');
      await first.getByText(/u-0000\d/).waitFor();

      await page
        .getByRole('option', { name: /@example\.com · u-0000\d/ })
        .first()
        .waitFor();
      await page.keyboard.press('Enter');

      await expect.poll(() => page.url()).toMatch(/#\/users\/u-0000\d/);
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    });

    test('the search finds a message by its whole id, and opens its receipt', async () => {
      const id = 'searched-0123456789';
      const body = { user_id: 'u-00001', event: 'Searched For', message_id: id };
      expect((await scene().service.request('/v1/track', body)).status).toBe(200);
      const found = async () => (await scene().service.request(`/v1/messages/${id}`)).status;
      await expect.poll(found).toBe(200);
      const page = await scene().signedIn('#/users');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search' }).fill(id);

      await page.getByRole('option', { name: /Searched For/ }).click();

      await page.getByRole('heading', { name: id }).waitFor();
      await page.locator('.steps li.done').nth(2).waitFor();
      expect(await violationsOf(page)).toEqual([]);
    });

    test('what was rejected today is counted beside Live', async () => {
      expect((await scene().service.request('/v1/track', { event: 'Done by nobody' })).status).toBe(400);
      const count = async () => {
        const status = (await (await scene().service.request('/v1/status')).json()) as { refused_today: number | null };
        return status.refused_today ?? 0;
      };
      await expect.poll(count).toBeGreaterThan(0);
      const page = await scene().signedIn('#/users');

      await page.getByRole('link', { name: /^Live\s*\d+ rejected today$/ }).waitFor();
    });

    test('Back returns to the place in a list, another page begins at its top, and the tab is named after it', async () => {
      const page = await scene().signedIn('#/users');
      await page.setViewportSize({ width: 1280, height: 400 });
      const row = page.getByRole('link', { name: 'u-00030' });
      await row.scrollIntoViewIfNeeded();
      const scrolled = async (): Promise<number> =>
        page.evaluate(() => (globalThis as unknown as { readonly scrollY: number }).scrollY);
      const before = await scrolled();
      expect(before).toBeGreaterThan(200);
      // The place is kept a moment after it was reached.
      await expect
        .poll(() => page.evaluate(() => (globalThis as unknown as { history: { state: unknown } }).history.state))
        .toEqual({ scrollY: before });
      await row.click();
      const heading = page.locator('h1', { hasNotText: 'Users' });
      await heading.waitFor();
      const isNamed = async () => (await page.title()) === `${await heading.innerText()} · Users · Tidemark`;
      await expect.poll(isNamed).toBe(true);
      await expect.poll(scrolled).toBe(0);
      // Whole, this page is long enough to be scrolled as far as the list was.
      await page.getByText('There is nothing earlier').waitFor();
      await page.goBack();

      await row.waitFor();
      await expect.poll(scrolled).toBe(before);
      await expect.poll(() => page.title()).toBe('Users · Tidemark');
    });

    test('each screen is in the navigation once, or led to from one that is, and its key goes there', async () => {
      const page = await scene().signedIn('#/', { isAdmin: true });

      await expect.poll(() => linksOf(page)).toEqual(IN_NAVIGATION);

      for (const [name, key] of Object.entries(KEYS)) {
        await page.keyboard.press('g');
        await page.keyboard.press(key);
        await page.getByRole('heading', { name, level: 1 }).waitFor();
      }
      await page.getByRole('link', { name: 'Pipeline' }).click();
      await page.getByRole('link', { name: 'Replays' }).click();
      await page.getByRole('heading', { name: 'Replays', level: 1 }).waitFor();
      await expect
        .poll(() => page.getByRole('link', { name: 'Pipeline' }).first().getAttribute('aria-current'))
        .toBe('page');
    });

    test('the way out is in sight at 1280 by 800, and the zone of times is behind Account', async () => {
      const page = await scene().signedIn('#/', { isAdmin: true });
      const out = page.getByRole('button', { name: 'Sign out' });
      await out.waitFor();
      const { y = 0, height = 0 } = (await out.boundingBox()) ?? {};
      expect(y + height).toBeLessThanOrEqual(800);
      expect(await page.getByLabel('Times in').isVisible()).toBe(false);

      await page.locator('summary', { hasText: 'Account' }).click();
      await page.getByLabel('Times in').selectOption('utc');
      expect(await violationsOf(page)).toEqual([]);
      await page.keyboard.press('Escape');

      await page.getByLabel('Times in').waitFor({ state: 'hidden' });
    });

    test('the keyboard goes everywhere: g and a letter, /, j, k, Enter, Escape and ?', async () => {
      const page = await scene().signedIn();
      await page.getByRole('heading', { name: 'Today' }).waitFor();

      await page.keyboard.press('g');
      await page.keyboard.press('u');
      const first = page.locator('[data-row] .quiet').first();
      await first.waitFor();
      const id = await first.innerText();
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('k');
      await expect.poll(() => focusedText(page)).toContain(id);
      await page.keyboard.press('Enter');
      await page.locator('.user-id').getByText(id).waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('l');
      await page.getByRole('heading', { name: 'Live' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('?');
      await expect.poll(() => page.getByRole('searchbox', { name: 'Event' }).inputValue()).toBe('?');
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    });

    test('an admin key chooses among the projects, and the address keeps the choice', async () => {
      const page = await scene().signedIn('#/users', { isAdmin: true });
      await page.getByText('u-00001').waitFor();

      await page.getByRole('combobox', { name: 'Project', exact: true }).selectOption({ label: 'empty' });
      await page.getByText('There are no users yet').waitFor();
      await page.getByRole('link', { name: 'Live' }).click();
      await page.getByText('No messages yet').waitFor();

      await expect.poll(() => page.url()).toMatch(/#\/live\?project=proj_/);
    });
    test('another project that is chosen where one of this is shown leads to its list, and keeps what is being made', async () => {
      const page = await scene().signedIn('#/users/u-00001?history=plan', { isAdmin: true });
      await page.locator('.user-id').getByText('u-00001').waitFor();
      const choice = page.getByRole('combobox', { name: 'Project', exact: true });
      await choice.selectOption({ label: 'empty' });

      await page.getByText('There are no users yet').waitFor();
      await expect.poll(() => page.url()).toMatch(/#\/users\?project=proj_\w+$/);
      const definition = encodeURIComponent('{"trait":"plan","is":"pro"}');
      await page.goto(`${scene().url}/console/#/audiences/new?definition=${definition}`);
      await choice.selectOption({ label: 'empty' });

      await expect
        .poll(() => page.url())
        .toMatch(/audiences\/new\?.*definition=.*project=proj_|project=proj_.*definition=/);
    });
  });
}
