import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { ADMIN_KEY, complaintsOf, type Scene } from '../scene.ts';
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

/** Answers that this is the only verification that there was, by the service itself. */
async function serveLast(page: Page, found: typeof DIFFERENT): Promise<void> {
  const { finished_at: at, result } = found.verification;
  const last = { finished_at: at, hours_compared: result.hours_compared, missing: NONE, surplus: NONE };
  await page.route('**/v1/admin/verifications?**', async (route) =>
    route.fulfill({ json: { verifications: [], next_cursor: null, last } }),
  );
  await page.route('**/v1/admin/verifications/last?**', async (route) => route.fulfill({ json: found }));
}

export function testPipeline(scene: () => Scene): void {
  const open = (address = '#/pipeline'): Promise<Page> => scene().signedIn(address, { isAdmin: true });

  describe('the pipeline', () => {
    test('an admin key sees the way of messages, and the partitions of the part that is pressed', async () => {
      const page = await open();
      await page.getByText('All systems normal').waitFor();
      for (const name of ['Incoming', 'Event log', 'Profile writer', 'Analytics writer', 'Profiles', 'Analytics'])
        await page.locator('svg.pipeline').getByText(name, { exact: true }).waitFor();

      await page.getByRole('link', { name: /^Analytics writer/ }).click();

      await page.getByRole('heading', { name: 'Partitions that the analytics writer reads' }).waitFor();
      await page.getByRole('columnheader', { name: 'Not in analytics' }).waitFor();
      await expect.poll(() => page.url()).toContain('partitions=analytics');
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { name: /^Partitions/ }).waitFor({ state: 'detached' });
      expect(complaintsOf(page)).toEqual([]);
    });

    test('a verification is started, followed and shown by hour, and its address can be sent', async () => {
      const page = await open();
      await page.getByRole('button', { name: 'Verify now' }).click();
      await expect.poll(() => page.url()).toContain('verification=job_');

      await page.getByText('Everything is there').waitFor();

      await expect.poll(() => page.locator('.hours tbody tr').count()).toBeGreaterThan(0);
      await expect.poll(() => page.locator('.hours tbody').innerText()).toContain('default');
      await page.getByLabel('Only hours that differ').check();
      await page.getByText('No hour differs.').waitFor();
      await expect.poll(() => page.url()).toContain('differing=true');
    });

    test('the verification that ended last is shown, begun by an operator or by the service', async () => {
      const asAdmin = { key: ADMIN_KEY };
      const { id } = await scene().service.ask<{ id: string }>('/v1/admin/verifications', { since: '24h' }, asAdmin);
      const page = await open();

      await page.getByText(/Everything is there, up to \d\d:\d\d: \d+ hours? compared, none differs/).waitFor();
      await expect.poll(() => page.getByLabel('Which verification').inputValue()).toBe(id);
    });

    test('a check in whose hours nothing had arrived is no good news', async () => {
      const page = await scene().signedIn('#/users', { isAdmin: true });
      const verification = {
        ...DIFFERENT.verification,
        result: { equal: true, hours_compared: 0, hours_different: 0 },
      };
      await serveLast(page, { ...DIFFERENT, verification, hours: [] });
      await page.goto(`${scene().url}/console/#/pipeline`);
      await page.getByText('Not checked yet: nothing had arrived in the hours of this check.').waitFor();
    });

    test('the disk says when it is full, and each store how much it grows a day, but not that it shrinks', async () => {
      const page = await open('#/settings/installation');
      await page.route('**/v1/admin/status', async (route) => {
        const answer = await route.fetch();
        const status = (await answer.json()) as { disk: object };
        const since = '2026-11-17T06:00:00.000000Z';
        const growth = {
          log: { bytes_a_day: 3 * 2 ** 30, since },
          profiles: null,
          analytics: { bytes_a_day: -1_000, since },
        };
        const disk = { ...status.disk, full_at: '2026-12-18T23:30:00.000000Z' };
        const sizes = { log: 2 ** 20, profiles: 2 ** 21, analytics: 2 ** 22 };
        return route.fulfill({ json: { ...status, disk, growth, stored_bytes: sizes } });
      });
      await page.reload();

      await page.getByText(', full on 18 Dec 2026 at this rate').waitFor();
      await expect
        .poll(() => page.locator('.machine dd').allTextContents())
        .toEqual(['1.0 MiB, +3.0 GiB a day since 17 Nov 2026', '2.0 MiB', '4.0 MiB']);
    });

    test('what is wrong is said first, with what to do, and the hours that differ are marked', async () => {
      const page = await scene().signedIn('#/users', { isAdmin: true });
      await serveLast(page, DIFFERENT);
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

      await page.getByText('1 issue needs attention').waitFor();
      await page.getByText('Find out why its store does not answer.').waitFor();
      const documentation = page.getByRole('link', { name: 'Documentation' });
      await expect.poll(() => documentation.getAttribute('href')).toMatch(/docs\/operations\.md#stuck-cannot--code$/);
      await page.getByText('12,345 waiting').waitFor();
      await page.getByText('4 minutes behind').waitFor();
      await page.getByText('A store differs from the log').waitFor();
      await expect.poll(() => page.locator('tr.differs .wrong').innerText()).toMatch(/^1,239\s+1 missing$/);
      await expectAccessible(page, 'what is wrong');
      await page.setViewportSize({ width: 360, height: 740 });
      await page.locator('svg.pipeline.column').waitFor();
    });

    test('messages that failed are not said to be missing, nor that everything is there', async () => {
      const page = await scene().signedIn('#/users', { isAdmin: true });
      const result = { equal: true, hours_compared: 3, hours_different: 0 };
      await serveLast(page, { ...DIFFERENT, verification: { ...DIFFERENT.verification, result } });
      await page.route('**/v1/admin/status', async (route) => {
        const answer = await route.fetch();
        const letters = { messages: 2, waiting: { projector: 2 }, counted_all: true };
        return route.fulfill({ json: { ...((await answer.json()) as object), dead_letters: letters } });
      });
      await page.goto(`${scene().url}/console/#/pipeline`);
      await page.getByText(/All stored, except 2 messages that failed, up to/).waitFor();
      expect(await page.getByText('Everything is there').count()).toBe(0);

      await page.getByRole('link', { name: '2 messages that failed' }).click();

      await page.getByRole('heading', { name: 'Dead letters', level: 1 }).waitFor();
    });

    test('the drawing stays side by side down to the width of a small laptop, and its texts keep their size', async () => {
      const page = await open();
      const log = page.locator('svg.pipeline').getByText('Event log', { exact: true });
      const heights: number[] = [];
      for (const [width, name] of [
        [1280, 'wide'],
        [1024, 'wide'],
        [900, 'column'],
        [360, 'column'],
      ] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.locator(`svg.pipeline.${name}`).waitFor();
        heights.push(Math.round((await log.boundingBox())?.height ?? 0));
      }

      expect(new Set(heights).size).toBe(1);
    });

    test('an alert leads to the screen where something is done about it', async () => {
      const page = await scene().signedIn('#/users', { isAdmin: true });
      await page.route('**/v1/admin/status', async (route) => {
        const answer = await route.fetch();
        const link = 'docs/dead-letters.md';
        const attention = [{ code: 'dead_letters_waiting', reason: '4 dead letters wait', link }];
        const letters = { messages: 4, waiting: { projector: 4, sink: 1 }, counted_all: true };
        return route.fulfill({ json: { ...((await answer.json()) as object), attention, dead_letters: letters } });
      });
      await page.goto(`${scene().url}/console/#/`);
      await page.getByText('1 issue needs attention').waitFor();
      await page.getByRole('link', { name: /^Dead letters\s*4/ }).waitFor();

      await page.getByRole('link', { name: 'See the dead letters' }).click();

      await page.getByRole('heading', { name: 'Dead letters' }).waitFor();
    });

    test('a service that stops answering is said to, over what it last told', async () => {
      const page = await open();
      await page.getByText('All systems normal').waitFor();

      await page.route('**/v1/admin/status', async (route) => route.abort());

      await page.getByRole('heading', { name: 'The service did not answer' }).waitFor();
      await page.getByText('This is its last known state.').waitFor();
      await page.unroute('**/v1/admin/status');
      await page.getByText('All systems normal').waitFor();
    });
  });

  describe('today', () => {
    test('one line says whether all works and what waits, nothing else where all is well, and opens to the parts', async () => {
      const page = await scene().signedIn();

      await page.getByText('All systems normal').waitFor();
      await page.getByText('new events appear after that').waitFor({ state: 'hidden' });
      await expect.poll(() => page.locator('.health').innerText()).toBe('All systems normal');
      await page.getByText('All systems normal').click();

      await page.locator('.parts').getByText('Analytics writer').first().waitFor();
    });

    test('an admin key is led from that line to the pipeline', async () => {
      const page = await scene().signedIn('#/', { isAdmin: true });

      await page.getByText('All systems normal').click();
      await page.getByRole('link', { name: 'See the pipeline' }).click();

      await page.getByRole('heading', { name: 'Pipeline' }).waitFor();
    });
  });
}
