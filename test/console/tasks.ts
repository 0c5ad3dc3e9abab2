/**
 * Five tasks that somebody has, done in a browser on a service of its own with the demo's shop. Prints one line of JSON each: the clicks, the keys
 * that are typed, and the seconds from the first look at the screen to the end, without anybody who thinks in between.
 *
 *   node test/console/tasks.ts
 */
import { loadavg } from 'node:os';
import type { Locator, Page } from 'playwright-core';
import { identify, recordOf } from '../support/messages/messages.ts';
import { appendToOwnLog } from '../support/service/own-log.ts';
import { ADMIN_KEY, Scene } from './scene.ts';

/** What was done by hand, counted. A choice in a list is one click. */
class Hand {
  readonly page: Page;
  clicks = 0;
  keys = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async click(what: Locator): Promise<void> {
    this.clicks++;
    await what.click();
  }

  async choose(list: Locator, value: string): Promise<void> {
    this.clicks++;
    await list.selectOption(value);
  }

  /** Into what has the caret. */
  async type(text: string): Promise<void> {
    this.keys += text.length;
    await this.page.keyboard.type(text);
  }

  async press(key: string): Promise<void> {
    this.keys++;
    await this.page.keyboard.press(key);
  }
}

interface Task {
  readonly name: string;
  /** Where it begins, and with which key. */
  readonly address: string;
  readonly isAdmin?: boolean;
  readonly run: (hand: Hand) => Promise<void>;
}

/** Written into the field that has the caret, once what is suggested there has come. */
async function chooseWritten(hand: Hand, text: string): Promise<void> {
  await hand.page.getByRole('listbox').waitFor();
  await hand.type(text);
  await hand.press('ArrowDown');
  await hand.press('Enter');
}

async function addCondition(hand: Hand, text: string): Promise<void> {
  await hand.click(hand.page.getByRole('button', { name: '+ Condition' }).last());
  await hand.page.getByRole('listbox').waitFor();
  await hand.type(text);
  await hand.press('Enter');
}

const TASKS: readonly Task[] = [
  {
    name: 'Did my event arrive? Asked afterwards',
    address: '#/',
    run: async (hand) => {
      const { page } = hand;
      await hand.click(page.getByRole('link', { name: 'Live', exact: true }));
      await hand.click(page.getByLabel('User', { exact: true }));
      await hand.type('dennis');
      await hand.press('Enter');
      await hand.click(page.getByRole('button', { name: /Order Completed/ }).first());
      await page.locator('.panel .steps li.done').nth(2).waitFor();
    },
  },
  {
    name: 'Build and save: ordered for more than 100 in 30 days, pro, not in DE',
    address: '#/audiences',
    run: async (hand) => {
      const { page } = hand;
      await hand.click(page.getByRole('link', { name: 'New audience' }));
      await addCondition(hand, 'Order Com');
      await hand.click(page.getByRole('button', { name: '+ where' }));
      await chooseWritten(hand, 'total');
      await hand.choose(page.getByLabel('Comparison'), 'gt');
      await hand.click(page.getByRole('textbox', { name: 'Value' }));
      await hand.press('Control+a');
      await hand.type('100');
      await hand.click(page.getByRole('button', { name: '+ when' }));
      await addCondition(hand, 'plan');
      await chooseWritten(hand, 'pro');
      await addCondition(hand, 'country');
      const country = page.getByRole('group', { name: /^their country/ }).last();
      await hand.choose(country.getByLabel('Comparison'), 'not in');
      await hand.click(country.getByRole('combobox', { name: 'Value 1', exact: true }));
      await hand.press('Control+a');
      await hand.type('DE');
      await hand.click(page.getByLabel('Name'));
      await hand.type('Over 100');
      await hand.click(page.getByRole('button', { name: 'Save' }));
      await page.locator('.summary .size', { hasText: /\d+ user/ }).waitFor();
    },
  },
  {
    name: 'Why is Dennis in this audience? From his name',
    address: '#/',
    run: async (hand) => {
      const { page } = hand;
      await hand.click(page.getByRole('button', { name: 'Search' }));
      await page.getByRole('combobox', { name: 'Search' }).waitFor();
      await hand.type('Dennis of the');
      await hand.click(page.getByRole('dialog').getByRole('option', { name: /Dennis of the tasks/ }));
      await hand.click(page.getByRole('button', { name: /^In Big spenders/ }));
      await page.locator('.why .part').nth(3).waitFor();
    },
  },
  {
    name: 'Correct a dead letter, and see it in the profile',
    address: '#/',
    isAdmin: true,
    run: async (hand) => {
      const { page } = hand;
      await hand.click(page.getByRole('link', { name: 'See the dead letters' }));
      await hand.click(page.locator('main [data-row]').first());
      const editor = page.locator('textarea');
      await editor.waitFor();
      const text = await editor.inputValue();
      hand.keys += String.raw`\u0000`.length;
      await editor.fill(text.replace(String.raw`\u0000`, ''));
      await hand.click(page.getByRole('button', { name: 'Send the corrected message' }));
      await hand.click(page.locator('.sent h2').getByRole('link'));
      await page.getByText('mended').first().waitFor();
    },
  },
  {
    name: 'Create a write key',
    address: '#/settings',
    isAdmin: true,
    run: async (hand) => {
      const { page } = hand;
      await hand.click(page.getByRole('link', { name: 'default' }));
      await hand.click(page.getByRole('button', { name: 'New key' }));
      await page.getByLabel('Used by').waitFor();
      await hand.type('Web shop');
      await hand.click(page.getByRole('checkbox', { name: /^write/ }));
      await hand.click(page.getByRole('button', { name: 'Create key' }));
      await page.locator('.shown-once pre').waitFor();
    },
  },
];

