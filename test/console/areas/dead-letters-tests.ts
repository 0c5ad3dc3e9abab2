import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Identify } from '../../../services/messages/message.ts';
import { identify, recordOf } from '../../support/messages/messages.ts';
import { appendToOwnLog } from '../../support/service/own-log.ts';
import { ADMIN_KEY, complaintsOf, type Scene } from '../scene.ts';
import { csvOf } from '../csv-tests.ts';
import { expectAccessible } from './screens-tests.ts';

/** No text of Postgres can have it, and no message that came by HTTP has it: another program wrote these. */
const NUL = '\0';

export function testDeadLetters(scene: () => Scene): void {
  describe('dead letters', () => {
    let projectId = '';

    beforeAll(async () => {
      projectId = await makeProject(scene());
    });

    test('without any the screen says that this is good, and a key that is no admin key is told what it takes', async () => {
      const page = await scene().signedIn('#/dead-letters', { isAdmin: true });
      await page.getByText('No failed messages').waitFor();

      const other = await scene().signedIn('#/dead-letters');

      await other.getByText('This needs an admin key').waitFor();
    });

    test('a message that a store refuses is a dead letter, is edited, and is in the profile', async () => {
      await put(scene(), [refusedBy(projectId, 'a', '{"plan":"pro","balance":12345678901234567.25}')]);
      const page = await opened(scene(), projectId);

      await page.locator('[data-row]').first().click();
      await page.getByText('the database says', { exact: false }).first().waitFor();
      await expect.poll(() => page.getByRole('button', { name: 'Send the corrected message' }).isDisabled()).toBe(true);
      const editor = page.locator('textarea');
      const text = await editor.inputValue();
      expect(text).toContain('12345678901234567.25');
      await editor.fill(text.replace(String.raw`a\u0000`, 'mended').replace('"pro"', '"team"'));
      await page.locator('.diff .added').getByText('"mended"').waitFor();
      await expect.poll(() => page.locator('.diff .removed').count()).toBe(2);
      await page.getByRole('button', { name: 'Try it' }).click();
      await expect.poll(() => page.locator('.trial li.takes').count()).toBe(2);
      await page.getByRole('button', { name: 'Send the corrected message' }).click();

      await page.getByRole('heading', { name: 'Sent, and in the profile of mended.' }).waitFor();
      await page.locator('.sent .steps li.done').nth(2).waitFor();
      await page.locator('.sent .diff .added').getByText('"mended"').waitFor();
      await page.getByText('Why it had not been stored').waitFor();
      await expect
        .poll(() => profileOf(scene(), projectId, 'mended'))
        .toMatch(/"plan": ?"team", ?"balance": ?12345678901234567\.25/);
      await page.goto(`${scene().url}/console/#/users/mended?project=${projectId}`);
      // The timeline beside the traits shows the number too, once it has loaded.
      await page.getByRole('table').getByText('12345678901234567.25').waitFor();
      expect(complaintsOf(page).filter((line) => !line.includes('404'))).toEqual([]);
    });

    test('of a correction that is not valid the place of the fault is shown, and of an unknown id that it is unknown', async () => {
      await put(scene(), [refusedBy(projectId, 'b', '{}')]);
      const page = await opened(scene(), projectId);
      await page.locator('[data-row]').first().click();
      const editor = page.locator('textarea');
      const text = await editor.inputValue();

      await editor.fill(text.replace(/"timestamp": "[^"]+"/, '"timestamp": "soon"').replace(String.raw`b\u0000`, 'b'));
      await page.getByRole('button', { name: 'Try it' }).click();
      await page.getByRole('alert').getByText('timestamp', { exact: true }).first().waitFor();
      await page.getByRole('button', { name: 'Reset' }).click();

      await expect.poll(() => editor.inputValue()).toBe(text);
      await page.goto(`${scene().url}/console/#/dead-letters/tidemark.track%2F0%2F999999`);
      await page.getByText('There is no such dead letter').waitFor();
    });

    test('the list, a dead letter and the question before a drop are accessible in both themes and fit 360 px', async () => {
      const page = await opened(scene(), projectId);

      await expectAccessible(page, 'the list');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.locator('textarea').fill('{"user_id": "b"}');
      await expectAccessible(page, 'a letter');
      await page.getByRole('button', { name: 'Drop…' }).click();
      await expect.poll(() => page.getByRole('dialog').innerText()).toContain('will not be stored');
      await expectAccessible(page, 'the question');
    });

    test('many are dropped and replayed after their count was shown, and a drop asks for the name', async () => {
      await put(scene(), [refusedBy(projectId, 'c', '{}'), refusedBy(projectId, 'd', '{}')]);
      const page = await opened(scene(), projectId, 3);
      expect(await csvOf(page)).toHaveLength(1 + (await page.locator('tbody [data-row]').count()));

      await page
        .getByRole('checkbox', { name: /^Choose identify of / })
        .first()
        .check();
      await page.getByRole('button', { name: 'Replay 1 chosen' }).click();
      await page.getByText('1 message will be processed again').waitFor();
      await page.getByRole('button', { name: 'Replay 1 message' }).click();
      await page.getByText('1 message replayed').waitFor();
      await page.getByRole('button', { name: 'Close' }).last().click();
      await page.getByRole('button', { name: 'Drop all of these' }).click();
      const drop = page.getByRole('button', { name: /^Drop \d messages?$/ });
      await drop.waitFor();
      await expect.poll(() => drop.isDisabled()).toBe(true);
      await page.getByRole('dialog').getByRole('textbox').fill('mending');
      await drop.click();
      await page.getByText(/messages? dropped/).waitFor();
      await page.keyboard.press('Escape');

      await expect.poll(() => page.locator('[data-row]').count()).toBeLessThan(2);
      await page.goto(`${scene().url}/console/#/dead-letters?state=dropped&project=${projectId}`);
      await page.locator('[data-row]').nth(1).waitFor();
    });

    test('the filters are in the address, and Back takes them away', async () => {
      const page = await scene().signedIn('#/dead-letters?state=any', { isAdmin: true });
      await page.locator('[data-row]').first().waitFor();

      await page.getByLabel('Reader').selectOption('projector');
      await expect.poll(() => page.url()).toContain('reader=projector');
      await page.getByLabel('Kind').selectOption('tidemark.identify');
      await expect.poll(() => page.url()).toContain('topic=');
      await page.locator('[data-row]').first().waitFor();
      await page.goBack();
      await expect.poll(() => page.url()).not.toContain('topic=');
      await page.goto(`${scene().url}/console/#/dead-letters?day=2020-01-01&state=any`);

      await page.getByText('No dead letter matches').waitFor();
    });
  });
}

/** The list of this project's, once it has `least`. */
async function opened(scene: Scene, projectId: string, least = 1): Promise<Page> {
  await expect.poll(() => waiting(scene, projectId), { timeout: 30_000 }).toBeGreaterThanOrEqual(least);
  const page = await scene.signedIn(`#/dead-letters?of=${projectId}&project=${projectId}`, { isAdmin: true });
  await page
    .locator('[data-row]')
    .nth(least - 1)
    .waitFor();
  return page;
}

function asAdmin<T>({ service }: Scene, path: string, body?: object): Promise<T> {
  return service.ask(path, body, { key: ADMIN_KEY });
}

async function makeProject(scene: Scene): Promise<string> {
  return (await asAdmin<{ id: string }>(scene, '/v1/admin/projects', { name: 'mending' })).id;
}

async function waiting(scene: Scene, projectId: string): Promise<number> {
  const path = `/v1/admin/dead-letters?project=${projectId}`;
  return (await asAdmin<{ dead_letters: unknown[] }>(scene, path)).dead_letters.length;
}

async function profileOf({ service }: Scene, projectId: string, userId: string): Promise<string> {
  const path = `/v1/users/${userId}?project=${projectId}`;
  return (await service.request(path, undefined, { api_key: ADMIN_KEY })).text();
}

function refusedBy(projectId: string, name: string, traits: string): Identify {
  return identify({ projectId, userId: name + NUL, messageId: `refused-${name}`, traits });
}

async function put(scene: Scene, messages: readonly Identify[]): Promise<void> {
  const records = messages.map((message) => ({ topic: 'tidemark.identify', ...recordOf(message) }));
  await appendToOwnLog(scene.dataDir, records);
}
