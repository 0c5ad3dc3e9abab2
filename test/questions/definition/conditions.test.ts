/** Events of several names, dates, samples, text and other audiences: what is read, and what is refused. */
import { describe, expect, test } from 'vitest';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { audienceOf, pathsOf, read, readValue } from '../../support/messages/read-definition.ts';

/** The objects of lists in objects of lists. */
function nestedLists(lists: number, name = 'trait'): object {
  return lists === 0 ? { [name]: 'a', is: 1 } : { [name]: 'a', has: [nestedLists(lists - 1, 'property')] };
}

const PRO = { trait: 'plan', is: 'pro' };
const DAY = 86_400_000_000n;
const micros = (text: string) => BigInt(Date.parse(text)) * 1000n;

describe('a condition is read', () => {
  test.each([
    ['X', ['X']],
    [
      ['X', 'Y'],
      ['X', 'Y'],
    ],
    [{ any: true }, null],
  ])('the event %j is read as its names', (event, events) => {
    expect(audienceOf({ event })).toMatchObject({ events });
  });

  test.each([
    [{ last: '90d' }, { when: { from: { ago: 90n * DAY }, to: { ago: -1n } }, epoch: null }],
    [{ next: '7d' }, { when: { from: { ago: 0n }, to: { ago: -7n * DAY - 1n } }, epoch: null }],
    [
      { since: '+1w', epoch: 'seconds' },
      { when: { from: { ago: -7n * DAY }, to: null }, epoch: 'seconds' },
    ],
    [
      { between: ['1d', '+1d'], epoch: 'milliseconds' },
      { when: { from: { ago: DAY }, to: { ago: -DAY } }, epoch: 'milliseconds' },
    ],
    [{ before: '2026-11-20' }, { when: { from: null, to: { at: micros('2026-11-19T23:00:00Z') } }, epoch: null }],
    [{ anniversary: 'today' }, { when: { upTo: 0n }, epoch: null }],
    [{ anniversary: { next: '7d' } }, { when: { upTo: 7n * DAY }, epoch: null }],
  ])('the date %j is parsed in the timezone of the project', (date, test) => {
    const tests = [{ test: 'date', ...test, timezone: 'Europe/Berlin' }];

    expect(audienceOf({ trait: 'at', date }, 'Europe/Berlin')).toMatchObject({ tests });
  });

  test('a comparison with a text that looks like a duration is read with a warning that says what to write', () => {
    const where = [{ property: 'at', gt: '90 d', lte: '2w', is_not: '2026' }];

    const result = readValue({
      all: [
        { trait: 'signed_up', gte: '90d' },
        { event: 'X', where },
      ],
    });

    expect(result).toMatchObject({
      ok: true,
      warnings: [
        { path: '/all/0/gte', message: expect.stringContaining('{"date":{"last":"90d"}}') },
        { path: '/all/1/where/0/lte', message: expect.stringContaining('{"date":{"before":"2w"}}') },
      ],
    });
  });

  test('case is ignored by the operators of text alone', () => {
    expect(audienceOf({ trait: 'a', is: 'X', exists: true, ends_with: 'Y', ignore_case: true })).toMatchObject({
      tests: [
        { test: 'is', value: 'X', ignoresCase: true },
        { test: 'exists', value: true },
        { test: 'ends_with', value: 'Y', ignoresCase: true },
      ],
    });
    expect(audienceOf({ trait: 'a', is: 'X', ignore_case: false })).toEqual(audienceOf({ trait: 'a', is: 'X' }));
  });

  test('a list of objects is read as conditions of one of its objects', () => {
    const where = [{ property: 'items', has: [{ property: ['price', 'eur'], gt: 9007199254740993n }] }];
    const text = JSON.stringify({ event: 'X', where }, (_, value: unknown) =>
      typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value,
    );
    const price = { path: ['price', 'eur'], tests: [{ test: 'gt', value: { integer: 9007199254740993n } }] };

    expect(read(text)).toMatchObject({
      definition: { where: [{ path: ['items'], tests: [{ test: 'has', members: [price] }] }] },
    });
  });

  test('what a list of objects compares with text is warned of at its place', () => {
    expect(readValue({ trait: 'cards', has: [{ property: 'until', lt: '30d' }] })).toMatchObject({
      ok: true,
      warnings: [{ path: '/has/0/lt', message: expect.stringContaining('{"date":{"before":"30d"}}') }],
    });
  });

  test.each([
    ['10', 1_000],
    ['0.07', 7],
    ['1e2', 10_000],
    ['33.330', 3_333],
  ])('a sample of %s %% is read in hundredths', (percent, hundredths) => {
    expect(read(`{"sample":{"percent":${percent},"seed":"a"}}`)).toMatchObject({ definition: { hundredths } });
  });
});

