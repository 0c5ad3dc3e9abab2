import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { complaintsOf, type Scene } from '../scene.ts';
import { csvOf } from '../csv-tests.ts';
import { expectAccessible, violationsOf } from './screens-tests.ts';

const CSV = [
  'Email,Action,Amount',
  ...Array.from({ length: 60 }, (_, n) => `${n === 3 ? '' : 'a@x.org'},Imported,${n}`),
];

interface Property {
  readonly name: string;
  readonly types: readonly { readonly type: string }[];
}

/** In the page: what a mouse has with it that drags a file of this text. */
const dragged = (text: string): string => `(() => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([${JSON.stringify(text)}], 'shop.csv', { type: 'text/csv' }));
  return transfer;
})()`;

async function chooseFile(page: Page, name: string, text: string): Promise<void> {
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('heading', { name: 'The first rows' }).waitFor();
}

export function testReplays(scene: () => Scene): void {
  describe('replays and imports', { timeout: 180_000 }, () => {
    test('a file is chosen, its columns are mapped, it is checked and imported, and its refused lines are read', async () => {
      const page = await scene().signedIn('#/imports', { isAdmin: true });
      await page.getByText('No imports yet').waitFor();
      await expectAccessible(page, 'no imports');
      await page.getByRole('link', { name: 'Import a file' }).first().click();
      await page.getByRole('heading', { name: 'Drop a file here' }).waitFor();
      await expectAccessible(page, 'choosing');

      await chooseFile(page, 'history.csv', `${CSV.join('\n')}\n`);
      // It is shown as what it seems to be.
      await expect.poll(() => page.getByLabel('Each row is').inputValue()).toBe('track');
      await expect.poll(() => page.getByLabel('What the cells of Amount are').inputValue()).toBe('number');
      await page.getByLabel('What the column Action is').selectOption('user_id');
      await page.getByLabel('What the column Action is').selectOption('event');
      await page.getByText('1 of these 20 would be rejected').waitFor();
      await expect.poll(() => page.url()).toContain('map=Email%3Duser_id%26Action%3Devent');
      // What is wrong with a value stands in its cell.
      await expect.poll(() => page.locator('.wrong-cell').allInnerTexts()).toEqual(['is missing']);
      await expect.poll(() => page.locator('tr.wrong td').first().getAttribute('class')).toBe('wrong-cell');
      await expectAccessible(page, 'mapping');
      const importButton = page.getByRole('button', { name: 'Import into' });
      await page.getByRole('button', { name: 'Check the whole file' }).click();
      await page.getByRole('button', { name: 'Checking…' }).waitFor();
      await expect.poll(() => importButton.getAttribute('class')).toBe('');
      await page.getByText('Only checked: nothing was imported.').waitFor();
      await page.getByRole('row', { name: /^5 Email is missing/ }).waitFor();
      await expect.poll(() => importButton.getAttribute('class')).toBe('primary');
      await importButton.click();
      await page.getByText('an uploaded file').waitFor();
      await page.getByText('Done', { exact: true }).waitFor();

      await expect.poll(() => page.locator('.figures dd').allInnerTexts()).toEqual(['60', '59', '1']);
      await page.getByText('Email is missing').waitFor();
      const [head, ...lines] = await csvOf(page);
      expect(head).toMatch(/^line,.*errors/);
      expect(lines).toEqual([expect.stringMatching(/^5,.*is missing/)]);
      await expectAccessible(page, 'an import');
      await page.locator('.up').getByRole('link', { name: 'Imports' }).click();
      await page.getByText('59 accepted, 1 rejected').waitFor();
      await page.getByText('59 good, 1 rejected').waitFor();
      await expectAccessible(page, 'imports');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByText('an uploaded file').waitFor();
      await page.goBack();
      await page.getByText('59 accepted, 1 rejected').waitFor();
      expect(complaintsOf(page)).toEqual([]);
    });

    test('a file is dropped on the list, and a choice in its cell makes rows right that nobody else can read', async () => {
      const page = await scene().signedIn('#/imports', { isAdmin: true });
      await page.getByRole('heading', { name: 'Imports' }).waitFor();
      const rows = [
        'customer,what,when,amount,zip',
        'ada,Dropped,03.10.2026,12.5,01234',
        'bob,Dropped,04.10.2026,abc,01235',
      ];
      const text = [...rows, 'eve,Dropped,04.10.2026,7,01235\n'].join('\n');
      const dataTransfer = await page.evaluateHandle(dragged(text));

      await page.dispatchEvent('main', 'dragover', { dataTransfer });
      await page.getByText('Drop the file to open it').waitFor();
      await page.dispatchEvent('main', 'drop', { dataTransfer });

      await page.getByText('3 of these 3 would be rejected').waitFor();
      expect(await page.getByText('Drop the file to open it').count()).toBe(0);
      await page.getByText('1 cell stays text, as “abc”').waitFor();
      await expectAccessible(page, 'dates of either order');
      await page
        .getByRole('cell', { name: /03\.10\.2026/ })
        .getByRole('button', { name: 'Day first' })
        .click();
      await page.getByText('All of these are valid').waitFor();
      await page.getByRole('button', { name: 'Import into' }).click();
      await page.getByText('Done', { exact: true }).waitFor();

      const found = async () => {
        const response = await scene().service.request('/v1/catalog/events/Dropped/properties');
        const { properties = [] } = (await response.json()) as { properties?: readonly Property[] };
        return Object.fromEntries(properties.map(({ name, types }) => [name, types.map(({ type }) => type)]));
      };
      await expect.poll(found, { timeout: 60_000 }).toEqual({
        amount: ['number', 'text'],
        zip: ['text'],
      });
    });

    test('an import that runs is stopped, and goes on', async () => {
      const page = await scene().signedIn('#/imports/new', { isAdmin: true });
      // Slow enough to be stopped; the console itself asks for no rate. At a line a second each append is one line, and the
      // rest that an import on a busy machine gives live appends, a second at most, is within the rate: at 100 lines a second
      // it came on top, at each of 200 appends.
      await page.route('**/v1/admin/imports', async (route) => {
        const body = route.request().postDataJSON() as object | null;
        await route.continue(body === null ? {} : { postData: JSON.stringify({ ...body, rate: 1 }) });
      });
      const lines = Array.from({ length: 40 }, (_, n) => `{"type":"track","user_id":"u${n}","event":"Slow"}\n`);
      await chooseFile(page, 'slow.ndjson', lines.join(''));
      await page.getByText('All of these are valid').waitFor();
      await page.getByRole('button', { name: 'Import into' }).click();
      await page.locator('.figures').waitFor();

      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('Accepted rows stay').waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();

      await page.getByRole('button', { name: 'Stop' }).waitFor();
      await page.getByText('Done', { exact: true }).waitFor({ timeout: 90_000 });
      await expect.poll(() => page.locator('.figures dd').allInnerTexts()).toEqual(['40', '40', '0']);
    });

    test('a path that the service takes from nobody far away says why', async () => {
      const page = await scene().signedIn('#/imports/new', { isAdmin: true });
      await page.getByLabel('Or a file on the machine').fill('/nowhere/history.csv');
      await page.getByRole('button', { name: 'Open' }).click();

      await page.getByRole('alert').getByText('IMPORT_DIR').first().waitFor();
      await expectAccessible(page, 'a refused path');
      await expect.poll(() => page.url()).toContain('path=%2Fnowhere');
    });

    test('a replay says what it takes, shows its progress and rate, is compared, made live, rolled back and removed', async () => {
      const page = await scene().signedIn('#/replays', { isAdmin: true });
      await page.getByRole('button', { name: 'Replay profiles' }).click();
      await page.getByRole('dialog').getByText('messages, takes about').waitFor();
      await page.getByRole('button', { name: 'Begin' }).click();
      const card = page.locator('article', { hasText: 'Being built' });
      await card.getByText('Up to date with the log').waitFor({ timeout: 60_000 });
      await card.getByRole('textbox').fill('5000');
      await card.getByRole('button', { name: 'Change' }).click();
      await expect.poll(() => card.getByRole('textbox').inputValue()).toBe('5000');
      await card.getByRole('button', { name: 'Compare' }).click();
      await card.getByText('It is the same as what is in use.').waitFor({ timeout: 60_000 });
      await expectAccessible(page, 'replays');

      await card.getByRole('button', { name: 'Use it' }).click();
      const dialog = page.getByRole('dialog');
      await expect.poll(() => dialog.getByRole('button', { name: 'Use it' }).isDisabled()).toBe(true);
      await dialog.getByRole('textbox').fill('profiles 2');
      expect(await violationsOf(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Use it' }).click();
      await page.locator('article', { hasText: 'In use (generation 2)' }).waitFor({ timeout: 60_000 });

      await page.getByRole('button', { name: 'Go back to the one before' }).click();
      await dialog.getByRole('textbox').fill('profiles 2');
      await dialog.getByRole('button', { name: 'Go back' }).click();
      const second = page.locator('article', { hasText: 'Was in use before (generation 2)' });
      await second.waitFor({ timeout: 60_000 });
      await second.getByRole('button', { name: 'Delete' }).click();
      await dialog.getByRole('textbox').fill('profiles 2');
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await expect.poll(() => page.getByText('(generation 2)').count(), { timeout: 60_000 }).toBe(0);
    });
  });
}
