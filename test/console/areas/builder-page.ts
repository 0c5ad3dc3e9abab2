import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Scene } from '../scene.ts';

/** The builder, with the JSON beside the sentences, and what tests do there. */
export function builderOf(scene: () => Scene) {
  const opened = async (definition?: unknown, rest = ''): Promise<Page> => {
    const text = typeof definition === 'string' ? definition : JSON.stringify(definition);
    const query = definition === undefined ? '' : `?definition=${encodeURIComponent(text)}`;
    return withJson(await scene().signedIn(`#/audiences/new${query}${rest}`));
  };
  const withJson = async (page: Page): Promise<Page> => {
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    return page;
  };
  /** By the keyboard alone, as it is written. */
  const addCondition = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('button', { name: '+ Condition' }).last().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('listbox').waitFor();
    await page.keyboard.type(name);
    await page.keyboard.press('Enter');
  };
  /** In the field that has the caret, once what is suggested there has come. */
  const chooseWritten = async (page: Page, text: string): Promise<void> => {
    await page.getByRole('listbox').waitFor();
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };

  const json = (page: Page) => page.getByLabel('The definition as JSON');
  const documentOf = async (page: Page): Promise<unknown> => JSON.parse(await json(page).inputValue()) as unknown;
  const expectDocument = async (page: Page, wanted: unknown) => expect.poll(() => documentOf(page)).toEqual(wanted);
  const figure = (page: Page) => page.getByRole('region', { name: 'How many users' }).locator('.figure:not(.stale)');
  const line = (page: Page, name: string | RegExp) => page.getByRole('group', { name }).last();
  return { opened, withJson, addCondition, chooseWritten, json, documentOf, expectDocument, figure, line };
}