describe('a definition that refers to saved audiences', () => {
  const refer = (definition: unknown, audiences: Readonly<Record<string, unknown>>) => {
    const saved = Object.entries(audiences).map(([id, one]) => [id, { name: `The ${id}`, definition: one }] as const);
    return readDefinition(definition, { timezone: 'UTC', audiences: new Map(saved) });
  };
  const many = (conditions: number) => ({ any: Array.from({ length: conditions }, () => PRO) });

  test('a reference is read as the definition of the other audience, however deep', () => {
    const read = refer({ not: { audience: 'b' } }, { b: { all: [{ audience: 'c' }, PRO] }, c: PRO });

    const pro = audienceOf(PRO);
    expect(read).toMatchObject({
      ok: true,
      definition: {
        kind: 'not',
        of: {
          kind: 'audience',
          id: 'b',
          name: 'The b',
          of: { kind: 'all', of: [{ kind: 'audience', id: 'c', of: pro }, pro] },
        },
      },
    });
  });

  test('what another audience compares with text is not warned of', () => {
    expect(refer({ audience: 'b' }, { b: { trait: 'at', gt: '90d' } })).toMatchObject({ ok: true, warnings: [] });
  });

  test.each([
    ['an unknown audience', { all: [PRO, { audience: 'z' }] }, {}, ['/all/1/audience']],
    ['no id', { audience: 7 }, {}, ['/audience']],
    ['something beside it', { audience: 'b', is: 1 }, { b: PRO }, ['/is']],
    [
      'a circle',
      { audience: 'b' },
      { b: { not: { audience: 'c' } }, c: { audience: 'b' } },
      ['/audience/not/audience/audience'],
    ],
    [
      'more than 1,000 conditions of others',
      { all: Array.from({ length: 11 }, () => ({ audience: 'b' })) },
      { b: many(100) },
      ['/all/10/audience/any/0'],
    ],
  ])('%s is refused', (_, definition, audiences, paths) => {
    const read = refer(definition, audiences);

    expect(read.ok ? [] : read.problems.map(({ path }) => path).slice(0, 1)).toEqual(paths);
  });

  test('a chain of more than 10 audiences is refused', () => {
    const chain = Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [`a${n}`, n === 11 ? PRO : { audience: `a${n + 1}` }]),
    );

    expect([refer({ audience: 'a2' }, chain).ok, refer({ audience: 'a1' }, chain).ok]).toEqual([true, false]);
  });
});

describe('a condition is refused, naming the place', () => {
  test.each<[unknown, string[]]>([
    [{ sample: 10 }, ['/sample']],
    [{ sample: { percent: 0, seed: 'a' } }, ['/sample/percent']],
    [{ sample: { percent: 100.01, seed: '' } }, ['/sample/percent', '/sample/seed']],
    [{ sample: { percent: 0.125, seed: 'a', of: 'b' } }, ['/sample/of', '/sample/percent']],
    [{ sample: { percent: '10' }, trait: 'a' }, ['']],
    [{ trait: 'a', ends_with: 1, matches: null }, ['/ends_with', '/matches']],
    [{ trait: 'a', matches: 'a\\' }, ['/matches']],
    [{ trait: 'a', matches: 'x{1001}' }, ['/matches']],
    [{ trait: 'a', matches: '(a{100}){20}' }, ['/matches']],
    [{ trait: 'a', matches: '\\pL{100}' }, ['/matches']],
    [{ trait: 'a', matches: 'x'.repeat(513) }, ['/matches']],
    [{ trait: 'a', is: 'x', ignore_case: 'yes' }, ['/ignore_case']],
    [{ trait: 'a', gt: 1, ignore_case: true }, ['/ignore_case']],
    [{ trait: 'a', ignore_case: true }, ['']],
    [{ trait: 'a', has: { property: 'b', is: 1 } }, ['/has']],
    [{ trait: 'a', has: [] }, ['/has']],
    [{ trait: 'a', has: ['b', { trait: 'b', is: 1 }] }, ['/has/0', '/has/1/trait', '/has/1/property']],
    [{ trait: 'a', has: [{ property: 'b' }, { property: 'c', is: null }] }, ['/has/0', '/has/1/is']],
    [{ trait: 'a', has: [{ property: 'b', is: 1 }], ignore_case: true }, ['/ignore_case']],
    [{ trait: 'a', has: Array.from({ length: 100 }, () => ({ property: 'b', is: 1 })) }, ['/has/99']],
    [nestedLists(3), []],
    [nestedLists(4), ['/has/0/has/0/has/0/has']],
    [{ event: [] }, ['/event']],
    [{ event: ['X', 'X'] }, ['/event']],
    [{ event: ['X', 7, ''] }, ['/event/1', '/event/2']],
    [{ event: Array.from({ length: 51 }, (_, index) => `${index}`) }, ['/event']],
    [{ event: { any: false } }, ['/event/any']],
    [{ event: { any: true, but: 'X' } }, ['/event/but']],
    [{ trait: 'at', date: '90d' }, ['/date']],
    [{ trait: 'at', date: {} }, ['/date']],
    [{ trait: 'at', date: { last: '1d', next: '1d' } }, ['/date']],
    [{ trait: 'at', date: { last: '+1d' } }, ['/date/last']],
    [{ trait: 'at', date: { since: '+1m' } }, ['/date/since']],
    [{ trait: 'at', date: { between: ['+2d', '+1d'] } }, ['/date/between']],
    [{ trait: 'at', date: { anniversary: true } }, ['/date/anniversary']],
    [{ trait: 'at', date: { anniversary: { next: 7 } } }, ['/date/anniversary/next']],
    [{ trait: 'at', date: { last: '1d', epoch: 'days' } }, ['/date/epoch']],
    [{ trait: 'at', date: { last: '1d', unit: 'days' } }, ['/date/unit']],
    [{ event: 'X', within: { since: '+1d' } }, ['/within/since']],
  ])('%j is refused, with the paths of its problems', (definition, paths) => {
    expect(pathsOf(definition)).toEqual(paths);
  });
});
