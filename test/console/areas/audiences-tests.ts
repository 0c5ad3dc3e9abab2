import { readFile } from 'node:fs/promises';
import type { Download } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { WRITE_KEY } from '../../support/service/service.ts';
import { complaintsOf, type Scene } from '../scene.ts';
import { expectAccessible, focusedText } from './screens-tests.ts';
import { csvOf } from '../csv-tests.ts';
import { type Saved, teamsOf } from './teams.ts';

interface Styles {
  getComputedStyle(cell: unknown): { readonly paddingLeft: string };
}

/** The room at the left of a cell, in pixels: this project's types have no DOM. */
export const paddingLeft = (cell: unknown): number =>
  Number.parseFloat((globalThis as unknown as Styles).getComputedStyle(cell).paddingLeft);

export function testAudiences(scene: () => Scene): void {
  const { call, send, sizeOf, evaluate, saveTeam, pageOf } = teamsOf(scene);

  describe('audiences', () => {
    test('the list has the size of each, how often it is counted and how it is, and opens by the keyboard', async () => {
      await saveTeam('listed', ['l-1', 'l-2', 'l-3']);
      const page = await scene().signedIn('#/users');
      await page.getByText('u-00001').waitFor();
      const questions: string[] = [];
      page.on('request', (request) => questions.push(new URL(request.url()).pathname));

      await page.keyboard.press('g');
      await page.keyboard.press('a');

      const row = page.getByRole('row', { name: /^Team listed/ });
      await row.waitFor();
      await expect.poll(() => row.innerText()).toMatch(/whose team is listed\s+3\s.*manually\s+Counted/s);
      await expect
        .poll(() => page.getByRole('row', { name: /^Readers of the newsletter/ }).innerText())
        .toContain('Not counted');
      await expect
        .poll(() => page.getByRole('columnheader').allInnerTexts())
        .toEqual(['Audience', 'Size', 'Change, 24 h', 'Last 7 days', 'Updates', 'State']);
      // The sizes came with the list.
      expect(questions.filter((path) => path.startsWith('/v1/audiences'))).toEqual(['/v1/audiences']);
      // What ends at the right is not glued to what begins at the left.
      const gap = await row.locator('.number + :not(.number)').evaluate(paddingLeft);
      expect(gap).toBeGreaterThanOrEqual(24);
      await page.keyboard.press('j');
      await expect.poll(() => focusedText(page)).toContain('Team listed');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Members' }).waitFor();
      expect(complaintsOf(page)).toEqual([]);
    });

    test('a member leads to the page of the user, and beside it opens why it is in, part by part', async () => {
      const page = await pageOf(await saveTeam('why', ['w-1', 'w-2']));
      await page.getByText('whose team is why').waitFor();

      await page.getByRole('button', { name: 'w-1' }).click();

      await page.getByText('In this audience').waitFor();
      await expect
        .poll(() => page.locator('.why .part').innerText())
        .toMatch(/whose team is why\s+It is why, set .*(ago|now)/);
      await expect.poll(() => page.url()).toMatch(/user=[0-9a-f]{64}/);
      await page.keyboard.press('Escape');
      await page.locator('.why').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'w-2' }).click();
      await page.locator('.why').waitFor();
      await page.goBack();
      await page.locator('.why').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'w-2' }).click();
      await page.getByRole('link', { name: 'w-2' }).click();
      await page.getByRole('heading', { name: 'w-2' }).waitFor();
    });

    test('members have a name, the id beside it and the traits that are asked about, and the CSV is what the service says', async () => {
      const people = [
        {
          userId: 'p-1',
          traits: { team: 'named', name: 'Dennis Wirth', email: 'dennis@example.com', seat: { no: 12 } },
        },
        { userId: 'p-2', traits: { team: 'named', email: 'kim@example.com' } },
      ];
      await call('POST', '/v1/batch', { batch: people.map((one) => ({ type: 'identify', ...one })) }, WRITE_KEY);
      const definition = { all: [{ trait: 'team', is: 'named' }, { not: { trait: ['seat', 'no'], gt: 100 } }] };
      await expect.poll(() => sizeOf(definition)).toBe(2);
      const saved = await call<Saved>('POST', '/v1/audiences', { name: 'People', definition });
      await evaluate(saved);
      const page = await pageOf(saved);

      const row = page.getByRole('row', { name: /Dennis Wirth/ });
      await row.waitFor();

      const columns = ['User', 'email', 'team', 'seat.no', 'Joined', 'Leaves', 'Why'];
      await expect.poll(() => page.getByRole('columnheader').allInnerTexts()).toEqual(columns);
      const [email, team, seat, joined, ...rest] = await row.getByRole('cell').allInnerTexts();
      expect([email, team, seat, ...rest]).toEqual(['dennis@example.com', 'named', '12', '–', 'Why?']);
      expect(joined).toMatch(/ago|now/);
      await expect.poll(() => row.getByRole('rowheader').innerText()).toMatch(/^DW\s+Dennis Wirth\s+p-1$/);
      await page.getByRole('row', { name: /^kim@example.com p-2/ }).waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download CSV' }).click(),
      ]);
      const path = `/v1/audiences/${saved.id}/members?format=csv&traits=name,email,team,seat.no`;
      const answer = await (await scene().service.request(path)).text();
      expect(await readFile(await download.path(), 'utf8')).toBe(answer);
      await page.getByRole('link', { name: 'Changes' }).click();
      await page.getByRole('link', { name: 'Dennis Wirth' }).waitFor();
    });

    test('a list is made of a file, leaves its users out of another audience, and is added to by another file', async () => {
      await send('asked', ['x-1', 'x-2', 'x-3']);
      await expect.poll(() => sizeOf({ trait: 'team', is: 'asked' })).toBe(3);
      const page = await scene().signedIn('#/audiences');
      const choose = async (name: string, text: string): Promise<void> => {
        const buffer = Buffer.from(text);
        await page.getByLabel('File with users').setInputFiles({ name, mimeType: 'text/csv', buffer });
      };

      await page.getByRole('link', { name: 'From a file' }).click();
      await page.getByRole('heading', { name: 'Drop a file here' }).waitFor();
      await expectAccessible(page, 'a list to be chosen');
      await choose('mails.txt', 'not-yet-known@example.com');
      await expect.poll(() => page.getByLabel('Its lines are').inputValue()).toBe('email');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('link', { name: 'From a file' }).click();
      await choose('Not asked.csv', '\uFEFFuser_id\r\nx-1\r\n"x-2"\r\nx-1\r\nnobody\r\n');
      await page
        .getByText('4 lines, 1 of them doubled or empty. 2 are known users, others count once they come.')
        .waitFor();
      await expectAccessible(page, 'a list to be made');
      await page.getByRole('button', { name: 'Create the list' }).click();
      await page.getByText('A list of 3 lines: 2 are known users').waitFor();
      const [, id = ''] = /audiences\/(\w+)/.exec(page.url()) ?? [];
      const rest = { all: [{ trait: 'team', is: 'asked' }, { not: { audience: id } }] };
      expect(await sizeOf(rest)).toBe(1);
      await expectAccessible(page, 'a list');

      await page.getByRole('link', { name: 'Replace or add from a file' }).click();
      await choose('more.txt', 'x-3');
      await page.getByLabel('The list has 3 lines now').selectOption('add');
      await page.getByRole('button', { name: 'Save the list' }).click();

      await page.getByText('A list of 4 lines: 3 are known users').waitFor();
      expect(await sizeOf(rest)).toBe(0);
      expect(complaintsOf(page)).toEqual([]);
    });

    test('members say when they leave, and which columns they have is chosen and kept, in the file too', async () => {
      await send('leaving', ['o-1']);
      await call('POST', '/v1/track', { userId: 'o-1', event: 'Left Soon', timestamp: yesterday() }, WRITE_KEY);
      const definition = {
        all: [
          { trait: 'team', is: 'leaving' },
          { event: 'Left Soon', within: { last: '3d' } },
        ],
      };
      await expect.poll(() => sizeOf(definition)).toBe(1);
      const saved = await call<Saved>('POST', '/v1/audiences', { name: 'Leaving', definition });
      await evaluate(saved);
      const page = await pageOf(saved);
      await page
        .getByRole('cell', { name: 'in 2 days' })
        .or(page.getByRole('cell', { name: 'tomorrow' }))
        .waitFor();

      await page.getByText('Columns', { exact: true }).first().click();
      await page.getByRole('checkbox', { name: 'Joined' }).uncheck();
      await page.getByRole('checkbox', { name: 'team' }).uncheck();
      await page.getByRole('checkbox', { name: 'country' }).check();
      await page.keyboard.press('Escape');

      const heads = ['User', 'country', 'Leaves', 'Why'];
      await expect.poll(() => page.getByRole('columnheader').allInnerTexts()).toEqual(heads);
      await page.reload();
      await expect.poll(() => page.getByRole('columnheader').allInnerTexts()).toEqual(heads);
      expect((await csvOf(page))[0]).toBe('user_id,anonymous_id,internal_id,name,email,country');
    });

    test('who enters appears by itself once it is counted, and a filter shows who left', async () => {
      const saved = await saveTeam('blue', ['b-1', 'b-2']);
      const page = await pageOf(saved, '?tab=changes');
      await page.getByRole('row', { name: / 2 0 first update$/ }).waitFor();
      await send('blue', ['b-3']);
      await send('other', ['b-1']);
      await expect
        .poll(async () =>
          call('POST', `/v1/audiences/why`, { definition: { trait: 'team', is: 'blue' }, user_id: 'b-1' }),
        )
        .toMatchObject({ is_member: false });
      await expect.poll(() => sizeOf({ trait: 'team', is: 'blue' })).toBe(2);

      await evaluate(saved);

      await page.getByRole('row', { name: / 1 1 update$/ }).waitFor();
      await page.getByRole('link', { name: 'b-3' }).waitFor();
      await page.getByLabel('Show').selectOption('left');
      await page.getByRole('link', { name: 'b-1' }).waitFor();
      await page.getByRole('link', { name: 'b-3' }).waitFor({ state: 'detached' });
      await expect.poll(() => page.url()).toContain('change=left');
    });

    test('all members are saved as CSV, also where the stream is cut on the way', async () => {
      const saved = await saveTeam('files', ['f-1', 'f-2', '=f(3)']);
      const page = await pageOf(saved);
      let requests = 0;
      await page.route('**/members*', async (route) => {
        const response = await route.fetch();
        const [first = ''] = (await response.text()).split('\n');
        // The first answer ends within its second line.
        await (++requests === 1 ? route.fulfill({ response, body: `${first}\n{"user_id":` }) : route.continue());
      });

      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download CSV' }).click(),
      ]);

      const csv = await linesOf(download);
      expect(download.suggestedFilename()).toBe('team-files.csv');
      expect(csv[0]).toBe('user_id,anonymous_id,internal_id,name,email,team');
      expect(sorted(csv.slice(1).map((line) => line.split(',')[0] ?? ''))).toEqual(["'=f(3)", 'f-1', 'f-2']);
      expect(requests).toBe(2);
    });

    test('it is deleted only with its name typed, after the count of its members was shown', async () => {
      const saved = await saveTeam('gone', ['g-1', 'g-2']);
      const page = await pageOf(saved);
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.getByText('It has 2 members').waitFor();
      const remove = page.getByRole('button', { name: 'Delete the audience' });
      await page.getByLabel('To confirm').fill('Team');
      await expect.poll(() => remove.isDisabled()).toBe(true);

      await page.getByLabel('To confirm').fill('Team gone');
      await remove.click();

      await page.getByRole('heading', { name: 'Audiences' }).waitFor();
      await expect.poll(async () => (await scene().service.request(`/v1/audiences/${saved.id}`)).status).toBe(404);
    });

    test('an event that was never done is said to be, without a time where none was asked about', async () => {
      const definition = { all: [{ trait: 'team', is: 'idle' }, { not: { event: 'Nobody Does This' } }] };
      await send('idle', ['i-1']);
      await expect.poll(() => sizeOf(definition)).toBe(1);
      const page = await pageOf(await call<Saved>('POST', '/v1/audiences', { name: 'Idle', definition }));

      await page.getByRole('button', { name: 'i-1' }).click();

      await page.locator('.why').getByText('Never', { exact: true }).waitFor();
      await page.locator('.why').getByText('In this audience').waitFor();
    });

    test('a key that may only read changes nothing, and an empty project says what an audience is', async () => {
      const page = await scene().signedIn('#/audiences', { key: scene().empty.readKey });

      await page.getByText('No audiences yet').waitFor();

      await page.getByText('a key that has the permission “audiences”').waitFor();
      expect(await page.getByRole('link', { name: 'New audience' }).count()).toBe(0);
      await page.goto(`${scene().url}/console/#/audiences/aud_0123456789abcdefghij`);
      await page.getByText('There is no such audience').waitFor();
    });
  });
}

/** Two days before the end of three. */
function yesterday(): string {
  return new Date(Date.now() - 86_400_000 + 3_600_000).toISOString();
}

async function linesOf(download: Download): Promise<string[]> {
  return (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
}

function sorted(texts: readonly string[]): string[] {
  return texts.toSorted((a, b) => (a < b ? -1 : 1));
}
