import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { READ_KEY } from '../../support/service/service.ts';
import { complaintsOf, type Scene } from '../scene.ts';

interface Saved {
  readonly id: string;
  readonly definition: unknown;
}

/** What somebody builds of events that follow each other, dates, samples and other audiences. */
export function testBuilderKinds(scene: () => Scene): void {
  const api = async (path: string, body?: unknown): Promise<Saved> => {
    const response = await fetch(`${scene().url}/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${READ_KEY}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.ok, `${path}: ${response.status}`).toBe(true);
    return (await response.json()) as Saved;
  };
  const line = (page: Page, name: RegExp): Locator => page.getByRole('group', { name }).last();
  /** Leaves the field afterwards, so that its suggestions lie over nothing. */
  const type = async (within: Locator, name: string, text: string): Promise<void> => {
    const field = within.getByRole('combobox', { name, exact: true }).last();
    await field.fill(text);
    await field.press('Tab');
  };

  const add = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('button', { name: '+ Condition' }).last().click();
    await page.getByRole('combobox', { name: 'Condition', exact: true }).fill(name);
    await page.keyboard.press('Enter');
  };

  describe('the kinds of conditions in the builder', () => {
    test('an abandoned cart, a date, another audience and a sample are built by clicking, saved and opened again', async () => {
      const other = await api('audiences', { name: 'On team', definition: { trait: 'plan', is: 'team' } });
      const page = await scene().signedIn('#/audiences/new');
      await add(page, 'Product Added');
      await page.getByRole('button', { name: '+ but not then' }).click();
      const cart = line(page, /^did Product Added/);
      await type(cart, 'Event', 'Order Completed');
      await cart
        .getByLabel('What came after', { exact: true })
        .selectOption({ label: 'the last of them not followed by' });
      await cart.getByLabel('How many', { exact: true }).fill('48');
      await cart.getByLabel('Unit', { exact: true }).selectOption({ label: 'hours' });

      await add(page, 'plan');
      await type(line(page, /^their /), 'Trait', 'trial_ends');
      await line(page, /^their trial_ends/)
        .getByLabel('Comparison')
        .selectOption({ label: 'is a date' });
      await line(page, /^their trial_ends/)
        .getByLabel('Time', { exact: true })
        .selectOption({ label: 'in the next' });
      await line(page, /^their trial_ends/)
        .getByLabel('How many', { exact: true })
        .fill('7');

      await add(page, 'In another');
      await page.getByLabel('Audience', { exact: true }).selectOption({ label: 'On team' });
      await line(page, /^are in the audience On team/)
        .getByLabel('In or not')
        .selectOption({ label: 'are not in' });

      await add(page, 'In a sample');
      await page.getByLabel('Percent').fill('12.5');
      await type(line(page, /^are in the sample/), 'Seed', 'spring');

      await page.getByRole('region', { name: 'How many users' }).locator('.figure:not(.stale)').waitFor();
      await page.getByLabel('Name').fill('Carts of the trial');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect.poll(() => page.url()).toMatch(/#\/audiences\/aud_/);
      const id = /aud_\w+/.exec(page.url())?.[0] ?? '';
      expect((await api(`audiences/${id}`)).definition).toEqual({
        all: [
          {
            event: 'Product Added',
            not_followed_by: { event: 'Order Completed', within: '48h' },
            which: 'last',
          },
          { trait: 'trial_ends', date: { next: '7d' } },
          { not: { audience: other.id } },
          { sample: { percent: 12.5, seed: 'spring' } },
        ],
      });

      await page.goto(`${scene().url}/console/#/audiences/${id}/edit`);
      await line(
        page,
        /^did Product Added, the last of them not followed by Order Completed within 48 hours/,
      ).waitFor();
      await line(page, /^their trial_ends is a date in the next 7 days/).waitFor();
      await line(page, /^are not in the audience On team/).waitFor();
      await line(page, /^are in the sample of 12.5 % by the seed “spring”/).waitFor();
      expect(await page.locator('.token.json').count()).toBe(0);
      // An audience cannot refer to itself: it is not among those to choose from.
      expect(await page.getByLabel('Audience', { exact: true }).locator('option').allInnerTexts()).not.toContain(
        'Carts of the trial',
      );
      expect(complaintsOf(page)).toEqual([]);
    });

    test('a text that looks like a period is pointed out at its condition, and gone with the next comparison', async () => {
      const definition = {
        all: [
          { trait: 'plan', is: 'pro' },
          { trait: 'created', gte: '90d' },
        ],
      };
      const page = await scene().signedIn(
        `#/audiences/new?definition=${encodeURIComponent(JSON.stringify(definition))}`,
      );
      const warning = page.locator('li', { has: line(page, /^their created/) }).locator('.hint', { hasText: '"date"' });
      await warning.waitFor();

      await line(page, /^their created/)
        .getByLabel('Comparison')
        .selectOption({ label: 'is a date' });

      await line(page, /^their created is a date in the last 90 days/).waitFor();
      await warning.waitFor({ state: 'detached' });
    });
  });
}
