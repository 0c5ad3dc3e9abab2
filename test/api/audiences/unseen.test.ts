/** What a definition names that no message had: the answers say so, and refuse nothing. */
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Message } from '../../../services/messages/message.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import type { Query } from '../../../services/stores/analytics/analytics-store.ts';
import { insert, MessageMaker } from '../../support/stores/analytics.ts';
import { EMBEDDED, sharedStore } from '../../support/stores/analytics-stores.ts';
import { AUDIENCES_KEY, PROJECT, ReadingServer } from '../../support/http/reading-server.ts';

const store = sharedStore(EMBEDDED);
let reading: ReadingServer;
let queries: Query[];

beforeAll(async () => {
  const make = new MessageMaker();
  const orders = ['12.5', '100'].map((total, n) => {
    const user = { userId: `u${n}` };
    return [
      make.track({ ...user, event: 'Order Completed', properties: `{"total":${total},"code":"A${n}","of":{"n":1}}` }),
      make.identify({ ...user, traits: `{"plan":"pro","mail":"U${n}@ACME.com","address":{"city":"Wien"},"age":4}` }),
    ];
  });
  const messages: readonly Message[] = [...orders.flat(), make.track({ userId: 'u0', event: 'Page Viewed' })];
  await insert(
    store(),
    messages.map((message) => ({ ...message, projectId: PROJECT.id })),
  );
});

beforeEach(async () => {
  reading = await ReadingServer.start();
  queries = [];
  reading.analytics.ask = (query, limits) => {
    queries.push(query);
    return store().ask(query, limits);
  };
});

afterEach(() => reading.stop());

interface Warned {
  readonly pointer: string;
  readonly message: string;
  readonly instead?: unknown;
}

interface Body {
  readonly id: string;
  readonly count: number;
  readonly warnings?: readonly Warned[];
}

async function post(path: string, body: object, method = 'POST'): Promise<Body> {
  const response = await reading.request(path, { method, body: JSON.stringify(body) }, AUDIENCES_KEY);
  expect(response.ok).toBe(true);
  return (await response.json()) as Body;
}

/** By pointer from the definition, what is meant instead; null where that is not known. */
async function warned(definition: object): Promise<object> {
  const { warnings = [] } = await post('/v1/audiences/preview', { definition });
  return Object.fromEntries(
    warnings.map(({ pointer, instead }) => [pointer.slice('/definition'.length), instead ?? null]),
  );
}

const ordered = (more: object): object => ({ event: 'Order Completed', ...more });

test('a misspelt event inside not finds everybody, and the answer says that no event has that name', async () => {
  const preview = await post('/v1/audiences/preview', { definition: { not: { event: 'Ordr Completed' } } });

  expect(preview).toMatchObject({ count: 2, warnings: [{ pointer: '/definition/not/event' }] });
  expect(await warned({ not: { event: 'Order Completed' } })).toEqual({});
});

test('a name in other letter case or with other blanks is told the one that there is', async () => {
  expect(await warned({ event: 'order_completed' })).toEqual({ '/event': 'Order Completed' });
  expect(await warned({ any: [{ event: ['Order Completed', 'PAGE VIEWED'] }, { trait: 'Plan', is: 'pro' }] })).toEqual({
    '/any/0/event/1': 'Page Viewed',
    '/any/1/trait': 'plan',
  });
  expect(await warned(ordered({ where: [{ property: 'Total', gt: 1 }] }))).toEqual({ '/where/0/property': 'total' });
  expect(await warned(ordered({ where: [{ property: ['OF', 'n'], gt: 0 }] }))).toEqual({ '/where/0/property/0': 'of' });
});

test('a later event, a property and what is summed are looked at, too', async () => {
  const later = { event: 'Page Viewd', within: '1d' };
  expect(await warned(ordered({ not_followed_by: later }))).toEqual({ '/not_followed_by/event': null });
  expect(await warned(ordered({ followed_by: later }))).toEqual({ '/followed_by/event': null });
  expect(await warned(ordered({ measure: { sum: 'totl', gte: 1 } }))).toEqual({ '/measure/sum': null });
  expect(await warned(ordered({ measure: { sum: 'code', gte: 1 } }))).toEqual({ '/measure/sum': null });
  expect(await warned(ordered({ measure: { distinct: 'code', gte: 1 } }))).toEqual({});
  expect(await warned({ event: { any: true }, where: [{ property: 'nothing', is: 1 }] })).toEqual({});
});

test('a value of a type that the data never had is told the one that it has', async () => {
  expect(await warned(ordered({ where: [{ property: 'total', gt: '100' }] }))).toEqual({ '/where/0/gt': 100 });
  expect(await warned(ordered({ where: [{ property: 'code', is: 5 }] }))).toEqual({ '/where/0/is': '5' });
  expect(await warned({ trait: 'plan', contains: true })).toEqual({ '/contains': null });
  expect(await warned({ trait: 'age', date: { last: '1d' } })).toEqual({ '/date': null });
  expect(await warned({ trait: 'plan', has: [{ property: 'n', is: 1 }] })).toEqual({ '/has': null });
  expect(await warned({ trait: 'age', in: [4, 'four'] })).toEqual({ '/in': null });
  expect(await warned({ trait: ['address', 'city'], is: 5 })).toEqual({ '/is': '5' });
  expect(await warned({ trait: ['address', 'city'], is: 'Wien' })).toEqual({});
  expect(await warned({ trait: 'age', exists: false })).toEqual({});
});

test('a text in other letter case is told the value that was seen, and how many ignore_case finds', async () => {
  expect(await warned({ not: { trait: 'plan', is: 'Pro' } })).toEqual({ '/not/is': 'pro' });
  expect(await warned({ trait: 'mail', ends_with: '@acme.com' })).toEqual({ '/ends_with': null });
  expect(await warned({ trait: 'mail', ends_with: '@acme.com', ignore_case: true })).toEqual({});
  const found = await post('/v1/audiences/preview', { definition: { trait: 'mail', matches: '@acme' } });
  expect(found.warnings).toEqual([
    { pointer: '/definition', message: expect.stringContaining('2 with "ignore_case"') },
  ]);
});

test('saving, changing, explaining and listing say the same', async () => {
  const definition = { trait: 'paln', is: 'pro' };

  const saved = await post('/v1/audiences', { name: 'Misspelt', definition });
  const answers = [
    saved,
    await post(`/v1/audiences/${saved.id}`, { definition }, 'PATCH'),
    await post('/v1/audiences/explain', { definition }),
  ];
  const listed = await post('/v1/users/query', { users: definition });

  expect(answers.map(({ warnings = [] }) => warnings.map(({ pointer }) => pointer))).toEqual(
    answers.map(() => ['/definition/trait']),
  );
  expect(listed.warnings?.map(({ pointer }) => pointer)).toEqual(['/users/trait']);
});

test('however many conditions there are, the catalog is asked once, and where it cannot be asked nothing is refused', async () => {
  const many = Array.from({ length: 40 }, (_, n) => ordered({ where: [{ property: 'total', gt: n }] }));

  await post('/v1/audiences', { name: 'Many', definition: { any: many } });

  // Two for the names of events, three for the properties of this one.
  expect(queries.length).toBeGreaterThan(0);
  expect(queries.length).toBeLessThanOrEqual(5);
  reading.analytics.ask = () => Promise.reject(new TidemarkError('STORE_UNAVAILABLE', 'gone'));
  const saved = await post('/v1/audiences', { name: 'Unreachable', definition: { event: 'Anything' } });
  expect(saved).not.toHaveProperty('warnings');
});
