import { describe, expect, test } from 'vitest';
import type { Scene } from '../scene.ts';
import { builderOf } from './builder-page.ts';

/** What is written in the builder, where, and what is said of it. */
export function testBuilderKeys(scene: () => Scene): void {
  const { opened, withJson, addCondition, chooseWritten, json, expectDocument, figure, line } = builderOf(scene);

  describe('writing in the audience builder', () => {
    test('what is put in has the caret, with what is suggested, and what is typed there changes nothing else', async () => {
      const page = await opened({ event: 'Order Completed' });
      await page.getByRole('button', { name: '+ filter' }).press('Enter');
      await page.getByRole('listbox', { name: 'Property: suggestions' }).waitFor();
      await chooseWritten(page, 'total');
      await expectDocument(page, {
        event: 'Order Completed',
        where: [{ property: 'total', gte: expect.any(Number) as number }],
      });

      await page.getByRole('button', { name: '+ or' }).first().press('Enter');
      await page.getByRole('listbox', { name: 'Event 2: suggestions' }).waitFor();
      await chooseWritten(page, 'Page');
      await expectDocument(page, expect.objectContaining({ event: ['Order Completed', 'Page Viewed'] }));

      await page.getByRole('button', { name: '+ Condition' }).press('Enter');
      await page.keyboard.type('news');
      await page.getByRole('option', { name: /^newsletter trait, boolean/ }).waitFor();
      await page.keyboard.press('Escape');
      await page.locator('.add:focus', { hasText: '+ Condition' }).waitFor();
    });

    test('a value of a type that the data never has is made one that it has', async () => {
      const page = await opened({ event: 'Order Completed', where: [{ property: 'total', gt: '100' }] });

      await page.locator('.notes .hint', { hasText: 'has only held numbers' }).waitFor();
      await page.getByRole('button', { name: 'Make it a number' }).click();

      await expectDocument(page, { event: 'Order Completed', where: [{ property: 'total', gt: 100 }] });
    });

    test('a misspelt event inside not is pointed out, and the one that there is takes its place', async () => {
      const page = await opened({ not: { event: 'order completed' } });

      await page.getByRole('button', { name: 'Use “Order Completed”' }).click();

      await expectDocument(page, { not: { event: 'Order Completed' } });
      await page.locator('.notes .hint').waitFor({ state: 'detached' });
    });

    test('an audience of nobody and a problem name nothing that is not there', async () => {
      const page = await opened({ trait: 'plan', is: 'nobody has this' });
      await figure(page).getByText('0 users').waitFor();
      expect(await page.getByText('Count each condition').count()).toBe(0);

      await json(page).fill('{"event": "Order Completed",\n "count": {"at_least": -1}}');

      const text = '“at least”: enter a whole number from 0 to 1,000,000';
      await page.locator('.code-problems', { hasText: `Line 2 ${text}` }).waitFor();
      await page.locator('.notes', { hasText: text }).waitFor();
      await page.getByRole('button', { name: 'One problem to fix first' }).click();
      await page.locator('.condition:focus').waitFor();
      expect(await page.getByText('Nobody is in this audience').count()).toBe(0);
    });

    test('where nobody is found, it is said which condition leaves nobody', async () => {
      const nobody = { trait: 'plan', is: 'nobody has this' };
      const page = await opened({ all: [{ event: 'Page Viewed' }, nobody, { event: 'Order Completed' }] });

      await page.getByRole('button', { name: 'their plan is “nobody has this”', exact: true }).click();

      await page.locator('.condition:focus[aria-label^="their plan"]').waitFor();
    });

    test('what is typed above the conditions is there again after leaving and going back', async () => {
      const page = await opened({ trait: 'plan', is: 'pro' });
      await page.getByLabel('Name').fill('Anna’s list');
      await page.getByLabel('Updates').selectOption({ label: 'Updates manually' });
      await page.getByRole('link', { name: 'Users', exact: true }).click();
      await page.getByRole('heading', { name: 'Users' }).waitFor();

      await page.goBack();

      await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Anna’s list');
      await expect.poll(() => page.getByLabel('Updates').inputValue()).toBe('');
      await expectDocument(page, { trait: 'plan', is: 'pro' });
    });

    test('Ctrl-Z takes back changes of both panes, and Ctrl-Shift-Z makes them again', async () => {
      const page = await opened({ trait: 'plan', is: 'pro' });
      await addCondition(page, 'Page Viewed');
      await page.getByRole('button', { name: /^Remove: their plan/ }).click();
      await json(page).fill('{"event": "Other"}');

      await page.keyboard.press('Control+z');
      await page.keyboard.press('Control+z');
      await line(page, 'their plan is “pro”').waitFor();
      await page.keyboard.press('Control+z');
      await expectDocument(page, { trait: 'plan', is: 'pro' });
      await page.keyboard.press('Control+Shift+Z');
      await page.getByRole('button', { name: 'Redo' }).click();
      await page.getByRole('button', { name: 'Redo' }).click();

      await expectDocument(page, { event: 'Other' });
    });

    test('the keyboard alone adds, names, moves and removes conditions', async () => {
      const page = await opened({ all: [{ trait: 'plan', is: 'pro' }, { event: 'Page Viewed' }] });
      await figure(page).getByText(/user/).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('Alt+ArrowDown');
      await expectDocument(page, { all: [{ event: 'Page Viewed' }, { trait: 'plan', is: 'pro' }] });

      await page.keyboard.press('Enter');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.type('count');
      await page.keyboard.press('Escape');
      await page.getByRole('listbox').waitFor({ state: 'detached' });
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('Delete');

      await expect.poll(() => page.locator('.condition').count()).toBe(1);
    });

    test('the JSON is behind a button, and stays as it was left', async () => {
      const page = await scene().signedIn('#/audiences/new?definition={"trait":"plan","is":"pro"}');
      await line(page, /their plan/).waitFor();
      expect(await json(page).count()).toBe(0);

      await withJson(page);

      await json(page).waitFor();
      await page.reload();
      await json(page).waitFor();
    });
  });
}
