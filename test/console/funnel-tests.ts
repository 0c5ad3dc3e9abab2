import { describe, expect, test } from 'vitest';
import { READ_KEY } from '../support/service/service.ts';
import { complaintsOf, type Scene } from './scene.ts';
import { builderOf } from './areas/builder-page.ts';

interface FunnelAnswer {
  readonly steps: readonly { readonly reached: number; readonly dropped: number | null }[];
}

export function testFunnel(scene: () => Scene): void {
  const funnelOf = async (sequence: object): Promise<FunnelAnswer> => {
    const response = await fetch(`${scene().url}/v1/funnels`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${READ_KEY}` },
      body: JSON.stringify({ sequence }),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as FunnelAnswer;
  };
  const { figure } = builderOf(scene);
  const ORDERED = { event: 'Order Completed', within: '7d' };
  const CART = { event: 'Product Added', within: { last: '30d' }, followed_by: ORDERED };
  const pageOf = (sequence: object): string =>
    `#/events?view=funnel&sequence=${encodeURIComponent(JSON.stringify(sequence))}`;

  describe('a funnel', () => {
    test('a funnel begins with the two most frequent events, and the address has it', async () => {
      const page = await scene().signedIn('#/events');
      await page.getByRole('link', { name: 'Funnel' }).click();

      await page.getByRole('link', { name: 'went no further' }).waitFor();

      const names = page.getByRole('combobox', { name: 'Event' });
      await expect.poll(() => names.count()).toBe(2);
      const [first, second] = [await names.nth(0).inputValue(), await names.nth(1).inputValue()];
      expect(first).not.toBe(second);
      await expect
        .poll(() => decodeURIComponent(page.url()).replaceAll('+', ' '))
        .toContain(`"followed_by":{"event":"${second}"`);
      expect(complaintsOf(page)).toEqual([]);
    });

    test('each drop opens as an audience of as many users', async () => {
      const { steps } = await funnelOf(CART);
      const dropped = steps[0]?.dropped ?? 0;
      expect(dropped).toBeGreaterThan(0);
      const page = await scene().signedIn(pageOf(CART));

      await page.getByRole('link', { name: `${dropped} went no further` }).click();

      await figure(page)
        .getByText(new RegExp(`^${dropped} user`))
        .waitFor();
      await page.getByRole('button', { name: /^Remove: did Product Added in the last 30 days$/ }).waitFor();
      expect(complaintsOf(page)).toEqual([]);
    });

    test('a step is added, named and taken out, and the others keep their figures', async () => {
      const three = { ...CART, followed_by: { ...ORDERED, followed_by: { event: { any: true }, within: '7d' } } };
      const { steps } = await funnelOf(three);
      const page = await scene().signedIn(pageOf(CART));
      await page.getByRole('button', { name: '+ then' }).click();
      const third = page.getByRole('group', { name: 'Step 3' });
      await third.getByRole('combobox', { name: 'Event' }).fill('anything');
      await page.keyboard.press('Escape');
      await third.getByRole('link', { name: new RegExp(`^${steps[2]?.reached} users?$`) }).waitFor();

      await page.getByRole('button', { name: 'Remove step 2' }).click();

      const { steps: left } = await funnelOf({ ...CART, followed_by: { event: { any: true }, within: '7d' } });
      await page
        .getByRole('group', { name: 'Step 2' })
        .getByRole('link', { name: new RegExp(`^${left[1]?.reached} users?$`) })
        .waitFor();
      expect(await page.getByRole('group', { name: 'Step 3' }).count()).toBe(0);
    });

    test('the figures by a trait open as audiences, too', async () => {
      const page = await scene().signedIn(pageOf(CART));
      await page.getByLabel('By a trait').selectOption('plan');
      const link = page.getByRole('row', { name: /^pro/ }).getByRole('link').last();
      const users = await link.innerText();

      await link.click();

      await figure(page)
        .getByText(new RegExp(`^${users} user`))
        .waitFor();
    });

    test('a project without events has none to follow', async () => {
      const page = await scene().signedIn('#/events?view=funnel', { key: scene().empty.readKey });

      await page.getByText('No events yet').waitFor();
    });
  });
}
