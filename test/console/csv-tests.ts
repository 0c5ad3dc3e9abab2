import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Scene } from './scene.ts';

/** The lines of the file that the page saves of its list. */
export async function csvOf(page: Page): Promise<readonly string[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page
      .getByRole('button', { name: /^Download .*CSV$/ })
      .last()
      .click(),
  ]);
  return (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
}

/** Lists as files. */
export function testCsv(scene: () => Scene): void {
  describe('lists as files', () => {
    test('the file of the users has every page of them, as they are searched and with the columns that are shown', async () => {
      const page = await scene().signedIn('#/users?search=u-000');
      await page.getByText('u-00040').waitFor();
      const cursors: (string | undefined)[] = [];
      await page.route('**/v1/users/query', async (route) => {
        const body = route.request().postDataJSON() as { readonly limit: number; readonly cursor?: string };
        cursors.push(body.cursor);
        expect(body.limit).toBe(1_000);
        await route.continue({ postData: JSON.stringify({ ...body, limit: 15 }) });
      });

      const [head, ...lines] = await csvOf(page);

      expect(cursors).toEqual([undefined, expect.any(String), expect.any(String)]);
      expect(head).toMatch(/^user_id,anonymous_id,internal_id,.*first_seen,last_seen.*email/);
      const total = Number((await page.locator('.head > p').innerText()).replaceAll(/\D/g, ''));
      expect(total).toBeGreaterThan(30);
      expect(lines).toHaveLength(total);
      expect(new Set(lines.map((line) => line.split(',')[0])).size).toBe(total);
      const answer = await scene().service.request('/v1/users/u-00001');
      const { traits } = (await answer.json()) as { readonly traits: { readonly email: string } };
      expect(lines.find((line) => line.startsWith('u-00001,'))).toContain(traits.email);
    });

    test('the file of what was rejected, of an event and of the audit log has what the list has', async () => {
      expect((await scene().service.request('/v1/track', { user_id: 'f', event: '' })).status).toBe(400);
      const page = await scene().signedIn('#/live?tab=refusals');
      await page
        .getByRole('row', { name: /^event / })
        .first()
        .waitFor();
      const rejected = await csvOf(page);
      await page.goto(`${scene().url}/console/#/events/Order%20Completed`);
      await page.locator('.newest-row').first().waitFor();

      const [head = '', ...events] = await csvOf(page);

      expect(rejected[0]).toMatch(/key_id.*path.*code.*pointer.*message.*count/);
      expect(rejected.slice(1).join('\n')).toContain('/v1/track');
      expect(head).toMatch(/properties\.total/);
      expect(events.length).toBeGreaterThan(20);
      const admin = await scene().signedIn('#/settings/audit?action=key.create', { isAdmin: true });
      await admin
        .getByRole('row', { name: /^Created a key/ })
        .first()
        .waitFor();
      const [names, ...entries] = await csvOf(admin);
      expect(names).toMatch(/principal\.name/);
      expect(entries.length).toBeGreaterThan(0);
      for (const entry of entries) expect(entry).toContain('key.create');
    });

    test('a file that is cut at its bound says so, and a page that breaks is asked for again', async () => {
      const page = await scene().signedIn('#/live?tab=refusals');
      let requests = 0;
      await page.route('**/v1/refusals?limit=1000', async (route) => {
        requests += 1;
        const rows = Array.from({ length: 1_000_001 }, () => '{"a":"=1+1"}').join(',');
        const whole = `{"refusals":[${rows}],"next_cursor":"x"}`;
        await route.fulfill({ contentType: 'application/json', body: requests === 1 ? whole.slice(0, -2) : whole });
      });

      const lines = await csvOf(page);

      expect(requests).toBe(2);
      expect([lines[0], lines[1], lines.length]).toEqual(['a', "'=1+1", 1_000_002]);
      await page.getByText('The file has the first 1,000,001. There are more.').waitFor();
    });
  });
}
