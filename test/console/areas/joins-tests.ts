import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { projectsOf } from '../projects.ts';
import { ADMIN_KEY, complaintsOf, type Scene } from '../scene.ts';
import { expectAccessible } from './screens-tests.ts';

/** A project that joins ids or may, and what happens in it. */
interface Joining {
  readonly id: string;
  readonly post: (what: 'track' | 'identify', body: object) => Promise<void>;
  /** A page of the project, with an admin key unless another is given. */
  readonly opened: (address: string, key?: string) => Promise<Page>;
  /** The page of whoever is known by an anonymous id alone. */
  readonly openedOf: (anonymousId: string) => Promise<Page>;
}

/** Anonymous ids that are one person with a user: on the pages of users, in the settings, and in why somebody is in an audience. */
export function testJoins(scene: () => Scene): void {
  const { admin, makeProject, makeKey } = projectsOf(scene);

  const call = async <T>(path: string, key: string, project: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${key}`, 'tidemark-project': project, 'content-type': 'application/json' };
    const sent = body !== undefined && { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(scene().url + path, { headers, ...sent });
    expect([200, 201], path).toContain(response.status);
    return (await response.json()) as T;
  };

  const makeJoining = async (name: string, join_ids = true): Promise<Joining> => {
    const { id } = await makeProject(name);
    await admin(`projects/${id}`, 'PATCH', { join_ids });
    const key = await makeKey(id, 'write');
    const opened = async (address: string, of = ADMIN_KEY): Promise<Page> =>
      scene().signedIn(`${address}${address.includes('?') ? '&' : '?'}project=${id}`, { key: of });
    const openedOf = async (anonymousId: string): Promise<Page> => {
      const path = `/v1/users/${anonymousId}?by=anonymous_id`;
      const { internal_id: internal } = await call<{ readonly internal_id: string }>(path, ADMIN_KEY, id);
      return opened(`#/users/${internal}?by=internal_id`);
    };
    const post = async (what: string, body: object): Promise<void> => {
      const { receipt } = await call<{ readonly receipt: string }>(`/v1/${what}`, key, id, body);
      await call(`/v1/receipts/${receipt}?wait=30`, key, id);
    };
    return { id, post, opened, openedOf };
  };

  describe('joined ids', () => {
    test('a user is one person with anonymous ids, each with its message, until one is kept apart', async () => {
      const { id, post, opened, openedOf } = await makeJoining('One person');
      await post('track', { anonymousId: 'dev-1', event: 'Looked Around' });
      for (let i = 1; i <= 7; i++)
        await post('identify', { userId: 'ada', anonymousId: `dev-${i}`, messageId: `signed-in-${i}`, traits: {} });
      const page = await opened('#/users/ada');
      const section = page.getByRole('region', { name: 'One person with 7 anonymous ids' });
      await expect.poll(() => section.locator('tbody tr').count()).toBe(5);
      await expect
        .poll(() => section.locator('tbody tr').first().innerText())
        .toMatch(/^dev-1\s+joined .* · message\s+Keep apart$/);
      await expect.poll(() => section.getByRole('link').first().getAttribute('href')).toContain('message=signed-in-1');
      await section.getByRole('button', { name: 'Show all 7' }).click();
      await section.getByText('dev-7').waitFor();
      await page.getByRole('button', { name: 'Looked Around' }).waitFor();
      await expectAccessible(page, 'a person');
      let looks = 0;
      const before = { json: { internal_id: 'the person before' } };
      await page.route('**/v1/audiences/why', (route) => (looks++ < 2 ? route.fulfill(before) : route.continue()));

      await section.getByRole('button', { name: 'Keep apart dev-1' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Keep apart' }).click();

      await page.getByRole('heading', { name: 'One person with 6 anonymous ids' }).waitFor();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByText('There is nothing earlier.').waitFor();
      expect(await page.getByRole('button', { name: 'Looked Around' }).count()).toBe(0);
      expect(looks).toBeGreaterThan(2);
      expect(complaintsOf(page)).toEqual([]);

      const other = await openedOf('dev-1');
      await other.getByText('Kept apart by Admin key (first start)').waitFor();
      await other.getByRole('button', { name: 'By the rule again' }).click();
      await other.getByRole('dialog').getByRole('button', { name: 'By the rule again' }).click();
      await other.getByRole('heading', { name: 'One person with 7 anonymous ids' }).waitFor();
      expect(complaintsOf(other)).toEqual([]);

      const reader = await opened('#/users/ada', await makeKey(id, 'read'));
      await reader.getByRole('heading', { name: 'One person with 7 anonymous ids' }).waitFor();
      expect(await reader.getByRole('button', { name: /Keep apart/ }).count()).toBe(0);
    });

    test('somebody with an anonymous id alone is said to be a person by itself, and why', async () => {
      const { id, post, openedOf, opened } = await makeJoining('By itself');
      for (const userId of ['ada', 'bob']) await post('identify', { userId, anonymousId: 'tablet', traits: {} });
      for (const anonymousId of ['tablet', 'stranger', 'null']) await post('track', { anonymousId, event: 'Home' });

      await (await openedOf('tablet')).getByText('Shared by 2 people').waitFor();
      await (await openedOf('stranger')).getByText('Not seen with a user yet').waitFor();
      await (await openedOf('null')).getByText('It stands for no id').waitFor();
      const page = await openedOf('stranger');
      await page.route('**/joins/stranger', async (route) => {
        const response = await route.fetch();
        const decision = { says: 'apart', decided_at: '2026-01-01T00:00:00Z', decided_by: 'forgetting' };
        await route.fulfill({ response, json: { ...(await response.json()), state: 'apart', decision } });
      });
      await page.reload();
      await page.getByText('Kept apart since somebody who shared it was forgotten').waitFor();

      // Nothing is new where nothing is joined.
      await admin(`projects/${id}`, 'PATCH', { join_ids: false });
      const plain = await openedOf('tablet');
      await plain.getByText('There is nothing earlier.').waitFor();
      expect(await plain.locator('.by-itself').count()).toBe(0);
      const ada = await opened('#/users/ada');
      await ada.getByText('There is nothing earlier.').waitFor();
      expect(await ada.getByText('One person with').count()).toBe(0);
    });

    test('ids are joined after what would change was said, and why names the id of an event', async () => {
      const { id, post, opened } = await makeJoining('Switched on', false);
      for (const name of ['Home', 'Never Sent'])
        await call('/v1/audiences', ADMIN_KEY, id, { name: `Did ${name}`, definition: { event: name } });
      await post('track', { anonymousId: 'dev-9', event: 'Home' });
      for (const userId of ['ada', 'bob']) await post('identify', { userId, anonymousId: 'tablet', traits: {} });
      await post('identify', { userId: 'ada', anonymousId: 'dev-9', traits: {} });
      const page = await opened(`#/settings/projects/${id}`);
      const section = page.getByRole('region', { name: 'Joined ids' });
      await expect.poll(() => section.locator('dd').allInnerTexts()).toEqual(['1', '1', '0', '0', '0']);
      await expect.poll(() => section.locator('tbody tr').innerText()).toMatch(/^tablet\s+2$/);

      await section.getByRole('button', { name: 'Join ids…' }).click();

      const dialog = page.getByRole('dialog');
      await dialog.getByText('Audiences without a change: 1').waitFor();
      await expect.poll(() => dialog.locator('tbody tr').innerText()).toMatch(/^Did Home\s+1\s+1$/);
      await expectAccessible(page, 'the switch');
      await dialog.getByRole('button', { name: 'Join ids' }).click();
      await section.getByText('This project joins ids').waitFor();
      await section.getByRole('button', { name: 'Stop joining ids…' }).waitFor();
      expect(await admin(`projects/${id}`)).toMatchObject({ join_ids: true });
      expect(complaintsOf(page)).toEqual([]);

      // Processes follow the settings of a project within ten seconds.
      await expect.poll(() => call('/v1/users/ada/events', ADMIN_KEY, id)).toMatchObject({ events: [{}] });
      const user = await opened('#/users/ada');
      await user.getByRole('button', { name: /Did Home/ }).click();
      await expect.poll(() => user.locator('.why .part').innerText()).toMatch(/Once, .* as dev-9/);
    });

    test('a project whose ids cannot be joined says why, and stays as it is', async () => {
      const { id, opened } = await makeJoining('Lacks sightings', false);
      const page = await opened(`#/settings/projects/${id}`);
      const detail = 'Read the log again first: tidemark replay profiles';
      await page.route(`**/v1/admin/projects/${id}`, async (route) => {
        if (route.request().method() !== 'PATCH') return route.fallback();
        const json = { type: 'about:blank', title: 'Conflict', status: 409, code: 'conflict', detail };
        return route.fulfill({ status: 409, contentType: 'application/problem+json', json });
      });

      await page.getByRole('button', { name: 'Join ids…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Audiences without a change: 0').waitFor();
      await dialog.getByRole('button', { name: 'Join ids' }).click();

      await dialog.getByText(detail).waitFor();
      expect(await admin(`projects/${id}`)).toMatchObject({ join_ids: false });
    });
  });
}
