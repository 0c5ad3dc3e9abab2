import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { projectsOf } from '../projects.ts';
import { complaintsOf, type Scene } from '../scene.ts';
import { expectAccessible } from './screens-tests.ts';

export function testSettings(scene: () => Scene): void {
  const { admin, removeAfterwards, makeProject, makeKey } = projectsOf(scene);

  const opened = async (address: string): Promise<Page> => scene().signedIn(address, { isAdmin: true });

  const statusWith = async (key: string): Promise<number> =>
    (await fetch(`${scene().url}/v1/users?prefix=`, { headers: { authorization: `Bearer ${key}` } })).status;

  describe('settings', () => {
    test('a project is made, and can be chosen at once', async () => {
      const page = await opened('#/settings');
      await page.getByRole('link', { name: 'default' }).waitFor();

      await page.getByRole('button', { name: 'New project' }).click();
      await page.getByLabel('Name').fill('Made by clicking');
      await page.getByLabel('Time zone').fill('Europe/Berlin');
      await page.keyboard.press('Enter');

      await page.getByRole('heading', { name: 'Made by clicking' }).waitFor();
      removeAfterwards(/proj_\w+/.exec(page.url())?.[0] ?? '');
      const choice = page.getByRole('combobox', { name: 'Project', exact: true });
      await choice.selectOption({ label: 'Made by clicking' });
      await expect.poll(() => page.url()).toMatch(/#\/settings\?project=proj_/);
      expect(complaintsOf(page)).toEqual([]);
    });

    test('only what was changed of a project is changed, and what is refused says why', async () => {
      const { id } = await makeProject('Changed by clicking');
      const page = await opened(`#/settings/projects/${id}`);
      await page.getByText('Limits', { exact: true }).click();
      await page.getByLabel('Requests a second').fill('many');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByText('correct what is marked').waitFor();
      await page.locator('label', { hasText: 'Requests a second' }).getByText('whole number').waitFor();
      const sent = page.waitForRequest((request) => request.method() === 'PATCH');

      await page.getByLabel('Requests a second').fill('250');
      await page.getByRole('button', { name: 'Save' }).click();

      expect((await sent).postData()).toBe('{"rate_limit":250}');
      // The page has not asked for the project again.
      const again = Promise.withResolvers<void>();
      await page.route(`**/v1/admin/projects/${id}`, async (route) => {
        if (route.request().method() === 'GET') await again.promise;
        await route.fallback();
      });
      await page.getByText('Project saved.').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Nothing was changed.').waitFor();
      again.resolve();
      expect(await admin(`projects/${id}`)).toMatchObject({ rate_limit: 250 });
    });

    test('the traits that users are called by are chosen for a project, and lists use them', async () => {
      const { id } = await makeProject('Called by company');
      const page = await opened(`#/settings/projects/${id}`);
      await page.getByLabel('Call users by the first of these traits').fill('company, name');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect.poll(() => admin(`projects/${id}`)).toMatchObject({ name_traits: ['company', 'name'] });
      const key = await makeKey(id, 'write');
      const sent = await fetch(`${scene().url}/v1/identify`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ user_id: 'c-1', traits: { name: 'Ada', company: 'Analytical Engines' } }),
      });
      expect(sent.status).toBe(200);

      await page.goto(`${scene().url}/console/#/live?project=${id}`);
      await page.locator('.live-row .user-cell').getByText('Analytical Engines').waitFor();
    });

    test('what somebody else changed meanwhile is not overwritten', async () => {
      const { id } = await makeProject('Changed by two');
      const page = await opened(`#/settings/projects/${id}`);
      await page.getByLabel('Name').fill('Renamed by clicking');
      await admin(`projects/${id}`, 'PATCH', { rate_limit: 7 });

      await page.getByRole('button', { name: 'Save' }).click();

      await page.getByText('Someone else changed this project.').waitFor();
      expect(await admin(`projects/${id}`)).toMatchObject({ name: 'Changed by two', rate_limit: 7 });
      await page.getByRole('button', { name: 'Show the new version' }).click();
      await expect.poll(() => page.getByLabel('Requests a second').inputValue()).toBe('7');
    });

    test('how long events are kept is changed after what goes was said, with the name typed', async () => {
      const { id } = await makeProject('Keeps a year');
      const old = { user_id: 'old', event: 'Bought', timestamp: '2021-01-01T00:00:00Z' };
      await scene().service.request('/v1/track', old, { api_key: await makeKey(id, 'write') });
      await expect
        .poll(() => admin(`projects/${id}/old-events?keep_events=12mo`), { timeout: 30_000 })
        .toMatchObject({ events: 1 });
      const page = await opened(`#/settings/projects/${id}`);
      const section = page.getByRole('region', { name: 'Kept events' });
      await section.getByText('Events are kept for ever.').waitFor();

      await section.getByRole('button', { name: 'Change how long events are kept' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.locator('[name=months]:focus').waitFor();
      await page.keyboard.type('12');

      await expect.poll(() => dialog.locator('dd').allInnerTexts()).toEqual(['1', '1', expect.any(String)]);
      await expectAccessible(page, 'kept events');
      const change = dialog.getByRole('button', { name: 'Delete older events' });
      await expect.poll(() => change.isDisabled()).toBe(true);
      await dialog.getByLabel('To confirm').fill('Keeps a year');
      await change.click();
      await section.getByText('Events are kept for 12 months.').waitFor();
      expect(await admin(`projects/${id}`)).toMatchObject({ keep_events: '12mo' });
      expect(complaintsOf(page)).toEqual([]);
    });

    test('a project is deleted with its keys after its name was typed, and what it has is said first', async () => {
      const { id } = await admin<{ readonly id: string }>('projects', 'POST', { name: 'Deleted by clicking' });
      await makeKey(id, 'read');
      const page = await opened(`#/settings/projects/${id}`);
      await page.getByRole('button', { name: 'Delete…' }).click();
      const remove = page.getByRole('button', { name: 'Delete the project' });
      await page.getByRole('dialog').getByText('keys in use').waitFor();
      await expect.poll(() => page.getByRole('dialog').locator('dd').allInnerTexts()).toEqual(['0', '0', '1']);
      await expect.poll(() => remove.isDisabled()).toBe(true);
      await page.getByLabel('To confirm').fill('Deleted by clicking');

      await remove.click();

      await page.getByRole('heading', { name: 'Projects' }).waitFor();
      expect(await admin(`projects/${id}`)).toMatchObject({ status: 404 });
      expect(complaintsOf(page)).toEqual([]);
    });

    test('a key is shown once, opens what was chosen, and is revoked after its name was typed', async () => {
      const { id } = await makeProject('With keys');
      const page = await opened(`#/settings/projects/${id}`);
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByLabel('Used by').fill('Reports');
      await page.getByRole('checkbox', { name: /^read/ }).check();
      await page.getByRole('button', { name: 'Create key' }).click();
      const text = (await page.locator('.shown-once pre').innerText()).trim();
      expect(await statusWith(text)).toBe(200);
      await page.getByRole('row', { name: /^Reports/ }).waitFor();

      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByText(text).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Revoke Reports' }).click();
      await page.getByLabel('To confirm').fill('Report');
      await page.keyboard.press('Enter');
      await expect.poll(() => page.getByRole('dialog').isVisible()).toBe(true);
      await page.getByLabel('To confirm').fill('Reports');
      await page.keyboard.press('Enter');

      await page.getByRole('row', { name: /^Reports.*revoked/ }).waitFor();
      await expect.poll(() => statusWith(text)).toBe(401);
    });

    test('an invitation has the address, the name and a key that signs in, to be copied in one piece', async () => {
      const { id } = await makeProject('With people');
      const page = await opened(`#/settings/projects/${id}`);
      await page.getByRole('button', { name: 'Invite…' }).click();
      await page.getByLabel('Name of the person').fill('Anna');
      expect(await page.getByRole('checkbox', { name: /^write/ }).count()).toBe(0);
      await page.getByRole('button', { name: 'Make the invitation' }).click();
      await page.getByRole('heading', { name: 'Send this to Anna' }).waitFor();
      const text = await page.locator('.shown-once pre').innerText();

      expect(text).toContain(`Tidemark: ${scene().url}/console/`);
      expect(text).toContain('It is for Anna alone, and opens: read, audiences.');
      await page.getByRole('button', { name: 'Copy the invitation' }).waitFor();
      await expectAccessible(page, 'an invitation');
      const other = await scene().newPage();
      await other.getByLabel('Key').fill(/key: (\S+)/.exec(text)?.[1] ?? '');
      await other.getByRole('button', { name: 'Sign in' }).click();
      await other.getByRole('link', { name: 'Settings' }).click();
      await other.getByText('Anna').waitFor();
    });

    test('the key of the session is marked, and its revocation says that it ends the session', async () => {
      const page = await opened('#/settings/keys');
      await page.getByText('This session').waitFor();

      await page
        .getByRole('row', { name: /This session/ })
        .getByRole('button')
        .click();

      await page.getByText('You signed in with this key').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    });

    test('the audit log has who changed what, before and after, and is filtered by the address', async () => {
      const { id } = await makeProject('Audited');
      await admin(`projects/${id}`, 'PATCH', { timezone: 'Asia/Tokyo' });
      const page = await opened(`#/settings/audit?action=project.change&of_project=${id}`);
      await expect.poll(() => page.locator('main tbody tr').count()).toBe(1);
      await expect.poll(() => page.locator('main tbody tr').innerText()).toMatch(/Changed a project[^]*Audited/);

      await page.keyboard.press('j');
      await page.keyboard.press('Enter');

      await expect.poll(() => page.locator('.diff-line.removed').innerText()).toContain('"timezone": "UTC"');
      await expect.poll(() => page.locator('.diff-line.added').innerText()).toContain('"timezone": "Asia/Tokyo"');
      await page.getByRole('combobox', { name: 'By', exact: true }).selectOption({ label: 'the service' });
      await page.getByText('No such change').waitFor();
      await page.goBack();
      await page.getByRole('row', { name: /Changed a project/ }).waitFor();
    });

    test('the installation says its version and processes, and nothing of the passwords of its stores', async () => {
      const page = await opened('#/settings/installation');
      await page.getByRole('heading', { name: 'Processes' }).waitFor();

      const { version } = await admin<{ readonly version: string }>('status');

      await expect.poll(() => page.locator('.installation').innerText()).toContain(version);
      await page.getByText('They are in its environment', { exact: false }).waitFor();
      expect(await page.locator('main').innerText()).not.toMatch(/:\/\/[^/\s]*:[^/\s]*@/);
    });

    test('who signed in with another key sees the own session alone, and a link to another page says what it needs', async () => {
      const page = await scene().signedIn('#/settings');
      await page.getByText('Ends at the latest').waitFor();
      const tabs = page.getByRole('list', { name: 'Settings' }).getByRole('link');
      await expect.poll(() => tabs.allInnerTexts()).toEqual(['Your session']);
      await page.goto(`${scene().url}/console/#/settings/audit`);
      await page.getByText('This needs an admin key').waitFor();
      expect(complaintsOf(page)).toEqual([]);

      await page.getByRole('link', { name: 'Your session' }).click();
      await page.getByRole('button', { name: 'Sign out of this browser' }).click();

      await page.getByRole('button', { name: 'Sign in' }).waitFor();
    });
  });
}