async function admin(scene: Scene, path: string, body?: unknown): Promise<unknown> {
  return (await scene.service.request(path, body, { api_key: ADMIN_KEY })).json();
}

/** Dennis, who ordered; an audience that he is in; and a message of his that no store takes. */
async function prepare(scene: Scene): Promise<void> {
  const { projects } = (await admin(scene, '/v1/admin/projects')) as { projects: { id: string; name: string }[] };
  const projectId = projects.find(({ name }) => name === 'default')?.id ?? '';
  const traits = { name: 'Dennis of the tasks', plan: 'pro', country: 'FR' };
  await scene.service.request('/v1/identify', { user_id: 'dennis', traits });
  const order = { user_id: 'dennis', event: 'Order Completed', properties: { total: 240, currency: 'EUR' } };
  const sent = (await (await scene.service.request('/v1/track', order)).json()) as { receipt: string };
  await scene.service.request(`/v1/receipts/${sent.receipt}?wait=30`);
  const { audiences } = (await (await scene.service.request('/v1/audiences')).json()) as {
    audiences: { id: string; name: string }[];
  };
  const big = audiences.find(({ name }) => name.startsWith('Big spenders'));
  await scene.service.request(`/v1/audiences/${big?.id}/evaluate`, {});
  const letter = { projectId, userId: 'mended\0', messageId: 'refused', traits: '{"plan":"pro"}' };
  await appendToOwnLog(scene.dataDir, [{ topic: 'tidemark.identify', ...recordOf(identify(letter)) }]);
  for (;;) {
    const page = (await admin(scene, '/v1/admin/dead-letters')) as { dead_letters: unknown[] };
    if (page.dead_letters.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const scene = await Scene.open();
try {
  await prepare(scene);
  for (const { name, address, isAdmin = false, run } of TASKS) {
    const page = await scene.signedIn(address, { isAdmin });
    await page.locator('h1').waitFor();
    const hand = new Hand(page);
    const begun = performance.now();
    await run(hand);
    const seconds = Math.round((performance.now() - begun) / 100) / 10;
    const load = Math.round((loadavg()[0] ?? 0) * 10) / 10;
    process.stdout.write(`${JSON.stringify({ name, clicks: hand.clicks, keys: hand.keys, seconds, load })}\n`);
    await scene.closePages();
  }
} finally {
  await scene.close();
}
