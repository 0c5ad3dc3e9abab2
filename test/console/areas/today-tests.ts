import { type Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ADMIN_KEY, complaintsOf, type Scene } from '../scene.ts';

/** The first minutes of a project, and what stays on its first page. */
export function testToday(scene: () => Scene): void {
  const admin = async (path: string, method: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${scene().url}/v1/admin/${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_KEY}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Record<string, unknown>;
  };

  /** Today of a project of its own, and what sends to it. */
  const opened = async (
    name: string,
  ): Promise<{ page: Page; send: (path: string, body: object) => Promise<number> }> => {
    const { id } = (await admin('projects', 'POST', { name })) as { id: string };
    onTestFinished(async () => void (await admin(`projects/${id}?confirm=${encodeURIComponent(name)}`, 'DELETE')));
    const { key } = (await admin(`projects/${id}/keys`, 'POST', { scopes: ['write'] })) as { key: string };
    const page = await scene().signedIn(`#/?project=${id}`, { isAdmin: true });
    const send = async (path: string, body: object): Promise<number> => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
      return (await fetch(`${scene().url}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
    };
    return { page, send };
  };

  describe('today of a new project', () => {
    test('Today has zeros at once, and the figures of visitors alone, who are named as everywhere', async () => {
      const { page, send } = await opened('Visitors alone');
      await page.getByRole('link', { name: /^Events 0/ }).waitFor();
      await page.getByRole('slider', { name: 'Events by hour' }).waitFor();

      const event = { type: 'track', anonymousId: 'visitor-1', event: 'Page Viewed' };
      expect(await send('batch', { batch: [event, event] })).toBe(200);

      await page.locator('.arrived').getByRole('link', { name: 'visitor-1' }).waitFor();
      await page.getByRole('link', { name: /^Events 2/ }).waitFor();
      await page.reload();
      await page.getByRole('link', { name: /^Events 2/ }).waitFor();
      expect(complaintsOf(page)).toEqual([]);
    });

    test('a message that is rejected is shown where the first is waited for, with what to do', async () => {
      const { page, send } = await opened('Rejected first');
      await page.getByText('Listening…').waitFor();

      expect(await send('track', { event: 'Signed Up' })).toBe(400);

      const arrived = page.locator('.arrived');
      await arrived.getByText('Arrived and rejected').waitFor();
      await arrived.getByText('anonymous_id for a visitor').waitFor();
      await arrived.getByText('"event":"Signed Up"').waitFor();
      expect(await send('track', { user_id: 'ada', event: 'Signed Up' })).toBe(200);
      await arrived.getByRole('link', { name: 'Signed Up' }).waitFor();
      await arrived.getByText('Arrived and rejected').waitFor({ state: 'detached' });
    });
  });

  describe('the focus', () => {
    const focused = async (page: Page): Promise<string> =>
      page
        .locator(':focus')
        .evaluateAll((found: { tagName: string; getAttribute: (name: string) => string | null }[]) =>
          found.map((one) => `${one.tagName} ${one.getAttribute('name') ?? ''}`.trim()).join(),
        );

    test('the caret is in the first field of each form, however often one was opened before', async () => {
      const page = await scene().newPage();
      await page.getByLabel('Key').fill(ADMIN_KEY);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('navigation').first().waitFor();

      await page.goto(`${scene().url}/console/#/settings/keys`);
      for (let time = 0; time < 2; time++) {
        await page.getByRole('button', { name: 'New key' }).click();
        await expect.poll(async () => focused(page)).toBe('INPUT name');
        await page.getByRole('button', { name: 'Cancel' }).click();
      }
      await page.goto(`${scene().url}/console/#/webhooks`);
      // The button of the head is hidden once there is one in place of the list.
      await page.locator('.empty').getByRole('button', { name: 'New webhook' }).click();
      await expect.poll(async () => focused(page)).toBe('INPUT url');
    });

    test('the focus is on the heading of each page that is opened, by a row, a link or Back', async () => {
      const page = await scene().signedIn('#/users');
      await page.locator('main tbody [data-row]').first().click();
      await page.waitForURL(/#\/users\/./);
      await expect.poll(async () => focused(page)).toBe('H1');
      await page.getByRole('link', { name: 'Users', exact: true }).last().click();
      await expect.poll(async () => focused(page)).toBe('H1');
      await page.goBack();
      await expect.poll(async () => page.url()).toMatch(/#\/users\/./);
      await expect.poll(async () => focused(page)).toBe('H1');
      await page.getByRole('link', { name: 'Pipeline' }).count();
      await page.getByRole('link', { name: 'Events', exact: true }).first().click();
      await expect.poll(async () => focused(page)).toBe('H1');
    });
  });
}
