import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Message } from '../../../services/messages/message.ts';
import { Catalog } from '../../../services/questions/catalog/catalog.ts';
import type { AnalyticsReader } from '../../../services/stores/analytics/analytics-store.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { EMBEDDED, sharedStore } from '../../support/stores/analytics-stores.ts';
import { MemoryAnalytics } from '../../support/http/reading-fakes.ts';
import { OTHER_PROJECT, OTHER_READ_KEY, PROJECT, ReadingServer } from '../../support/http/reading-server.ts';

const NAMES = ['It\'s "quoted"', 'Überraschung 😀/%', 'Order Completed', 'a\nb'];
const BY_NAME = [...NAMES].sort();
const store = sharedStore(EMBEDDED);
let server: ReadingServer;

function of(projectId: string, messages: readonly Message[]): Message[] {
  return messages.map((message) => ({ ...message, projectId }));
}

beforeAll(async () => {
  const make = new MessageMaker();
  const mine = NAMES.flatMap((event, index) =>
    Array.from({ length: index + 1 }, (_, copy) =>
      make.track({ event, properties: `{"total":${copy === 0 ? '"free"' : `10.5${copy}`},"é'":null}` }),
    ),
  );
  const traits = `{"plan":"pro","long":"${'x'.repeat(500)}","size":12345678901234567890123}`;
  await insert(store(), of(PROJECT.id, [...mine, make.identify({ traits })]));
  await insert(store(), of(OTHER_PROJECT.id, [make.track({ event: 'Theirs', properties: '{"secret":1}' })]));
});

beforeEach(async () => {
  server = await ReadingServer.start();
  server.analytics.ask = (query, limits) => store().ask(query, limits);
});

afterEach(() => server.stop());

interface Body {
  readonly events: readonly { readonly name: string; readonly count: number }[];
  readonly properties: readonly { readonly name: string; readonly examples: readonly string[] }[];
  readonly traits: readonly { readonly name: string; readonly examples: readonly string[] }[];
  readonly next_cursor: string | null;
}

async function get(path: string, key?: string): Promise<Body> {
  const response = await server.request(path, {}, key);
  expect(response.status).toBe(200);
  return (await response.json()) as Body;
}

async function refusalOf(path: string, key?: string): Promise<object> {
  const response = await server.request(path, {}, key);
  return { ...((await response.json()) as object), status: response.status };
}

function propertiesPath(event: string): string {
  return `/v1/catalog/events/${encodeURIComponent(event)}/properties`;
}

describe('the catalog of events', () => {
  test('the catalog lists the names of a project, the most frequent first, and of no other project', async () => {
    const body = await get('/v1/catalog/events');

    expect(body).toMatchObject({ exact: true, truncated: false, next_cursor: null });
    expect(body.events.map(({ name, count }) => [name, count])).toEqual(
      NAMES.map((name, index) => [name, index + 1]).toReversed(),
    );
    expect(body.events[0]).toEqual({
      name: 'a\nb',
      count: 4,
      first_seen: '2026-11-20T12:00:00.000006Z',
      last_seen: '2026-11-20T12:00:00.000009Z',
    });
    expect((await get('/v1/catalog/events', OTHER_READ_KEY)).events).toMatchObject([{ name: 'Theirs', count: 1 }]);
  });

  test('pages of the catalog together have every name once, in either order', async () => {
    for (const [order, expected] of [
      ['name', BY_NAME],
      ['count', NAMES.toReversed()],
    ] as const) {
      const names: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page = await get(`/v1/catalog/events?limit=1&order=${order}${cursor && `&cursor=${cursor}`}`);
        names.push(...page.events.map(({ name }) => name));
        cursor = page.next_cursor;
      }
      expect(names, order).toEqual(expected);
    }
  });

  test('a prefix leaves the names that begin with it', async () => {
    const { events } = await get(`/v1/catalog/events?prefix=${encodeURIComponent("It's")}`);

    expect(events.map(({ name }) => name)).toEqual([NAMES[0]]);
  });

  test('a text leaves the names that have it within, in upper or lower case', async () => {
    const { events } = await get(
      `/v1/catalog/events?search=${encodeURIComponent((NAMES[0] ?? '').slice(1).toUpperCase())}`,
    );

    expect(events.map(({ name }) => name)).toEqual([NAMES[0]]);
  });
});

