import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { WRITE_KEY } from '../../support/service/service.ts';
import { ADMIN_KEY, complaintsOf, type Scene } from '../scene.ts';
import { expectAccessible } from './screens-tests.ts';

const run = promisify(execFile);

export function testLive(scene: () => Scene): void {
  /** Sends one event, its properties as this JSON text. */
  const track = async (event: string, properties: string, key = WRITE_KEY): Promise<void> => {
    const response = await fetch(`${scene().url}/v1/track`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: `{"user_id":"grace","event":${JSON.stringify(event)},"properties":${properties}}`,
    });
    expect(response.status).toBe(200);
  };

  describe('what comes in', () => {
    test('a message appears as it is recorded, every digit of its numbers there, and is followed into both stores', async () => {
      const page = await scene().signedIn('#/live');
      await page.getByText('Listening…').waitFor();

      await track('Digits Sent', '{"total":12345678901234567890.10,"name":"<b>bold</b>"}');
      await page.getByRole('button', { name: 'Digits Sent' }).click();

      const panel = page.getByRole('complementary', { name: 'Message' });
      await panel.getByText('12345678901234567890.10').waitFor();
      await panel.getByText('"<b>bold</b>"').waitFor();
      await panel.locator('.steps li.done').nth(2).waitFor();
      await panel.locator('.steps li.waiting').first().waitFor({ state: 'detached' });
      await page.keyboard.press('Escape');
      await panel.waitFor({ state: 'detached' });
      expect(complaintsOf(page)).toEqual([]);
    });

    test('a filter is in the address, so that it can be sent, and Copy as… has it without the key', async () => {
      const page = await scene().signedIn('#/live?event=Wanted');
      await page.getByText('Listening…').waitFor();
      await track('Unwanted', '{}');
      await track('Wanted', '{}');

      await page.getByRole('button', { name: /^\S+ ?Wanted/ }).waitFor();

      expect(await page.getByText('Unwanted').count()).toBe(0);
      await page.getByLabel('Copy as…').first().click();
      const command = await page.locator('.command pre').first().innerText();
      expect(command).toContain("/v1/events/live?event=Wanted'");
      expect(command).toContain('Bearer $TIDEMARK_KEY');
      await expect
        .poll(() => page.locator('.command pre').nth(1).innerText())
        .toMatch(/^\.\/tidemark tail --event Wanted --url /);
      await page.getByLabel('User', { exact: true }).fill('grace');
      await page.keyboard.press('Enter');
      await expect.poll(() => page.url()).toContain('user_id=grace');
    });

    test('a paused list stands still and counts what comes', async () => {
      const page = await scene().signedIn('#/live?event=Paused');
      await page.getByText('Listening…').waitFor();
      await page.keyboard.press('p');
      await track('Paused', '{}');
      await page.getByText('Paused · 1 new').waitFor();
      expect(await page.locator('[data-row]').count()).toBe(0);

      await page.keyboard.press('p');

      await page.locator('[data-row]').waitFor();
    });

    test('a stream that is cut goes on by itself', async () => {
      const page = await scene().signedIn('#/users');
      await page.getByText('u-00001').waitFor();
      let isCut = true;
      await page.route('**/v1/events/live**', async (route) => (isCut ? route.abort() : route.continue()));
      await page.goto(`${scene().url}/console/#/live`);
      await page.getByRole('heading', { name: 'The service did not answer' }).waitFor();

      isCut = false;

      await page.getByText('Listening…').waitFor();

      await page.getByText('The service did not answer').waitFor({ state: 'detached' });
    });

    test('an identify that is opened says what it changed, the value before and the new one', async () => {
      const identify = async (traits: object): Promise<unknown> =>
        scene().service.request('/v1/identify', { user_id: 'changer', traits });
      await identify({ plan: 'free' });
      const page = await scene().signedIn('#/live?type=identify&user_id=changer');
      await page.getByText('Listening…').waitFor();
      await identify({ plan: 'pro', seats: 3, language: 'en' });
      await identify({ plan: 'pro', seats: 4 });

      // The one before is in the list, too.
      await page.getByRole('button', { name: /changer.*language/ }).click();

      const changed = page.locator('.changed-traits > div');
      await changed.nth(1).waitFor();
      await expect.poll(() => changed.nth(0).innerText()).toMatch(/^plan\s+free → pro$/);
      await expect.poll(() => changed.nth(1).innerText()).toMatch(/^seats\s+new: 3$/);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /changer.*seats 4/ }).click();
      await expect
        .poll(() => changed.allInnerTexts())
        .toEqual([
          expect.stringMatching(/^plan\s+no change: it had this value$/),
          expect.stringMatching(/^seats\s+3 → 4$/),
        ]);
    });

    test('what was refused is on the second tab, grouped, with how often, why and an example', async () => {
      for (const event of ['', '']) {
        const response = await scene().service.request('/v1/track', { user_id: 'refused', event });
        expect(response.status).toBe(400);
      }
      const page = await scene().signedIn('#/live');
      await page.getByRole('link', { name: 'Rejected', exact: true }).click();
      const row = page.getByRole('row', { name: /^event is missing \/v1\/track .* 2 / });

      await row.getByRole('button').click();

      await page.locator('.details pre', { hasText: '"user_id":"refused"' }).waitFor();
      await page.locator('.details').getByText('Name the event with a text').waitFor();
      await expect.poll(() => page.locator('.details mark').innerText()).toBe('""');
      await expect.poll(() => page.url()).toContain('tab=refusals');
      await page.keyboard.press('Escape');
      await page.locator('.details').waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Accepted' }).click();
      await page.getByText('Listening…').waitFor();
    });

    test('what was refused names its sender and program, and is copied as it should be where that is plain', async () => {
      const headers = {
        authorization: `Bearer ${WRITE_KEY}`,
        'content-type': 'application/json',
        'user-agent': 'shop/1.2',
      };
      const sent = await fetch(`${scene().url}/v1/track`, {
        method: 'POST',
        headers,
        body: '{"user_id":42,"event":"Paid"}',
      });
      expect(sent.status).toBe(400);
      const page = await scene().signedIn('#/live?tab=refusals');

      await page.getByRole('button', { name: 'user_id must be a text' }).click();

      const details = page.locator('.details');
      await details.getByText('Write key (first start)').waitFor();
      await details.getByText('shop/1.2').waitFor();
      await details.getByRole('button', { name: 'Copy corrected request' }).waitFor();
      await expect.poll(() => details.locator('.command pre').innerText()).toContain('{"user_id":"42","event":"Paid"}');
      await expectAccessible(page, 'what was refused');
    });

    test('what came before is listed further back each time it is asked for', async () => {
      const page = await scene().signedIn('#/live');
      const rows = page.locator('[data-row]');
      await expect.poll(() => rows.count()).toBe(50);

      await page.getByRole('button', { name: 'Show earlier' }).click();

      await expect.poll(() => rows.count()).toBe(200);
      await expect.poll(() => page.url()).toContain('recent=200');
    });

    test('an empty project has three steps, which tick themselves, and a key is made and filled in by one button', async () => {
      const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' };
      const answer = await fetch(`${scene().url}/v1/admin/projects`, { headers });
      const { projects } = (await answer.json()) as { projects: readonly { id: string; name: string }[] };
      const id = projects.find(({ name }) => name === 'empty')?.id ?? '';
      const page = await scene().signedIn(`#/?project=${id}`, { isAdmin: true });
      await page.getByRole('heading', { name: 'Get started' }).waitFor();
      await page.getByText('Listening…').waitFor();
      expect(await page.locator('.ticks .done').count()).toBe(0);
      await expectAccessible(page, 'getting started');

      await page.getByRole('button', { name: 'Make a write key and fill it in' }).click();
      await page.getByRole('heading', { name: 'The new key' }).waitFor();
      await page.getByRole('button', { name: 'Copy the key' }).waitFor();
      await page.getByRole('button', { name: 'Node' }).click();
      const program = await page.locator('.get-started .command pre').last().innerText();
      await run(process.execPath, ['--input-type=module', '--eval', program]);

      await expect.poll(() => page.locator('.ticks .done').count()).toBe(2);
      await page.locator('.arrived').getByRole('link', { name: 'Order Completed' }).waitFor();
      await page.locator('.arrived').getByText('Ada Lovelace').waitFor();
      // What was waited for is in the figures, too, without opening the page again.
      await page.getByRole('link', { name: /^Events [1-9]/ }).waitFor();
      const definition = { trait: 'plan', is: 'pro' };
      const saved = await fetch(`${scene().url}/v1/audiences`, {
        method: 'POST',
        headers: { ...headers, 'tidemark-project': id },
        body: JSON.stringify({ name: 'First', definition }),
      });
      expect(saved.status).toBe(201);
      await page.getByRole('heading', { name: 'Get started' }).waitFor({ state: 'detached' });
      // No other copy of it is anywhere.
      expect(program).toContain(await page.locator('.shown-once pre').innerText());
      await page.getByRole('button', { name: 'Done' }).click();
      await page.locator('.shown-once').waitFor({ state: 'detached' });
      // Later tests find the project without audiences.
      const { id: audience } = (await saved.json()) as { id: string };
      const removed = await fetch(`${scene().url}/v1/audiences/${audience}`, {
        method: 'DELETE',
        headers: { ...headers, 'tidemark-project': id },
      });
      expect(removed.status).toBe(200);
    });

    test('what was recorded before Live was opened is there, below a line, and has its receipt', async () => {
      await track('Sent Before', '{"n":1}');
      const page = await scene().signedIn('#/live?event=Sent+Before');
      await page.getByText('Recorded before this page was opened').waitFor();
      await track('Sent Before', '{"n":2}');

      const rows = page.locator('.rows > li');
      await expect.poll(() => rows.allInnerTexts()).toHaveLength(3);
      expect((await rows.allInnerTexts()).map((text) => /n\s+\d|before/.exec(text)?.[0].replace(/\s+/, ' '))).toEqual([
        'n 2',
        'before',
        'n 1',
      ]);
      await rows.last().getByRole('button').click();
      await page.locator('.steps li.done').nth(2).waitFor();
    });

    test('the rows of Live, of Today and of an event have the names of their users', async () => {
      const body = { user_id: 'u-00001', event: 'Done By Name', properties: { n: 1 } };
      expect((await scene().service.request('/v1/track', body)).status).toBe(200);
      const profile = (await (await scene().service.request('/v1/users/u-00001')).json()) as {
        traits: { name: string };
      };
      const page = await scene().signedIn('#/live?event=Done+By+Name');
      await page.locator('.live-row').getByText(profile.traits.name).waitFor();
      await page.goto(`${scene().url}/console/#/`);
      await page.locator('.live-row').getByText(profile.traits.name).first().waitFor();
      await page.goto(`${scene().url}/console/#/events/Done%20By%20Name`);
      await page.locator('.newest-row').getByText(profile.traits.name).waitFor();
    });

    test('the message that is open is in the address, which opens it again', async () => {
      await track('Opened By Address', '{"n":1}');
      const page = await scene().signedIn('#/live?event=Opened+By+Address');
      await page.locator('[data-row]').click();
      await expect.poll(() => page.url()).toMatch(/open=track-\d-\d+/);

      const other = await scene().signedIn(page.url().slice(page.url().indexOf('#')));

      await other.getByRole('complementary', { name: 'Message' }).getByText('Opened By Address').waitFor();
      await other.keyboard.press('Escape');
      await expect.poll(() => other.url()).not.toContain('open=');
      await other.goto(`${scene().url}/console/#/live?open=track-0-999999`);
      await other.getByText('not among the newest').waitFor();
    });

    test('messages that a stream leaves out are counted where they would stand', async () => {
      const page = await scene().signedIn('#/live?event=Left+Out');
      await page.getByText('Listening…').waitFor();
      const batch = Array.from({ length: 400 }, () => ({ type: 'track', userId: 'many', event: 'Left Out' }));

      const response = await scene().service.request('/v1/batch', { batch });

      expect(response.status).toBe(200);
      await page
        .getByText(/\d+ more at .*, not shown/)
        .first()
        .waitFor();
      await expect
        .poll(async () => {
          const hidden = await page.getByText(/more at/).allInnerTexts();
          const left = hidden.reduce((sum, text) => sum + Number(/[\d,]+/.exec(text)?.[0].replace(',', '')), 0);
          return left + (await page.locator('[data-row]').count());
        })
        .toBe(400);
    });

    test('Today does not depend on when it was opened: what was sent before is counted and listed', async () => {
      await track('Front Page', '{}');
      const page = await scene().signedIn();

      await page.getByRole('link', { name: /^\S+ ?Front Page/ }).waitFor();
      const events = page.getByRole('link', { name: /^Events [\d,]+/ });
      await events.waitFor();
      await page.getByRole('link', { name: /^Rejected today/ }).waitFor();
      await page.getByRole('heading', { name: 'Top events' }).waitFor();
      await page.getByRole('slider', { name: 'Events by hour' }).waitFor();
      await page.getByRole('heading', { name: 'Audiences that moved most' }).waitFor();
      await page.getByRole('link', { name: /^\S+ ?Front Page/ }).click();

      await page.locator('.steps li.done').nth(2).waitFor();
      expect(complaintsOf(page)).toEqual([]);
    });
  });
}
