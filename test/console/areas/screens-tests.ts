import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { complaintsOf, type Scene, signIn } from '../scene.ts';

/** One of everything that has a control. */
const BUILT = `{"all":[{"event":"Order Completed","where":[{"property":"total","gt":5,"lte":1e3}],"count":{"at_least":1,"at_most":9},
  "within":{"between":["2026-01-01","1d"]},"first":{"since":"2026-01-01T10:15"},"last":{"before":"2027-01-01T00:00:00Z"}},
  {"any":[{"trait":"plan","in":["pro",5,true]},{"not":{"trait":["a","b"],"exists":false}}]},{"not":{"not":{"event":"Page Viewed"}}}]}`;

/** Every screen with the text that is on it once it is whole; a screen that is added is added here. */
const SCREENS: readonly (readonly [name: string, address: string, text: string])[] = [
  ['Today', '#/', 'All systems normal'],
  ['Live', '#/live', 'Recorded before this page was opened'],
  ['Live, refusals', '#/live?tab=refusals', 'Rejected or mended in the last 30 days'],
  ['Events', '#/events', 'Order Completed'],
  ['an event', '#/events/Order%20Completed', 'Show as a table'],
  ['an event, split', '#/events/Order%20Completed?split=trait:plan&compare=previous', 'Whole period'],
  ['Users', '#/users', 'u-00001'],
  ['a trait', '#/users/u-00001?history=plan', 'identify'],
  ['a user', '#/users/u-00001', 'There is nothing earlier'],
  [
    'users by a condition',
    '#/users?where=%5B%7B%22trait%22%3A%22country%22%2C%22exists%22%3Atrue%7D%5D',
    'Save as audience',
  ],
  ['a message', '#/live?message=nobody-has-it', 'No message has this id'],
  ['audiences', '#/audiences', 'Left a full cart this week'],
  ['no such audience', '#/audiences/aud_0123456789abcdefghij', 'There is no such audience'],
  ['Webhooks', '#/webhooks', 'No webhooks yet'],
  ['no such webhook', '#/webhooks/end_0123456789abcdefghij', 'There is no such webhook'],
  ['Pipeline', '#/pipeline', 'This needs an admin key'],
  ['Replays', '#/replays', 'This needs an admin key'],
  ['Imports', '#/imports', 'This needs an admin key'],
  ['the beginning of an audience', '#/audiences/new', 'Start from an example'],
  ['the builder', `#/audiences/new?definition=${encodeURIComponent(BUILT)}&test=u-00001`, 'in this audience'],
  [
    'the builder with problems',
    `#/audiences/new?definition=${encodeURIComponent('{"all":[{"wrong":1},{"event":"A","where":[{"property":"b","gt":true}]}]}')}`,
    'problems to fix',
  ],
  ['nobody', '#/users/nobody', 'Nobody is known by this id'],
  ['Dead letters', '#/dead-letters', 'This needs an admin key'],
  ['settings without an admin key', '#/settings/audit', 'This needs an admin key'],
  ['your session', '#/settings/session', 'Ends at the latest'],
];

/** Those of an operator, with an admin key. */
const ADMIN_SCREENS: typeof SCREENS = [
  ['Backups', '#/backups', 'No backups yet'],
  ['projects', '#/settings', 'no limit'],
  ['admin keys', '#/settings/keys', 'This session'],
  ['audit log', '#/settings/audit', 'Object'],
  ['installation', '#/settings/installation', 'Processes'],
];

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
  await expect.poll(async () => widthOf(page), { message: name }).toBeLessThanOrEqual(360);
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
        expect(await page.getByText('Retrying in').count()).toBe(status === '422' ? 0 : 1);
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
