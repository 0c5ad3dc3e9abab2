/** What somebody does who runs the service, with an admin key. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ADMIN_KEY, ServiceProcess } from '../../support/service/service.ts';
import type { Person } from './person.ts';
import { type Shop, untilSome } from './shop.ts';
import type { Task } from './task.ts';

/** Long enough for what a job does behind the page. */
const JOB_MS = 120_000;

/** Columns that no other product has, days that may be months, and a number that is a text. */
const CSV = [
  'customer,what,when,amount',
  ...Array.from(
    { length: 40 },
    (_, i) => `u-${String(i + 1).padStart(5, '0')},Order Completed,0${1 + (i % 9)}.10.2026,${i}.5`,
  ),
  '',
].join('\n');

/** From what a service prints when it first starts to its first event. */
async function firstEvent(person: Person): Promise<string> {
  await person.write('textbox', 'Key', ADMIN_KEY);
  await person.press('button', 'Sign in');
  await person.press('button', 'Make a write key and fill it in');
  const copied = await person.watchCopies();
  await person.press('button', 'Copy the curl command');
  await promisify(execFile)('sh', ['-c', await copied()]);
  const begun = performance.now();
  const arrived = await person.read(/^Arrived: ?Order Completed/);
  // The only copy of the key is still there.
  await person.find('button', 'Copy the key');
  return `${((performance.now() - begun) / 1_000).toFixed(1)} s after curl: ${arrived}`;
}

async function onNewService(person: Person, run: () => Promise<string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-first-'));
  const service = await ServiceProcess.start(folder, {});
  try {
    await person.page.goto(`${service.url}/console/`);
    person.begin();
    return await run();
  } finally {
    person.end();
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

export const OPERATOR_TASKS: readonly Task[] = [
  {
    number: 1,
    name: 'Printed line → first event seen',
    before: '2 clicks + paste, 1.5 s after curl',
    from: 'the sign-in',
    isAdmin: true,
    run: async (person) => onNewService(person, async () => firstEvent(person)),
  },
  {
    number: 8,
    name: 'Replay a dead letter',
    before: '4 clicks, stored 0.4 s after sending',
    from: 'Today',
    isAdmin: true,
    run: async (person) => {
      await person.press('link', 'See the dead letters');
      await person.press('link', /^identify of max/);
      await person.correct('textbox', /^Correct the message/, (text) => text.replace(String.raw`max\u0000`, 'max'));
      await person.press('button', 'Try it');
      await person.read(/^would store it/);
      await person.press('button', 'Send the corrected message');
      const begun = performance.now();
      await person.find('heading', 'Sent, and in the profile of max.');
      return `in the profile ${((performance.now() - begun) / 1_000).toFixed(1)} s after sending`;
    },
  },
  {
    number: 9,
    name: 'Forget, show the proof',
    before: 'fails: no page has the certificate',
    from: 'the user',
    isAdmin: true,
    opens: ({ forgotten }) => `#/users/${forgotten}`,
    run: async (person, { forgotten }) => {
      await person.press('button', 'Forget…');
      await person.write('textbox', /^To confirm, type/, forgotten);
      await person.press('button', 'Forget for good');
      await person.find('heading', 'Forgotten people');
      const sentS = person.seconds;
      const proof = await person.find('button', 'Download certificate', { timeoutMs: 3 * JOB_MS });
      const [file] = await Promise.all([person.page.waitForEvent('download'), proof.click()]);
      person.clicks += 1;
      return `${file.suggestedFilename()}; sent after ${sentS.toFixed(1)} s, the rest is the service's job`;
    },
  },
  {
    number: 10,
    name: 'A backup',
    before: '2 clicks, 4 s; fails in the demo',
    from: 'Today',
    isAdmin: true,
    run: async (person) => {
      await person.press('link', 'Backups');
      await person.press('button', 'Back up now');
      await person.find('cell', 'Done', { timeoutMs: JOB_MS });
    },
  },
  {
    number: 11,
    name: 'All right tonight?',
    before: '0-1 clicks, 0.6 s',
    from: 'Today',
    isAdmin: true,
    run: async (person) => {
      await person.page.reload();
      const line = await person.find('button', /^(All systems normal|\d+ issues? needs? attention)$/);
      return line.innerText();
    },
  },
  {
    number: 12,
    name: 'Import a CSV',
    before: '7 clicks, 4 doubts; amounts became text',
    from: 'Today',
    isAdmin: true,
    run: async (person, shop) => {
      await person.press('link', 'Imports');
      await person.press('link', 'Import a file');
      const [choice] = await Promise.all([
        person.page.waitForEvent('filechooser', { timeout: 20_000 }),
        person.press('button', 'Choose a file'),
      ]);
      await choice.setFiles({ name: 'history.csv', mimeType: 'text/csv', buffer: Buffer.from(CSV) });
      await person.press('button', /^Day first/);
      await person.read('All of these are valid');
      await person.press('button', 'Check the whole file');
      await person.read('Only checked: nothing was imported.', { timeoutMs: JOB_MS });
      await person.press('button', 'Import into default');
      await person.read('an uploaded file');
      await person.read('Done', { timeoutMs: JOB_MS });
      await untilSome(async () => amountsIn(shop));
      return 'amounts are numbers';
    },
  },
  {
    number: 13,
    name: 'Key for a colleague',
    before: '5 clicks',
    from: 'Today',
    isAdmin: true,
    run: async (person) => {
      await person.press('link', 'Settings');
      await person.press('link', 'default');
      await person.press('button', 'Invite…');
      await person.write('textbox', 'Name of the person', 'Anna');
      await person.press('button', 'Make the invitation');
      const copied = await person.watchCopies();
      await person.press('button', 'Copy the invitation');
      const text = await copied();
      if (!/\/console\/\n.*key: \S+\n.*Anna/.test(text)) throw new Error(`The invitation is not whole: ${text}`);
      return 'address, name and key are copied at once';
    },
  },
];

interface Property {
  readonly name: string;
  readonly types: readonly { readonly type: string }[];
}

/** What the imported amounts are, where they are numbers. */
async function amountsIn({ scene }: Shop): Promise<readonly Property[]> {
  const path = '/v1/catalog/events/Order%20Completed/properties';
  const { properties } = await scene.service.ask<{ properties: readonly Property[] }>(path);
  return properties.filter(({ name, types }) => name === 'amount' && types.some(({ type }) => type === 'number'));
}
