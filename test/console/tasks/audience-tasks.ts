/** What somebody does who works with audiences: a key that reads and saves audiences is enough. */
import { oneLine, type Person } from './person.ts';
import type { Task } from './task.ts';

/** A figure that is not the one of before. */
async function usersFound(person: Person): Promise<string> {
  const bar = await person.find('region', 'How many users');
  // What was changed last is asked about once it is painted.
  await person.page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
  await bar.getByText('Counting…').waitFor({ state: 'detached' });
  return oneLine(await bar.getByText(/^[\d,]+ users?\b/).innerText());
}

async function newAudience(person: Person): Promise<void> {
  await person.press('link', 'Audiences');
  await person.press('link', 'New audience');
}

async function addCondition(person: Person, text: string, wanted: RegExp): Promise<void> {
  await person.press('button', '+ Condition');
  await person.pick(text, wanted);
}

export const AUDIENCE_TASKS: readonly Task[] = [
  {
    number: 2,
    name: 'The long audience, saved, live, to a webhook',
    before: '16 + 6 clicks, 20 s to save',
    from: 'Today',
    run: async (person, { hook }) => {
      const begun = performance.now();
      await newAudience(person);
      await addCondition(person, 'order c', /^Order Completed/);
      await person.press('button', '+ filter');
      await person.pick('total', /^total/);
      const order = await person.find('group', /^did Order Completed/);
      await person.choose('Comparison', 'is more than', { within: order });
      await person.write('textbox', 'Value', '100', { within: order });
      await person.press('button', '+ when', { within: order });
      await person.press('button', '+ but not then', { within: order });
      await person.pick('any', /^anything/);
      await addCondition(person, 'plan', /^plan/);
      await person.pick('pro', /^pro$/);
      await addCondition(person, 'support', /^Support Requested/);
      await person.choose('Did or not', 'did not do', { within: await person.find('group', /^did Support Requested/) });
      const found = await usersFound(person);
      await person.write('textbox', 'Name', 'Pro, one big order, did not return');
      await person.choose('Updates', 'Updates live');
      await person.press('button', 'Save');
      await person.find('heading', 'Pro, one big order, did not return');
      const savedS = (performance.now() - begun) / 1_000;
      const { clicks } = person;
      await person.open('Send to…');
      await person.press('button', 'A new webhook…');
      await person.write('textbox', 'URL', hook);
      await person.press('button', 'Create webhook');
      await person.press('button', 'Done');
      const sent = await person.find('group', 'Sent to');
      await person.read('Up to date', { within: sent, timeoutMs: 60_000 });
      return `${found}; saved after ${savedS.toFixed(1)} s and ${clicks} clicks`;
    },
  },
  {
    number: 3,
    name: 'Why, until when',
    before: '1 click',
    from: 'the audience',
    opens: ({ cart }) => `#/audiences/${cart}`,
    run: async (person) => {
      await person.press('button', /^Why\?/);
      return person.read(/^In this audience,/);
    },
  },
  {
    number: 4,
    name: 'Last week of user X',
    before: '2 clicks',
    from: 'the user',
    opens: ({ known }) => `#/users/${known.user_id}`,
    run: async (person) => {
      await person.press('button', 'Filter');
      const week = new Date(Date.now() - 7 * 86_400_000).toISOString().slice(0, 10);
      await person.write('textbox', 'Since', week);
      await person.read(/^(There is nothing earlier like this\.|Nothing like this\.)$/);
    },
  },
  {
    number: 5,
    name: 'Abandoned cart',
    before: '5 clicks, 2.8 s',
    from: 'Today',
    run: async (person) => {
      await newAudience(person);
      await addCondition(person, 'check', /^Checkout Started/);
      await person.press('button', '+ but not then');
      await person.pick('order', /^Order Completed/);
      const cart = await person.find('group', /^did Checkout Started/);
      await person.write('textbox', 'How many', '24', { within: cart });
      await person.choose('Unit', 'hours', { within: cart });
      await person.find('group', /^did Checkout Started, not followed by Order Completed within 24 hours$/);
      return usersFound(person);
    },
  },
  {
    number: 6,
    name: 'Orders a day by plan, compared',
    before: '3 clicks',
    from: 'the event',
    opens: () => '#/events/Order%20Completed',
    run: async (person) => {
      await person.choose('Split by', 'plan');
      await person.press('checkbox', 'Compare with the period before');
      await person.find('columnheader', 'Period before');
      await person.open('Show as a table');
      await person.find('columnheader', /^“?pro”?, before$/);
    },
  },
  {
    number: 7,
    name: 'Refused today, how to mend',
    before: '2 clicks',
    from: 'Today',
    run: async (person) => {
      await person.press('link', /^Rejected today/);
      await person.press('button', /^traits must be an object/);
      await person.read('What to do');
      await person.find('button', 'Copy corrected request');
      return person.read(/^Send traits as an object/);
    },
  },
  {
    number: 14,
    name: 'User by email',
    before: '1 click + typing, 1.6 s',
    from: 'Today',
    run: async (person, { known }) => {
      await person.key('Control+k');
      await person.pick(known.email.split('@')[0] ?? '', new RegExp(known.email.replaceAll('.', String.raw`\.`)));
      await person.find('heading', known.name);
    },
  },
  {
    number: 15,
    name: 'Undo a mistake, in the builder and in what is saved',
    before: '1-3 clicks',
    from: 'the audience',
    opens: ({ mistaken }) => `#/audiences/${mistaken}`,
    run: async (person) => {
      await person.press('link', 'Edit');
      await person.press('button', /^Remove: their plan/);
      await person.key('Control+z');
      await person.find('group', /^their plan is “Pro”/);
      await person.back();
      await person.press('link', 'History');
      await person.press('link', 'Restore this version…');
      const effect = await person.read(/^adds [1-9]/);
      await person.press('button', 'Save');
      await person.find('heading', 'Paying customers');
      return effect;
    },
  },
];
