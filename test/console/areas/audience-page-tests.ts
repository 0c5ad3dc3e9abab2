import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { READ_KEY } from '../../support/service/service.ts';
import type { Scene } from '../scene.ts';
import { expectAccessible } from './screens-tests.ts';
import { type Saved, teamsOf } from './teams.ts';

/** What is on the page of one audience, beside who is in it. */
export function testAudiencePage(scene: () => Scene): void {
  const { call, send, sizeOf, evaluate, saveTeam, pageOf } = teamsOf(scene);

  describe('the page of an audience', () => {
    test('each update is a point of the size over time, also three in an hour, and the axis has times', async () => {
      const saved = await saveTeam('sized', ['s-1']);
      await evaluate(saved);
      await send('sized', ['s-2']);
      await expect.poll(() => sizeOf({ trait: 'team', is: 'sized' })).toBe(2);
      await evaluate(saved);
      const page = await pageOf(saved, '?tab=history');
      const chart = page.getByRole('slider', { name: 'Size over time' });

      await chart.focus();
      const valueText = async (): Promise<string | null> => chart.getAttribute('aria-valuetext');
      await expect.poll(valueText).toMatch(/: users 2, joined 1, left 0$/);
      await expect.poll(() => chart.getAttribute('aria-valuemax')).toBe('2');
      await page.keyboard.press('ArrowLeft');

      await expect.poll(valueText).toMatch(/: user 1, joined 0, left 0$/);
      await expect.poll(() => chart.locator('svg text').last().textContent()).toMatch(/^\d+ \w+, \d\d:\d\d$/);
      await page.getByText('As a table').click();
      await expect.poll(() => page.locator('.sizes tbody tr').count()).toBe(3);
    });

    test('the history says what a version changed and who left by it, and one is restored after its effect was seen', async () => {
      const saved = await saveTeam('first', ['v-1', 'v-2']);
      await call('PATCH', `/v1/audiences/${saved.id}`, { definition: { trait: 'team', is: 'nobody' } });
      await evaluate(saved);

      const page = await pageOf(saved, '?tab=history');

      await page.getByText('0 joined and 2 left by it').waitFor();
      const newest = page.locator('.versions > li').first();
      await expect.poll(() => newest.locator('.removed').innerText()).toContain('whose team is first');
      await expect.poll(() => newest.locator('.added').innerText()).toContain('whose team is nobody');
      await expect.poll(() => page.locator('.versions > li').count()).toBe(2);
      await page.getByRole('link', { name: 'Restore this version…' }).click();
      await page.getByText('adds 2').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.summary .size', { hasText: '2 users' }).waitFor();
      const { definition } = (await (await scene().service.request(`/v1/audiences/${saved.id}`)).json()) as {
        definition: unknown;
      };
      expect(definition).toEqual({ trait: 'team', is: 'first' });
    });

    test('while a new definition is counted the size before it is grey, and it is said to be', async () => {
      const saved = await saveTeam('seven', ['d-1', 'd-2', 'd-3']);
      await send('fourteen', ['e-1']);
      await expect.poll(() => sizeOf({ trait: 'team', is: 'fourteen' })).toBe(1);
      const page = await scene().signedIn(
        `#/audiences/${saved.id}/edit?definition=${encodeURIComponent('{"trait":"team","is":"fourteen"}')}`,
      );
      const count = Promise.withResolvers<undefined>();
      await page.route('**/evaluate', async (route) => {
        await count.promise;
        await route.continue();
      });

      await page.getByRole('button', { name: 'Save' }).click();

      await page.getByText('Counting the new definition…').waitFor();
      await page.locator('.summary .stale', { hasText: '3 users' }).waitFor();
      count.resolve(undefined);
      await page.locator('.summary .figure:not(.stale)', { hasText: '1 user' }).waitFor();
      expect(await page.getByText('Counting the new definition…').count()).toBe(0);
    });

    test('a copy begins in the builder with the same conditions and another name, and is counted when it is saved', async () => {
      const saved = await saveTeam('twice', ['t-1', 't-2']);
      const page = await pageOf(saved);

      await page.getByRole('link', { name: 'Duplicate' }).click();

      await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Team twice (copy)');
      await page.getByLabel('Updates').selectOption({ label: 'Updates manually' });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Team twice (copy)' }).waitFor();
      await page.locator('.summary .size', { hasText: '2 users' }).waitFor();
    });

    test('a description and tags are added in their place, and a tag leads to the list of those that have it', async () => {
      const saved = await saveTeam('tagged', ['g-1']);
      const page = await pageOf(saved);
      await page.getByRole('button', { name: 'Add a description or tags' }).click();
      await page.getByLabel('Description', { exact: true }).fill('For the monthly letter.');
      await page.getByLabel('Tags, separated by commas').fill('letter, spring, letter');
      await expectAccessible(page, 'labels');
      await page.getByRole('button', { name: 'Save' }).click();

      await page.getByText('For the monthly letter.').waitFor();
      await page.getByRole('link', { name: 'spring' }).click();

      await page.getByText('Show all').waitFor();
      await expect.poll(() => page.locator('tbody th a.cover').allInnerTexts()).toEqual([saved.name]);
    });

    test('Copy as… has commands that run, with the traits that the page shows, and the SQL', async () => {
      const saved = await saveTeam('used', ['y-1']);
      const page = await pageOf(saved);
      await page.getByLabel('Copy as…').click();

      const command = await page.locator('.command pre').first().innerText();

      const { stdout } = await promisify(execFile)('sh', ['-c', command], {
        env: { ...process.env, TIDEMARK_KEY: READ_KEY },
      });
      expect(stdout).toMatch(/^user_id,anonymous_id,internal_id,name,email,team\ny-1,,[0-9a-f]{64},,,used\n$/);
      const commands = (await page.locator('.command pre').allInnerTexts()).join('\n');
      expect(commands).toContain(`tidemark audience members ${saved.id}`);
      expect(commands).toMatch(new RegExp(`SELECT .*audience = '${saved.id}'`));
    });

    test('an audience that was never counted says why, has its members all the same, and is counted there', async () => {
      await send('never', ['v-1', 'v-2']);
      const definition = { trait: 'team', is: 'never' };
      await expect.poll(() => sizeOf(definition)).toBe(2);
      const saved = await call<Saved>('POST', '/v1/audiences', { name: 'Team never', definition });
      const page = await pageOf(saved);
      await page.getByText('Its updates are manual').waitFor();
      await page.getByRole('link', { name: 'v-2' }).waitFor();

      await page.getByRole('button', { name: 'Count now' }).click();

      await page.locator('.summary .size', { hasText: '2 users' }).waitFor();
      await page
        .locator('.summary')
        .getByText(/^[\d.]+ % of \d+$/)
        .waitFor();
    });

    test('a live audience says when it changed last', async () => {
      const saved = await saveTeam('alive', ['a-1']);
      await call('PATCH', `/v1/audiences/${saved.id}`, { refresh: 'live' });

      const page = await pageOf(saved);

      await page.locator('.summary').getByText('Last change').waitFor({ timeout: 30_000 });
      await page.goto(`${scene().url}/console/#/audiences`);
      await page.getByRole('row', { name: /^Team alive .* live Live last change .*(ago|now)$/ }).waitFor();
    });

    test.each([360, 640])(
      'a page of an audience opens at its top, also where the tabs have no room (%i px)',
      async (width) => {
        const saved = await saveTeam(`narrow-${width}`, ['n-1']);
        const page = await scene().signedIn('#/audiences');
        await page.setViewportSize({ width, height: 400 });

        await page.goto(`${scene().url}/console/#/audiences/${saved.id}?tab=history`);

        await page.locator('.chart svg').waitFor();
        await page.locator('.versions').waitFor();
        expect(await page.evaluate('scrollY')).toBe(0);
      },
    );

    test('how often it is counted is chosen, and not over what somebody else has changed meanwhile', async () => {
      const saved = await saveTeam('chosen', ['c-1']);
      const page = await pageOf(saved);
      const changed = page.waitForResponse((response) => response.request().method() === 'PATCH');
      await page.getByLabel('Updates', { exact: true }).selectOption('1h');
      await changed;
      await expect
        .poll(async () => (await scene().service.request(`/v1/audiences/${saved.id}`)).json())
        .toMatchObject({
          refresh: '1h',
        });
      // The page looks for changes by itself, and must not see this one before the choice.
      const chosen = Promise.withResolvers<void>();
      await page.route(`**/v1/audiences/${saved.id}`, async (route) => {
        if (route.request().method() === 'GET') await chosen.promise;
        await route.fallback();
      });
      await call('PATCH', `/v1/audiences/${saved.id}`, { name: 'Team renamed' });

      await page.getByLabel('Updates', { exact: true }).selectOption('');

      await page.getByText('The audience was changed after you opened this page').waitFor();
      chosen.resolve();
      await page.getByRole('heading', { name: 'Team renamed' }).waitFor();
    });

    test('the newest update of a live audience grows while it is open, and has every user', async () => {
      const saved = await saveTeam('growing', ['g-1']);
      await call('PATCH', `/v1/audiences/${saved.id}`, { refresh: 'live' });
      await expect
        .poll(async () => (await scene().service.request(`/v1/audiences/${saved.id}`)).json(), { timeout: 30_000 })
        .toMatchObject({ live_through: expect.any(String) as string });
      const page = await pageOf(saved, '?tab=changes');
      const names = () => page.locator('.changed-users li').allInnerTexts();
      // An update has the changes of one minute: whoever comes when the next has begun is the first of another.
      let most = 0;
      for (let number = 2; number < 6 && most < 2; number += 1) {
        await send('growing', [`g-${number}`]);
        await expect.poll(names, { timeout: 30_000 }).toContainEqual(expect.stringContaining(`g-${number}`));
        // The list may be drawn again at this moment, and one more come then.
        most = Math.max(most, (await names()).length);
      }

      expect(most).toBeGreaterThanOrEqual(2);
      // Two of them where the minute turned meanwhile.
      await page.getByRole('cell', { name: 'live', exact: true }).first().waitFor();
    });

    test('Update now counts', async () => {
      const saved = await saveTeam('now', ['q-1']);
      await send('now', ['q-2']);
      await expect.poll(() => sizeOf({ trait: 'team', is: 'now' })).toBe(2);
      const page = await pageOf(saved);

      await page.getByRole('button', { name: 'Update now' }).click();

      await page.locator('.summary .size', { hasText: '2 users' }).waitFor();
    });

    test.each([
      ['members', '', '.users tbody tr'],
      ['changes', '?tab=changes', '.changed-users li'],
      ['history', '?tab=history', '.chart svg'],
    ])('the %s of an audience are accessible in both themes and fit 360 px', async (name, query, whole) => {
      const saved = await saveTeam(`axe-${name}`, ['x-1', 'x-2']);

      const page = await pageOf(saved, query);

      await page.locator(whole).first().waitFor();
      if (name === 'members') await page.getByRole('button', { name: 'x-1' }).click();
      if (name === 'members') await page.locator('.why .part').waitFor();
      await expectAccessible(page, name);
    });
  });
}
