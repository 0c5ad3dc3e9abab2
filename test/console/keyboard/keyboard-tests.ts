import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Scene } from '../scene.ts';
import { stopOf, stopsOn } from './stops.ts';

/** Those of `SCREENS`, as they are written there: the module itself needs a browser. A new one is walked by itself. */
const DECLARED = readFileSync('console/src/frame/screens.ts', 'utf8').matchAll(
  /name: '([^']+)',\s+group: '[^']*',(?:\s+below: '(\w+)',)?(?:\s+needs: '\w+',)?\s+path: '([^']*)',\s+key: '(\w)'/g,
);
const WALKED = [...DECLARED].map(([, name = '', below, path = '', key = '']) => ({ name, below, path, key }));

/** What stands on each screen before its content. */
const SKIP = 'Skip to the content';

const ROLES_WITHOUT_NAME = new Set(['RootWebArea', 'generic', '']);

export function testKeyboard(scene: () => Scene): void {
  describe('the keyboard', () => {
    const atScreen = async (path: string): Promise<Page> => {
      const page = await scene().signedIn(`#/${path}`, { isAdmin: true });
      await page.locator('h1').waitFor();
      await page.locator('.loading').first().waitFor({ state: 'detached' });
      return page;
    };

    test('every screen is walked here', () => {
      const source = readFileSync('console/src/frame/screens.ts', 'utf8');

      expect(WALKED).toHaveLength(source.match(/^ {4}load: async/gm)?.length ?? 0);
      expect(WALKED.length).toBeGreaterThan(10);
    });

    for (const { name, path, key } of WALKED) {
      test(`${name} says its name when it is opened by keys, and each stop has a role, a name and a visible focus`, async () => {
        const page = await atScreen(path === 'live' ? 'users' : 'live');
        await page.keyboard.press('g');
        await page.keyboard.press(key);
        await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
        await page.locator('.loading').first().waitFor({ state: 'detached' });
        const session = await page.context().newCDPSession(page);
        await expect.poll(() => stopOf(page, session)).toMatchObject({ role: 'heading', name });

        const stops = await stopsOn(page);

        expect(stops.length).toBeGreaterThan(0);
        expect(stops.filter((stop) => stop.name === '' || ROLES_WITHOUT_NAME.has(stop.role))).toEqual([]);
        expect(stops.filter(({ isSeen }) => !isSeen)).toEqual([]);
        // The walk began behind the navigation, and came to the end of the document.
        expect(stops.filter(({ isContent }) => !isContent)).toEqual([]);
        expect(stops.length).toBeLessThan(250);
      });
    }

    test('the first stop of a page skips the navigation, each of whose screens is announced as a link', async () => {
      const page = await atScreen('users');
      await page.reload();
      await page.locator('h1').waitFor();

      const stops = await stopsOn(page);

      expect(stops[0]).toMatchObject({ role: 'link', name: SKIP });
      const links = stops.filter(({ role, isContent }) => role === 'link' && !isContent).map((stop) => stop.name);
      for (const { name } of WALKED.filter(({ below }) => below === undefined))
        expect(
          links.some((link) => link.startsWith(name)),
          name,
        ).toBe(true);
      await page.reload();
      await page.locator('h1').waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      const session = await page.context().newCDPSession(page);
      await expect.poll(async () => (await stopOf(page, session))?.role).toBe('main');
    });

    for (const [path, field] of [
      ['live', 'Event'],
      ['events', 'Name'],
      ['users', 'Search'],
      ['settings/audit', 'Action'],
      ['dead-letters', 'State'],
    ] as const) {
      test(`the key / gives ${path} the caret in what it looks for`, async () => {
        const page = await atScreen(path);
        await page.locator('[data-search]').waitFor();

        await page.keyboard.press('/');

        const session = await page.context().newCDPSession(page);
        await expect.poll(async () => (await stopOf(page, session))?.name).toBe(field);
      });
    }

    for (const [path, button, field] of [
      ['settings/projects', 'New project', 'Name'],
      ['settings/keys', 'Invite…', 'Name of the person'],
    ] as const) {
      test(`the form behind ${button} has the caret in its first field, however often it is opened`, async () => {
        const page = await atScreen(path);
        const session = await page.context().newCDPSession(page);
        for (const text of ['first', 'second']) {
          await page.getByRole('button', { name: button }).press('Enter');
          await expect.poll(() => stopOf(page, session)).toMatchObject({ role: 'textbox', name: field });
          await page.keyboard.type(text);
          await expect.poll(() => page.getByLabel(field, { exact: true }).inputValue()).toBe(text);
          await page.getByRole('button', { name: 'Cancel' }).press('Enter');
        }
      });
    }

    test('a field with suggestions tells the line that Enter takes, and what was typed is the last of them', async () => {
      const page = await atScreen('audiences/new?definition={"event":"Page%20Viewed"}');
      const field = page.getByRole('combobox', { name: 'Event', exact: true });
      await field.fill('order');
      const lines = page.getByRole('option');
      await lines.filter({ hasText: 'Use “order”' }).waitFor();
      const active = async () =>
        page.locator(`[id="${await field.getAttribute('aria-activedescendant')}"]`).innerText();

      expect(await active()).toContain('Order Completed');
      await expect.poll(() => lines.last().innerText()).toContain('never seen');
      await page.keyboard.press('ArrowUp');
      expect(await active()).toContain('Use “order”');
      await page.keyboard.press('Enter');
      await expect.poll(() => field.inputValue()).toBe('order');
      await page.getByRole('button', { name: /^Did you mean Order Completed \(\d/ }).press('Enter');
      await expect.poll(() => field.inputValue()).toBe('Order Completed');
    });
  });
}
