import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { complaintsOf, type Scene } from '../scene.ts';
import { expectAccessible } from './screens-tests.ts';

const NONE = { postgres: 0, clickhouse: 0 };

/** A verification that found one message missing in analytics. */
const DIFFERENT = {
  verification: {
    id: 'last',
    kind: 'verify',
    principal: 'service',
    state: 'done',
    created_at: '2026-11-24T14:00:03.000000Z',
    finished_at: '2026-11-24T14:00:04.000000Z',
    progress: null,
    seconds_left: null,
    problem: null,
    result: { equal: false, hours_compared: 3, hours_different: 1 },
  },
  hours: [
    {
      project: 'proj_x',
      hour: '2026-11-24T13:00:00.000000Z',
      messages: 1_240,
      repeats: 2,
      postgres: { expected: 1_242, found: 1_242 },
      clickhouse: { expected: 1_240, found: 1_239 },
      not_yet: NONE,
      equal: false,
    },
  ],
  next_cursor: null,
};

export function testPipeline(scene: () => Scene): void {
  const open = (address = '#/pipeline'): Promise<Page> => scene().signedIn(address, { isAdmin: true });

  describe('the pipeline', () => {
    test('an admin key sees the way of messages, and the partitions of the part that is pressed', async () => {
      const page = await open();
      await page.getByText('All is well').waitFor();
      for (const name of ['Coming in', 'Event log', 'Projector', 'Sink', 'Profiles', 'Analytics'])
        await page.locator('svg.pipeline').getByText(name, { exact: true }).waitFor();

      await page.getByRole('link', { name: /^Sink/ }).click();

      await page.getByRole('heading', { name: 'Partitions that the sink reads' }).waitFor();
      await page.getByRole('columnheader', { name: 'Not in analytics' }).waitFor();
      expect(page.url()).toContain('partitions=analytics');
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { name: /^Partitions/ }).waitFor({ state: 'detached' });
      expect(complaintsOf(page).filter((line) => !line.includes('404'))).toEqual([]);
    });

    test('a verification is started, followed and shown by hour, and its address can be sent', async () => {
      const page = await open();
      await page.getByRole('button', { name: 'Verify now' }).click();
      await expect.poll(() => page.url()).toContain('verification=job_');

      await page.getByText('Everything is there.').waitFor();

      await expect.poll(() => page.locator('.hours tbody tr').count()).toBeGreaterThan(0);
      await expect.poll(async () => page.locator('.hours tbody').innerText()).toContain('default');
      await page.getByLabel('Only what differs').check();
      await page.getByText('No hour differs.').waitFor();
      await expect.poll(() => page.url()).toContain('differing=true');
    });

    test('what is wrong is said first, with what to do, and the hours that differ are marked', async () => {
      const page = await scene().signedIn('#/users', { isAdmin: true });
      await page.route('**/v1/admin/verifications/last?**', async (route) => route.fulfill({ json: DIFFERENT }));
      await page.route('**/v1/admin/status', async (route) => {
        const answer = await route.fetch();
        const status = (await answer.json()) as { readers: object };
        const stuck = { state: 'stuck: cannot insert (STORE_UNAVAILABLE)', messages_per_second: 0 };
        const sink = { ...stuck, lag_messages: 12_345, lag_seconds: 240.5 };
        const link = 'docs/operations.md#stuck-cannot--code';
        const attention = [{ code: 'reader_stuck', reason: 'sink is stuck', link }];
        return route.fulfill({ json: { ...status, readers: { ...status.readers, sink }, attention } });
      });

      await page.goto(`${scene().url}/console/#/pipeline`);

      await page.getByText('One thing wants attention').waitFor();
      await page.getByText('See why its store does not answer.').waitFor();
      await page.getByText('docs/operations.md#stuck-cannot--code').waitFor();
      await page.getByText('12,345 wait').waitFor();
      await page.getByText('4 min behind').waitFor();
      await page.getByText('A store differs from the log.').waitFor();
      await expect.poll(async () => page.locator('tr.differs .wrong').innerText()).toMatch(/^1,239\s+1 missing$/);
      await expectAccessible(page, 'what is wrong');
      await page.setViewportSize({ width: 360, height: 740 });
      await page.locator('svg.pipeline.column').waitFor();
    });

    test('a service that stops answering is said to, over what it last told', async () => {
      const page = await open();
      await page.getByText('All is well').waitFor();

      await page.route('**/v1/admin/status', async (route) => route.abort());

      await page.getByRole('heading', { name: 'The service did not answer' }).waitFor();
      await page.getByText('What is below was so before that.').waitFor();
      await page.unroute('**/v1/admin/status');
      await page.getByText('All is well').waitFor();
    });
  });

  describe('today', () => {
    test('the project is told in sentences what came, what waits and what is missing', async () => {
      const page = await scene().signedIn();

      await page
        .getByText(/messages in this hour.* in the hour before\. (?:None was|\d+ (?:was|were)) refused today\./)
        .waitFor();
      await page.getByText(/Nothing waits|behind/).waitFor();
      await page.getByText(/counted against the log/).waitFor();
    });

    test('an admin key is told what wants attention, and nothing else where nothing does', async () => {
      const page = await scene().signedIn('#/', { isAdmin: true });

      await page.getByText('Nothing wants attention.').waitFor();
      await page.getByRole('link', { name: 'See the pipeline' }).click();

      await page.getByRole('heading', { name: 'Pipeline' }).waitFor();
    });
  });
}