describe('the catalog of properties', () => {
  test('a property has its types with their shares, and examples with the digits that were sent', async () => {
    const body = await get(`${propertiesPath('a\nb')}?order=name`);

    const seen = { first_seen: '2026-11-20T12:00:00.000006Z', last_seen: '2026-11-20T12:00:00.000009Z' };
    expect(body).toEqual({
      event: { name: 'a\nb', count: 4, ...seen },
      properties: [
        {
          name: 'total',
          count: 4,
          ...seen,
          types: [
            { type: 'number', count: 3, share: 0.75 },
            { type: 'text', count: 1, share: 0.25 },
          ],
          examples: ['"free"', '10.51', '10.52', '10.53'],
        },
        { name: "é'", count: 4, ...seen, types: [{ type: 'null', count: 4, share: 1 }], examples: ['null'] },
      ],
      exact: true,
      truncated: false,
      next_cursor: null,
    });
  });

  test('properties are found under a name with quotes, slashes and characters of any alphabet', async () => {
    for (const name of NAMES) expect(await get(propertiesPath(name)), name).toMatchObject({ event: { name } });
  });

  test('an event of another project is not found', async () => {
    expect(await refusalOf(propertiesPath('Theirs'))).toMatchObject({
      status: 404,
      detail: 'This project has no event of this name.',
    });
    expect(await refusalOf(propertiesPath('Order Completed'), OTHER_READ_KEY)).toMatchObject({ status: 404 });
  });
});

test('the catalog of traits cuts long examples', async () => {
  const { traits } = await get('/v1/catalog/traits?order=name');

  expect(traits.map(({ name, examples }) => [name, examples])).toEqual([
    ['long', [`"${'x'.repeat(199)}`]],
    ['plan', ['"pro"']],
    ['size', ['12345678901234567890123']],
  ]);
  expect(traits[2]).toMatchObject({ types: [{ type: 'number', count: 1, share: 1 }] });
});

describe('refusals of the catalog', () => {
  const PATHS = ['/v1/catalog/events', '/v1/catalog/traits', propertiesPath('Order Completed')];

  test('a cursor is refused in another order than that it was given for', async () => {
    const { next_cursor: byCount } = await get('/v1/catalog/events?limit=1');

    for (const path of PATHS)
      expect(await refusalOf(`${path}?cursor=${byCount}&order=name`)).toMatchObject({
        status: 400,
        detail: expect.stringContaining('cursor') as string,
      });
  });

  test('the name of an event is as long as one may be', async () => {
    expect(await refusalOf(propertiesPath('x'.repeat(513)))).toMatchObject({
      status: 400,
      detail: 'name must have 1 to 512 characters, not 513',
    });
    expect(await refusalOf(propertiesPath('\0'))).toMatchObject({ status: 400 });
  });
});

describe('what the process keeps of a catalog', () => {
  const rows = (count: string): Awaited<ReturnType<AnalyticsReader['ask']>> => {
    const row = { name: 'Ran', times: count, first: '0', last: '0' };
    return { rows: [row], tookMs: 1, rowsRead: 1, bytesRead: 1 };
  };

  function catalogOf(analytics: AnalyticsReader) {
    const clock = { nowMs: 0 };
    const catalog = new Catalog({ analytics, limitsOf: () => AMPLE, monotonicMs: () => clock.nowMs });
    return { clock, countOf: async () => (await catalog.events(PROJECT)).entries[0]?.count };
  }

  test('a count is kept for less than a minute', async () => {
    const analytics = new MemoryAnalytics();
    const { clock, countOf } = catalogOf(analytics);
    analytics.answer = () => rows('1');
    expect(await countOf()).toBe(1);
    analytics.answer = () => rows('2');

    expect(await countOf()).toBe(1);
    clock.nowMs = 55_000;
    expect(await countOf()).toBe(2);
  });

  test('a failure is not kept', async () => {
    const analytics = new MemoryAnalytics();
    const { countOf } = catalogOf(analytics);
    analytics.unreachable = true;
    await expect(countOf()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    analytics.unreachable = false;
    analytics.answer = () => rows('1');

    expect(await countOf()).toBe(1);
  });

  test('many rows are counted without reading each', async () => {
    const analytics = new MemoryAnalytics();
    const asked: string[] = [];
    analytics.answer = ({ sql }) => {
      asked.push(sql);
      return rows('100000000');
    };
    const catalog = new Catalog({ analytics, limitsOf: () => AMPLE });

    expect(await catalog.events(PROJECT)).toMatchObject({ isExact: false, entries: [{ count: 100_000_000 }] });
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((sql) => sql.includes('FINAL'))).toEqual([]);
  });
});
