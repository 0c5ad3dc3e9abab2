import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { complaintsOf, type Scene } from '../scene.ts';

export function testUsers(scene: () => Scene): void {
  describe('users', () => {
    test('users are found by any part of what is known of them, by a trait and by an anonymous id, and Back goes back', async () => {
      const page = await scene().signedIn('#/users');
      await page.getByText('u-00040').waitFor();

      await page.keyboard.press('/');
      await page.keyboard.type('u-0001');
      await page.keyboard.press('Enter');
      await expect.poll(async () => page.locator('[data-row]').count()).toBe(10);
      expect(page.url()).toContain('search=u-0001');

      await page.getByLabel('Find by').selectOption({ label: 'Trait' });
      await page.locator('[data-search]').fill('plan:pro');
      await page.getByRole('button', { name: 'Find' }).click();
      await expect.poll(() => page.url()).toContain('trait=plan%3Apro');
      const rows = page.locator('[data-row]');
      await rows
        .filter({ hasText: /plan\s*pro/ })
        .first()
        .waitFor();
      await expect.poll(async () => rows.filter({ hasNotText: /plan\s*pro/ }).count()).toBe(0);

      await page.goBack();
      await expect.poll(() => page.url()).toContain('search=u-0001');
      await page.locator('[data-search]').fill(' LOVELACE ');
      await page.getByRole('button', { name: 'Find' }).click();
      await rows
        .filter({ hasText: /lovelace/i })
        .first()
        .waitFor();
      await expect.poll(async () => rows.filter({ hasNotText: /lovelace/i }).count()).toBe(0);
      await page.goto(`${scene().url}/console/#/users?search=nobody+at+all`);
      await page.getByText('unless the project has others').waitFor();
      await page.goto(`${scene().url}/console/#/users?anonymous_id=nobody`);
      await page.getByText('Nobody was found').waitFor();
    });

    test('the events of a user are narrowed by name and day, and one opens', async () => {
      const page = await scene().signedIn('#/users/u-00001');
      await page.getByText('There are no earlier events.').waitFor();
      await page.locator('[data-row]').first().click();
      await page.locator('.details').getByText('Message id').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('.details').waitFor({ state: 'detached' });

      await page.goto(`${scene().url}/console/#/users/u-00001?event=Page+Viewed&since=2020-01-01`);

      await page.getByText('There are no earlier events like these.').waitFor();
      await expect
        .poll(async () => new Set(await page.locator('[data-row] .kind').allInnerTexts()))
        .toEqual(new Set(['Page Viewed']));
      await page.goto(`${scene().url}/console/#/users/u-00001?until=2020-01-01`);
      await page.getByText('No events like this.').waitFor();
    });

    test('a time shows its exact instant on focus, in the zone that was chosen', async () => {
      const page = await scene().signedIn('#/users/u-00001');
      await page.getByLabel('Times in').selectOption('utc');

      await page.locator('dd time').first().focus();

      await expect
        .poll(async () => page.locator('dd time').first().innerText())
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
      expect(await rows.nth(0).innerText()).toMatch(/^Now\s+pro\s+identify.*h-2$/s);
      expect(await rows.nth(1).innerText()).toMatch(/^Never shown\s+plus\s+identify.*h-3\s+It came after.*h-2/s);
      expect(await rows.nth(2).innerText()).toMatch(/^Before\s+free/);
      await page.goBack();
      await page.locator('.given-values').waitFor({ state: 'detached' });
      expect(complaintsOf(page)).toEqual([]);
    });

    test('the audiences of a user say in or out, and open to why', async () => {
      const page = await scene().signedIn('#/users/u-00001');
      const row = page.getByRole('button', { name: /Left a full cart this week/ });
      await row.waitFor();
      expect(await row.innerText()).toMatch(/^(In|Out)\s/);

      await row.click();

      await page.locator('.why .part').first().waitFor();
      expect(await page.locator('.why').innerText()).toMatch(/who did "Checkout Started" in the last 7 days/);
      expect(page.url()).toContain('audience=aud_');
    });

    test('the timeline has identifies as well, and everything about a user is saved whole', async () => {
      const page = await scene().signedIn('#/users/u-00001');
      await page.getByText('There are no earlier events.').waitFor();

      await page.getByRole('combobox', { name: 'Show' }).selectOption('other');

      await page.locator('[data-row]').getByText('identify').first().waitFor();
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

      await page.getByText('The export was cut').or(page.getByText('broke off before the last line')).first().waitFor();
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
      await page.getByText('Looked Around').waitFor();
    });
  });
}
