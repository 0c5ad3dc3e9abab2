import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { complaintsOf, type Scene, signIn } from '../scene.ts';
import { ADMIN_SCREENS, SCREENS } from '../screens.ts';

/** Each look of axe takes a second or two on a busy machine. */
const WITH_AXE = { timeout: 300_000 };

/** @param rules The rules that are looked at; all of them unless given. */
export async function violationsOf(page: Page, rules?: string[]): Promise<string[]> {
  // In the page itself, as it has no frames, and without what passed.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await (rules === undefined ? axe : axe.withRules(rules)).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${String(target)} ${failureSummary}`),
  );
}

async function widthOf(page: Page): Promise<number> {
  return page.evaluate(() => (globalThis as unknown as { document: Doc }).document.documentElement.scrollWidth);
}

/** As much of the DOM as these tests ask about: this project's types have none. */
interface Doc {
  readonly documentElement: { readonly scrollWidth: number };
  readonly activeElement: { readonly textContent: string } | null;
}

export async function focusedText(page: Page): Promise<string> {
  return page.evaluate(() => (globalThis as unknown as { document: Doc }).document.activeElement?.textContent ?? '');
}

/**
 * Axe finds nothing, the dark theme has enough contrast, and at 360 px nothing is cut and what scrolls has the keyboard. What
 * else axe looks at is the same in both themes and at any width. The page is left as wide as it was, in the dark.
 */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await violationsOf(page), `${name}, light`).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violationsOf(page, ['color-contrast']), `${name}, dark`).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  await expect.poll(() => widthOf(page), { message: name }).toBeLessThanOrEqual(360);
  expect(await violationsOf(page, ['scrollable-region-focusable']), `${name}, narrow`).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** What holds of every screen. */
export function testScreens(scene: () => Scene): void {
  describe('screens', () => {
    test('the sign-in is accessible, takes only a key that may read, and says why another is refused', async () => {
      const page = await scene().newPage();
      expect(await violationsOf(page)).toEqual([]);
      expect(complaintsOf(page)).toEqual([]);

      await page.getByLabel('Key').fill('nobody-has-this-key');
      await page.keyboard.press('Enter');

      await page.getByRole('alert').getByText('There is no such key').waitFor();
      await signIn(page, scene().empty.readKey);
      await page.getByRole('heading', { name: 'Today' }).waitFor();
    });

    const testWhole = ([name, address, text]: (typeof SCREENS)[number], isAdmin: boolean): void => {
      test(
        `the screen of ${name} is accessible in both themes, fits 360 px, and the browser complains of nothing`,
        WITH_AXE,
        async () => {
          const page = await scene().signedIn(address, { isAdmin });
          await page.getByText(text).first().waitFor();
          await expectAccessible(page, name);
          // A 404 is an answer here, and a 400; the browser writes them down all the same.
          expect(complaintsOf(page).filter((line) => !/ (?:400|404) /.test(line))).toEqual([]);
        },
      );
    };
    for (const screen of SCREENS) testWhole(screen, false);
    for (const screen of ADMIN_SCREENS) testWhole(screen, true);

    test('a service that does not answer, refuses or is unreachable is shown as what it is', async () => {
      const page = await scene().signedIn();
      const answers = {
        422: { code: 'query-limit', detail: 'It would read more than 5 rows.', title: 'Question past its limits' },
        429: { code: 'overloaded', detail: 'Too many questions.', title: 'Too many requests' },
        503: { code: 'unavailable', detail: 'The profiles are unreachable.', title: 'Unavailable' },
      };
      const headlines = { 422: 'exceeds a limit', 429: 'Too many requests at once', 503: 'A part of the service' };
      for (const [status, body] of Object.entries(answers)) {
        await page.route('**/v1/users/query*', async (route) =>
          route.fulfill({
            status: Number(status),
            headers: { 'retry-after': '30', 'content-type': 'application/problem+json' },
            body: JSON.stringify(body),
          }),
        );
        await page.goto(`${scene().url}/console/#/users?search=${status}`);
        await page.getByText(headlines[Number(status) as keyof typeof headlines]).waitFor();
        await page.getByText(body.detail).waitFor();
        await expect.poll(() => page.getByText('Retrying in').count()).toBe(status === '422' ? 0 : 1);
        expect(await violationsOf(page), status).toEqual([]);
        await page.unroute('**/v1/users/query*');
      }
      await page.route('**/v1/users/query*', async (route) => route.abort());
      await page.goto(`${scene().url}/console/#/users?search=none`);
      await page.getByRole('heading', { name: 'The service did not answer' }).waitFor();
      await page.unroute('**/v1/users/query*');

      // By itself: a button that is pressed may be gone by then.
      await page.getByText('Nobody was found').waitFor();
    });

    test('who signs out, or whose session has ended, is at the sign-in', async () => {
      const page = await scene().signedIn('#/users');
      await page.getByText('u-00001').waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();

      await signIn(page, scene().empty.readKey);
      await page.context().clearCookies();
      await page.goto(`${scene().url}/console/#/users?search=x`);

      await page.getByRole('button', { name: 'Sign in' }).waitFor();
    });
  });
}
