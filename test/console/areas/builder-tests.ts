import { AxeBuilder } from '@axe-core/playwright';
import { describe, expect, test } from 'vitest';
import { READ_KEY } from '../../support/service/service.ts';
import { complaintsOf, type Scene } from '../scene.ts';
import { builderOf } from './builder-page.ts';

interface Saved {
  readonly id: string;
  readonly name: string;
  readonly revision: number;
  readonly definition: unknown;
}

export function testBuilder(scene: () => Scene): void {
  const api = async <T>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST'): Promise<T> => {
    const response = await fetch(`${scene().url}/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${READ_KEY}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    expect(response.ok, `${path}: ${response.status}`).toBe(true);
    const text = await response.text();
    return (path.endsWith('/changes') ? text : JSON.parse(text)) as T;
  };

  const countOf = async (definition: unknown): Promise<number> =>
    (await api<{ count: number }>('audiences/preview', { definition, sample: 0 })).count;

  const { opened, withJson, addCondition, chooseWritten, json, documentOf, expectDocument, figure, line } =
    builderOf(scene);

  describe('the audience builder', () => {
    test('ordered for more than 100 in 30 days, pro, and not in DE is built by clicking, counted, tested, saved and followed', async () => {
      const page = await opened();
      await page.getByText('Start from an example').waitFor();
      await addCondition(page, 'Order Com');
      await page.getByRole('button', { name: '+ filter' }).click();
      await chooseWritten(page, 'total');
      await page.getByLabel('Comparison').selectOption({ label: 'is more than' });
      await page.getByRole('textbox', { name: 'Value' }).fill('100');
      await page.getByRole('button', { name: '+ when' }).click();
      await addCondition(page, 'plan');
      await chooseWritten(page, 'pro');
      await addCondition(page, 'country');
      await line(page, /^their country/)
        .getByLabel('Comparison')
        .selectOption({ label: 'is none of' });
      // Typed: the catalog has a few examples of a trait, and whether DE is one of them is not said.
      await line(page, /^their country/)
        .getByRole('combobox', { name: 'Value 1', exact: true })
        .fill('DE');

      const definition = {
        all: [
          { event: 'Order Completed', where: [{ property: 'total', gt: 100 }], within: { last: '30d' } },
          { trait: 'plan', is: 'pro' },
          { not: { trait: 'country', in: ['DE'] } },
        ],
      };
      await expectDocument(page, definition);
      const count = await countOf(definition);
      await expect.poll(() => figure(page).innerText()).toMatch(new RegExp(`^${count} users?, [\\d.]+ % of \\d+$`));

      const { traits } = await api<{ traits: { name: string; email: string } }>('users/u-00001');
      await page.getByRole('combobox', { name: 'User', exact: true }).fill(traits.name.toLowerCase());
      await page.getByRole('option', { name: traits.email }).click();
      await page
        .getByRole('status')
        .getByText(/in this audience/i)
        .waitFor();
      await expect.poll(() => page.locator('.why .part').count()).toBe(4);

      await page.getByLabel('Name').fill('Pro, abroad, over 100');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.summary .size', { hasText: `${count} user` }).waitFor();
      const id = /aud_\w+/.exec(page.url())?.[0] ?? '';
      expect(await api<Saved>(`audiences/${id}`)).toMatchObject({ definition, refresh: '1h' });

      await scene().service.request('/v1/identify', { userId: 'newcomer', traits: { plan: 'pro', country: 'FR' } });
      await scene().service.request('/v1/track', {
        userId: 'newcomer',
        event: 'Order Completed',
        properties: { total: 100.5 },
      });
      await expect.poll(() => countOf(definition)).toBe(count + 1);
      await api(`audiences/${id}/evaluate`, {});
      expect(await api<string>(`audiences/${id}/changes`)).toMatch(/"user_id":\s*"newcomer".*"entered"/);
      expect(complaintsOf(page)).toEqual([]);
    });

    test("a sentence of the project's own events is there to begin with, and the address keeps what is made of it", async () => {
      const page = await opened();
      await page.locator('.starts li button').nth(1).click();
      await figure(page).getByText(/user/).waitFor();
      const made = await documentOf(page);

      expect(made).toMatchObject({ count: { at_least: 3 }, within: { last: '30d' } });
      await page.reload();
      await figure(page).getByText(/user/).waitFor();
      await expectDocument(page, made);
      const counted = page.waitForResponse('**/v1/audiences/preview');
      await page.goto(
        `${scene().url}/console/#/audiences/new?definition=${encodeURIComponent('{"trait":"plan","is":"pro"}')}`,
      );
      await line(page, 'their plan is “pro”').waitFor();
      await counted;
      await page.goBack();
      await expectDocument(page, made);
    });

    test('either pane changes the one document, and text that is no JSON leaves the sentences as they were', async () => {
      const page = await opened({ trait: 'plan', is: 'pro' });
      const value = page.getByRole('textbox', { name: 'Value' });
      await line(page, 'their plan is “pro”').waitFor();

      await json(page).fill('{"trait": "plan",\n "is": 12345678901234567890.10}');
      await line(page, 'their plan is 12345678901234567890.10').waitFor();
      await value.fill('1e400');
      await expect.poll(() => json(page).inputValue()).toContain('1e400');
      await value.fill('1e');
      await expect.poll(() => value.getAttribute('aria-invalid')).toBe('true');
      await json(page).fill('{"trait": "plan",\n "is" "team"}');

      await page.getByText('Not valid JSON yet').waitFor();
      await page.getByRole('button', { name: 'Line 2' }).waitFor();
      await line(page, 'their plan is 1e400').waitFor();
      await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    });

    test('problems are shown at their place in both panes', async () => {
      const page = await opened(
        '{"all":[{"trait":"plan","is":"pro"},{"event":"Order Completed","count":{"at_least":-2}},{"wrong":1}]}',
      );
      const wrong = page.locator('.condition', { hasText: 'at least' });

      await page.getByRole('button', { name: '2 problems to fix first' }).waitFor();
      await expect.poll(() => wrong.getByLabel('Number of times').getAttribute('aria-invalid')).toBe('true');
      await page.locator('li', { has: wrong }).last().getByText('enter a whole number from 0').waitFor();
      await expect.poll(() => page.locator('.code ol .refused').count()).toBe(2);
      await page.getByRole('textbox', { name: 'JSON', exact: true }).fill('{"trait":"country","is":"DE"}');
      await wrong.getByLabel('Number of times').fill('2');
      await figure(page).getByText(/user/).waitFor();
    });

    test('the users left after each condition are what previews of the first ones say', async () => {
      const parts = [{ event: 'Page Viewed' }, { trait: 'plan', is: 'pro' }, { not: { trait: 'country', is: 'DE' } }];
      const page = await opened({ all: parts });
      await page.getByRole('button', { name: 'Count each condition' }).click();

      await page.locator('.left').nth(2).waitFor();

      const counts = await Promise.all([1, 2, 3].map(async (length) => countOf({ all: parts.slice(0, length) })));
      await expect.poll(async () => (await page.locator('.left b').allInnerTexts()).map(Number)).toEqual(counts);
    });

    test('a change of a saved audience shows whom it adds and removes, and whose change was in between', async () => {
      const saved = await api<Saved>('audiences', { name: 'On pro', definition: { trait: 'plan', is: 'pro' } });
      const page = await withJson(await scene().signedIn(`#/audiences/${saved.id}/edit`));
      await json(page).fill('{"trait": "plan", "is": "team"}');
      const effect = await api<{ entering: { count: number }; leaving: { count: number } }>('audiences/compare', {
        audience: saved.id,
        definition: { trait: 'plan', is: 'team' },
      });
      await page.getByText(`adds ${effect.entering.count}`).waitFor();
      await page.getByText(`removes ${effect.leaving.count}`).waitFor();

      await api(`audiences/${saved.id}`, { name: 'On pro, still', definition: { trait: 'plan', is: 'free' } }, 'PATCH');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Someone else changed this audience').waitFor();
      await page.getByText('Saved now: On pro, still').waitFor();
      expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
      await page.getByRole('button', { name: 'Overwrite it with yours' }).click();

      await expect
        .poll(async () => (await api<Saved>(`audiences/${saved.id}`)).definition)
        .toEqual({ trait: 'plan', is: 'team' });
    });

    test('a name that another audience has is refused, and a key that only reads cannot save', async () => {
      await api('audiences', { name: 'Taken', definition: { trait: 'plan', is: 'pro' } });
      const page = await opened({ trait: 'plan', is: 'pro' });
      await page.getByLabel('Name').fill('Taken');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').waitFor();

      const reader = await scene().signedIn('#/users', { key: scene().empty.readKey });
      // Other tests send events to this project.
      const nothing = { events: [], exact: true, truncated: false, next_cursor: null };
      await reader.route('**/v1/catalog/events?**', async (route) => route.fulfill({ body: JSON.stringify(nothing) }));
      await reader.goto(`${scene().url}/console/#/audiences/new`);
      await reader.getByText('No events yet').waitFor();
      await reader.getByText('sign in with a key that has the permission').waitFor();
      await expect.poll(() => reader.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    });

    test('a limit, a part that is unavailable and an audience that is not there are shown as what they are', async () => {
      const page = await opened({ trait: 'plan', is: 'pro' });
      await figure(page).getByText(/user/).waitFor();
      await page.route('**/v1/audiences/preview', async (route) =>
        route.fulfill({
          status: 422,
          headers: { 'content-type': 'application/problem+json' },
          body: JSON.stringify({ code: 'query-limit', detail: 'It would read more than 5 rows.', title: 'Limit' }),
        }),
      );
      await json(page).fill('{"trait": "plan", "is": "team"}');
      await page.getByText('This question exceeds a limit').waitFor();
      await page.unroute('**/v1/audiences/preview');
      await page.getByRole('button', { name: 'Try again' }).click();
      await figure(page).getByText(/user/).waitFor();

      await page.goto(`${scene().url}/console/#/audiences/aud_unknown/edit`);
      await page.getByRole('heading', { name: 'Not found' }).waitFor();
    });

    test('Copy as… has the count, the JSON and the SQL', async () => {
      const page = await opened({ trait: 'plan', is: 'pro' });
      await page.getByLabel('Copy as…').click();

      const commands = page.locator('.command');
      await expect.poll(() => commands.count()).toBe(4);
      await expect.poll(() => commands.nth(0).innerText()).toContain('/v1/audiences/preview');
      await expect
        .poll(() => commands.nth(1).innerText())
        .toContain(`tidemark audience preview '{"trait":"plan","is":"pro"}'`);
      await expect.poll(() => commands.nth(2).innerText()).toMatch(/SELECT/);
      await expect.poll(() => commands.nth(3).innerText()).toContain('{ "trait": "plan", "is": "pro" }');
    });
  });
}
