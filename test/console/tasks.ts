/**
 * Does what people want done in the console, as they would, with the shop of the demo, and prints a table of what each takes:
 *
 *   node test/console/tasks.ts                       # all fifteen
 *   node test/console/tasks.ts --only 2,12           # some of them
 *   node test/console/tasks.ts --browser firefox     # Debian's
 *
 * Seconds are those of a script, which does not read. A task that cannot be done says what was missing, and the exit code
 * is 1; `--pictures FOLDER` keeps the page as it was then.
 */
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { BrowserName } from './browser.ts';
import { AUDIENCE_TASKS } from './tasks/audience-tasks.ts';
import { OPERATOR_TASKS } from './tasks/operator-tasks.ts';
import { Person } from './tasks/person.ts';
import { openShop, type Shop } from './tasks/shop.ts';
import type { Task } from './tasks/task.ts';

const { values } = parseArgs({
  options: {
    browser: { type: 'string', default: 'chromium' },
    only: { type: 'string' },
    pictures: { type: 'string' },
    users: { type: 'string', default: '5000' },
  },
});

interface Done {
  readonly task: Task;
  readonly person: Person;
  readonly seconds: number;
  readonly seen: string;
  readonly isFailed: boolean;
}

async function done(task: Task, shop: Shop): Promise<Done> {
  const { isAdmin = false, opens = () => '#/' } = task;
  const person = new Person(await shop.scene.signedIn(opens(shop), { isAdmin }));
  await person.find('heading', /./);
  person.begin();
  const seen = task.run(person, shop).then((text) => ({ seen: text ?? '', isFailed: false }));
  const outcome = await seen.catch(async (error: unknown) => {
    if (values.pictures !== undefined)
      await person.page.screenshot({ path: join(values.pictures, `task-${task.number}.png`) });
    return { seen: `FAILS: ${error instanceof Error ? error.message : String(error)}`, isFailed: true };
  });
  const { seconds } = person;
  await shop.scene.closePages();
  return { task, person, seconds, ...outcome };
}

const HEAD = ['#', 'Task', 'From', 'Before', 'Clicks', 'Choices', 'Fields', 'Seconds', 'What was seen'];

function lineOf({ task: { number, name, from, before }, person, seconds, seen }: Done): string {
  const { clicks, choices, typed } = person;
  return cells([number, name, from, before, clicks, choices, typed, seconds.toFixed(1), seen]);
}

function cells(texts: readonly (string | number)[]): string {
  return `| ${texts.join(' | ')} |\n`;
}

const numbers = values.only?.split(',').map(Number);
const chosenTasks = [...AUDIENCE_TASKS, ...OPERATOR_TASKS]
  .filter(({ number }) => numbers === undefined || numbers.includes(number))
  .toSorted((one, other) => one.number - other.number);
const opened = await openShop(Number(values.users), values.browser as BrowserName);
try {
  process.stdout.write(cells(HEAD) + cells(HEAD.map(() => '---')));
  for (const task of chosenTasks) {
    const outcome = await done(task, opened);
    process.stdout.write(lineOf(outcome));
    if (outcome.isFailed) process.exitCode = 1;
  }
  process.stdout.write(
    `\nLoad of the machine at the end: ${loadavg()
      .map((one) => one.toFixed(1))
      .join(' ')}\n`,
  );
} finally {
  await opened.close();
}
