import { type Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { READ_KEY } from '../../support/service/service.ts';
import { ADMIN_KEY, complaintsOf, type Scene, signIn } from '../scene.ts';
import { expectAccessible } from './screens-tests.ts';
import { teamsOf } from './teams.ts';

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
        await expect.poll(() => focused(page)).toBe('INPUT name');
        await page.getByRole('button', { name: 'Cancel' }).click();
      }
      await page.goto(`${scene().url}/console/#/webhooks`);
      // The button of the head is hidden once there is one in place of the list.
      await page.locator('.empty').getByRole('button', { name: 'New webhook' }).click();
      await expect.poll(() => focused(page)).toBe('INPUT url');
    });

    test('the focus is on the heading of each page that is opened, by a row, a link or Back', async () => {
      const page = await scene().signedIn('#/users');
      await page.locator('main tbody [data-row]').first().click();
      await page.waitForURL(/#\/users\/./);
      await expect.poll(() => focused(page)).toBe('H1');
      await page.getByRole('link', { name: 'Users', exact: true }).last().click();
      await expect.poll(() => focused(page)).toBe('H1');
      await page.goBack();
      await expect.poll(() => page.url()).toMatch(/#\/users\/./);
      await expect.poll(() => focused(page)).toBe('H1');
      await page.getByRole('link', { name: 'Events', exact: true }).first().click();
      await expect.poll(() => focused(page)).toBe('H1');
    });
  });
}

/** How much of the page has moved without a press, as browsers count it. */
const WATCH_SHIFTS = `globalThis.shifts = [];
  new PerformanceObserver((list) => shifts.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true });`;

