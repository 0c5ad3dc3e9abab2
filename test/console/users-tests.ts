import { describe, expect, test } from 'vitest';
import type { Scene } from './scene.ts';

export function testUsers(scene: () => Scene): void {
  describe('users', () => {
    test('users are found by the beginning of an id, by a trait and by an anonymous id, and Back goes back', async () => {
      const page = await scene().signedIn('#/users');
      await page.getByText('u-00040').waitFor();

      await page.keyboard.press('/');
      await page.keyboard.type('u-0001');
      await page.keyboard.press('Enter');
      await expect.poll(async () => page.locator('[data-row]').count()).toBeLessThan(11);
      expect(page.url()).toContain('prefix=u-0001');

      await page.getByLabel('Find by').selectOption({ label: 'Trait' });
      await page.locator('[data-search]').fill('plan:pro');
      await page.getByRole('button', { name: 'Find' }).click();
      await expect.poll(async () => page.locator('[data-row]').allInnerTexts()).not.toEqual([]);
      const texts = await page.locator('[data-row]').allInnerTexts();
      expect(texts.every((text) => /plan\s*pro/.test(text))).toBe(true);

      await page.goBack();
      await expect.poll(() => page.url()).toContain('prefix=u-0001');
      await page.goto(`${scene().url}/console/#/users?anonymous_id=nobody`);
      await page.getByText('Nobody was found').waitFor();
    });

    test('the events of a user are narrowed by name and day, and one opens', async () => {
      const page = await scene().signedIn('#/users/u-00001');
      await page.getByText('There are no earlier events.').waitFor();
      await page.locator('[data-row]').first().click();
      await page.locator('.details').getByText('Message id').waitFor();
      await page.keyboard.press('Escape');
      expect(await page.locator('.details').count()).toBe(0);

      await page.goto(`${scene().url}/console/#/users/u-00001?event=Page+Viewed&since=2020-01-01`);

      await page.getByText('There are no earlier events like these.').waitFor();
      const names = await page.locator('[data-row] .kind').allInnerTexts();
      expect(new Set(names)).toEqual(new Set(['Page Viewed']));
      await page.goto(`${scene().url}/console/#/users/u-00001?until=2020-01-01`);
      await page.getByText('No events like this.').waitFor();
    });

    test('a time shows its exact instant on focus, in the zone that was chosen', async () => {
      const page = await scene().signedIn('#/users/u-00001');
      await page.getByLabel('Times in').selectOption('utc');

      await page.locator('dd time').first().focus();

      expect(await page.locator('dd time').first().innerText()).toMatch(/^\d+ \w+ 20\d\d, [\d:]{8}\.\d{6} UTC$/);
    });

    test('an anonymous user has a page', async () => {
      const page = await scene().signedIn('#/live?type=track');
      await page.getByText('Listening…').waitFor();
      await scene().service.request('/v1/track', { anonymousId: 'cookie-1', event: 'Looked Around' });

      await page.getByRole('button', { name: 'Looked Around' }).click();
      await page.getByRole('link', { name: 'cookie-1' }).click();

      await page.getByRole('heading', { name: 'Anonymous user' }).waitFor();
      await page.getByText('Looked Around').waitFor();
    });
  });
}