/** What people keep and hand on: pins, notes, links; and the line that says what is wrong. */
export function testKeeping(scene: () => Scene): void {
  const { call, saveTeam } = teamsOf(scene);

  const remove = async (path: string): Promise<void> => {
    await fetch(`${scene().url}${path}`, { method: 'DELETE', headers: { authorization: `Bearer ${READ_KEY}` } });
  };

  const shiftOf = async (page: Page): Promise<number> =>
    page.evaluate('shifts.reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0)');

  describe('what is pinned to Today', () => {
    const ORDERS = '#/events/Order%20Completed?last=7d&split=trait%3Aplan';

    test('a chart and a list are pinned under a name, everybody sees them with their figure, and they lead there', async () => {
      onTestFinished(async () => remove('/v1/pins/Orders%20of%20a%20week'));
      onTestFinished(async () => remove('/v1/pins/Audiences'));
      const page = await scene().signedIn(ORDERS);
      for (const name of ['Orders of a week', undefined]) {
        await page.locator('summary', { hasText: 'Share' }).click();
        await page.getByRole('button', { name: 'Pin to Today…' }).click();
        if (name !== undefined) await page.getByLabel('Name', { exact: true }).fill(name);
        await page.getByRole('button', { name: 'Pin', exact: true }).click();
        await page.getByText('Pinned to Today.').waitFor();
        await page.getByRole('link', { name: 'Audiences' }).first().click();
        await page.getByRole('heading', { name: 'Audiences', level: 1 }).waitFor();
      }

      const other = await scene().signedIn('#/', { isAdmin: true });
      const pins = other.locator('table.pins');
      await pins.getByRole('row', { name: /Orders of a week.* [\d,]+ events/ }).waitFor();
      await pins.getByRole('link', { name: 'Audiences' }).waitFor();
      await expectAccessible(other, 'Today with pins');
      await pins.getByRole('link', { name: 'Orders of a week' }).click();

      await expect.poll(() => other.url()).toMatch(/#\/events\/Order%20Completed\?.*last=7d&split=trait%3Aplan/);
      expect([...complaintsOf(page), ...complaintsOf(other)]).toEqual([]);
    });

    test('a seventh pin is refused with what to do, and one is taken off by its button', async () => {
      for (let n = 1; n <= 6; n++) {
        onTestFinished(async () => remove(`/v1/pins/Pin%20${n}`));
        await call('PUT', `/v1/pins/Pin%20${n}`, { address: 'live' });
      }
      const page = await scene().signedIn('#/events');
      await page.locator('summary', { hasText: 'Share' }).click();
      await page.getByRole('button', { name: 'Pin to Today…' }).click();
      await page.getByRole('button', { name: 'Pin', exact: true }).click();
      await page.getByRole('alert').getByText('This project has 6 pins').waitFor();
      await page.keyboard.press('Escape');

      await page.getByRole('link', { name: 'Today' }).first().click();
      await page.getByRole('button', { name: 'Unpin Pin 3' }).click();

      await page.getByRole('button', { name: 'Unpin Pin 3' }).waitFor({ state: 'detached' });
      await expect.poll(() => page.locator('table.pins tbody tr').count()).toBe(5);
    });
  });

  test('a note that is written on one chart is on the others, is said by the keyboard, and can be deleted', async () => {
    const page = await scene().signedIn('#/events/Order%20Completed?last=7d');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByLabel('What happened').fill('Sale begins');
    await expectAccessible(page, 'a new note');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('list', { name: 'Notes' }).getByText('Sale begins').waitFor();
    await page.getByRole('slider').focus();
    await page.keyboard.press('End');
    await expect.poll(() => page.getByRole('slider').getAttribute('aria-valuetext')).toContain('Sale begins');
    await page.getByRole('link', { name: 'Today' }).first().click();
    await page.getByRole('slider', { name: 'Events by hour' }).waitFor();
    await expect
      .poll(() => page.getByRole('slider', { name: 'Events by hour' }).getAttribute('aria-valuetext'))
      .toContain('Sale begins');
    await page.goBack();

    await page.getByRole('list', { name: 'Notes' }).getByRole('button', { name: 'Delete' }).click();

    await page.getByRole('list', { name: 'Notes' }).waitFor({ state: 'detached' });
  });

  describe('a link', () => {
    test('a link that was copied leads there after the sign-in, in its project', async () => {
      const page = await scene().signedIn('#/events/Order%20Completed?last=7d');
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.locator('summary', { hasText: 'Share' }).click();
      await page.getByRole('button', { name: 'Copy link' }).click();
      await page.getByRole('status').getByText('Copied.').waitFor();
      const link = await page.evaluate<string>('navigator.clipboard.readText()');

      const other = await scene().newPage();
      await other.goto(link);
      await signIn(other, READ_KEY);

      await other.getByRole('heading', { name: 'Order Completed' }).waitFor();
      expect(other.url()).toBe(link);
      expect(link).toMatch(/last=7d&project=proj_|project=proj_.*last=7d/);
    });

    test('a link of a project that the key does not open says so, and shows nothing of another', async () => {
      const page = await scene().signedIn('#/users?project=proj_00000000000000000000');

      await page.getByRole('heading', { name: 'Another project' }).waitFor();
      expect(await page.getByText('u-00001').count()).toBe(0);
      await expectAccessible(page, 'another project');
      await page.getByRole('link', { name: 'go to your own project' }).click();

      await page.getByRole('heading', { name: 'Today' }).waitFor();
    });
  });

  describe('the line of Today', () => {
    test('a webhook that fails is named there to whoever may read, with a link to it', async () => {
      const audience = await saveTeam('unheard', ['n-1']);
      onTestFinished(async () => remove(`/v1/audiences/${audience.id}`));
      // Nobody listens there.
      const body = {
        url: 'http://127.0.0.1:9/',
        description: 'Survey sender',
        audiences: [audience.id],
        initial: 'members',
      };
      const { id } = await call<{ readonly id: string }>('POST', '/v1/endpoints', body);
      onTestFinished(async () => remove(`/v1/endpoints/${id}`));
      const page = await scene().signedIn();

      await page.getByText('1 issue needs attention').waitFor();
      await page.getByText('The webhook Survey sender fails').waitFor();
      await page.getByText('1 issue needs attention').click();
      await expectAccessible(page, 'a webhook that fails');
      await page.getByRole('link', { name: 'See the webhook' }).first().click();

      await page.getByRole('heading', { name: 'Survey sender' }).waitFor();
    });

    test.each([
      [1280, 'with data'],
      [390, 'with data'],
      [1280, 'that is new'],
    ])('nothing jumps while Today loads, at %i px, of a project %s', async (width, of) => {
      const isNew = of === 'that is new';
      const page = await scene().signedIn('#/users', isNew ? { key: scene().empty.readKey } : {});
      await page.setViewportSize({ width, height: 844 });
      await page.addInitScript(WATCH_SHIFTS);
      // Each answer comes by itself, the slowest last: what stands below what comes late would jump.
      await page.route('**/v1/**', async (route) => {
        const path = new URL(route.request().url()).pathname;
        await new Promise((resolve) => setTimeout(resolve, /status|catalog/.test(path) ? 600 : 300));
        await route.continue();
      });

      await page.goto(`${scene().url}/console/`);
      await page.getByText('All systems normal').waitFor();
      await page.getByRole('slider', { name: 'Events by hour' }).waitFor();
      await page
        .locator(isNew ? '.get-started' : '.today-card .live-row')
        .first()
        .waitFor();

      expect(await shiftOf(page)).toBeLessThan(0.1);
    });
  });
}
