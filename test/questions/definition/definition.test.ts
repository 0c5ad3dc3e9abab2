import { describe, expect, test } from 'vitest';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { parseBody } from '../../../services/messages/json.ts';

/** Reads JSON text as a body is read. */
function read(text: string, timezone = 'UTC') {
  const body = parseBody(text);
  if (!body.ok) throw new Error('not JSON');
  return readDefinition(body.value.exact, { timezone });
}

function readValue(value: unknown, timezone?: string) {
  return read(JSON.stringify(value), timezone);
}

function audienceOf(value: unknown, timezone?: string) {
  const result = readValue(value, timezone);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.definition;
}

function pathsOf(value: unknown): readonly string[] {
  const result = readValue(value);
  return result.ok ? [] : result.problems.map(({ path }) => path);
}

/** `definition` nested in this number of groups. */
function nested(groups: number, definition: unknown): unknown {
  return groups === 0 ? definition : { not: nested(groups - 1, definition) };
}

const PRO = { trait: 'plan', is: 'pro' };
const DAY = 86_400_000_000n;
const micros = (text: string) => BigInt(Date.parse(text)) * 1000n;

describe('a definition is read', () => {
  test('a definition is parsed into the conditions that it describes', () => {
    const definition = {
      all: [
        { event: 'Order Completed', where: [{ property: ['cart', 'total'], gt: 50 }], count: { at_least: 3 } },
        { not: PRO },
      ],
    };

    expect(audienceOf(definition)).toEqual({
      kind: 'all',
      of: [
        {
          kind: 'event',
          events: ['Order Completed'],
          where: [{ path: ['cart', 'total'], tests: [{ test: 'gt', value: { double: 50, integer: 50n } }] }],
          times: { atLeast: 3, atMost: null },
          within: null,
          first: null,
          last: null,
          sequence: null,
          measure: null,
        },
        { kind: 'not', of: { kind: 'trait', path: ['plan'], tests: [{ test: 'is', value: 'pro' }] } },
      ],
    });
  });

  test('several operators on one member must all be true', () => {
    expect(audienceOf({ trait: 'age', gte: 18, lt: 65.5, exists: true })).toMatchObject({
      tests: [
        { test: 'exists', value: true },
        { test: 'gte', value: { integer: 18n } },
        { test: 'lt', value: { double: 65.5, integer: null } },
      ],
    });
  });

  test.each([
    ['9007199254740993', 9007199254740992, 9007199254740993n],
    ['-9223372036854775808', -(2 ** 63), -(2n ** 63n)],
    ['18446744073709551615', 2 ** 64, 2n ** 64n - 1n],
    ['18446744073709551616', 2 ** 64, null],
    ['1e3', 1000, 1000n],
    ['12.50e1', 125, 125n],
    ['0.5', 0.5, null],
    ['-0.0', 0, 0n],
    ['1e-400', 0, null],
    ['1e400', Number.MAX_VALUE, null],
    ['-1e400', -Number.MAX_VALUE, null],
  ])('the number %s is parsed with every digit', (text, double, integer) => {
    expect(read(`{"trait":"n","is":${text}}`)).toMatchObject({
      definition: { tests: [{ test: 'is', value: { double, integer } }] },
    });
  });

  test.each([
    [undefined, { atLeast: 1, atMost: null }],
    [{ at_least: 2 }, { atLeast: 2, atMost: null }],
    [{ at_most: 0 }, { atLeast: 0, atMost: 0 }],
    [
      { at_least: 1, at_most: 4 },
      { atLeast: 1, atMost: 4 },
    ],
    [{ exactly: 2 }, { atLeast: 2, atMost: 2 }],
  ])('the count %j is parsed into its bounds', (count, times) => {
    expect(audienceOf({ event: 'X', ...(count && { count }) })).toMatchObject({ times });
  });

  test.each([
    [{ last: '36h' }, { from: { ago: 129_600_000_000n }, to: { ago: -1n } }],
    [{ last: '2w' }, { from: { ago: 1_209_600_000_000n }, to: { ago: -1n } }],
    [{ since: '2026-11-20' }, { from: { at: micros('2026-11-19T23:00:00Z') }, to: null }],
    [{ before: '2026-11-20T10:00:00Z' }, { from: null, to: { at: micros('2026-11-20T10:00:00Z') } }],
    [
      { between: ['30d', '2026-07-01T00:00'] },
      { from: { ago: 2_592_000_000_000n }, to: { at: micros('2026-06-30T22:00:00Z') } },
    ],
  ])('the period %j is parsed in the timezone of the project', (within, period) => {
    expect(audienceOf({ event: 'X', within }, 'Europe/Berlin')).toMatchObject({ within: period });
  });

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
        { path: '/all/0/gte', message: expect.stringContaining('{"date":{"since":"90d"}}') },
        { path: '/all/1/where/0/lte', message: expect.stringContaining('{"date":{"before":"2w"}}') },
      ],
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

  test('a key may be any text', () => {
    expect(audienceOf({ trait: ['', 'a.b', '__proto__'], exists: true })).toMatchObject({
      path: ['', 'a.b', '__proto__'],
    });
  });

  test('a definition may have 10 nested groups and 100 conditions', () => {
    expect(pathsOf(nested(10, PRO))).toEqual([]);
    expect(pathsOf({ any: Array.from({ length: 100 }, () => PRO) })).toEqual([]);
  });
});

describe('a definition that refers to saved audiences', () => {
  const refer = (definition: unknown, audiences: Readonly<Record<string, unknown>>) => {
    const saved = Object.entries(audiences).map(
      ([id, one]) => [id, { name: `The ${id}`, definition: JSON.stringify(one) }] as const,
    );
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

describe('a definition is refused, naming the place', () => {
  test.each([
    [null, ['']],
    [[PRO], ['']],
    [{}, ['']],
    [{ ...PRO, event: 'X' }, ['']],
    [{ all: [] }, ['/all']],
    [{ any: PRO }, ['/any']],
    [{ all: [PRO, 5, { not: {} }] }, ['/all/1', '/all/2/not']],
    [{ not: PRO, because: 'x' }, ['/because']],
    [{ trait: 'plan' }, ['']],
    [{ trait: 5, is: 'pro' }, ['/trait']],
    [{ trait: [], is: 'pro' }, ['/trait']],
    [{ trait: ['a', 5], is: 'pro' }, ['/trait/1']],
    [{ trait: 'x'.repeat(513), is: 'pro' }, ['/trait']],
    [{ trait: 'plan', equals: 'pro', is: 'pro' }, ['/equals']],
    [{ trait: 'plan', 'is/not~': 'pro', is: 'pro' }, ['/is~1not~0']],
    [{ trait: 'plan', is: null }, ['/is']],
    [{ trait: 'plan', is: ['pro'] }, ['/is']],
    [{ trait: 'plan', is_not: {} }, ['/is_not']],
    [{ trait: 'plan', in: 'pro' }, ['/in']],
    [{ trait: 'plan', in: ['pro', null, {}] }, ['/in/1', '/in/2']],
    [{ trait: 'plan', in: Array.from({ length: 1001 }, () => 'x') }, ['/in']],
    [{ trait: 'plan', exists: 'yes' }, ['/exists']],
    [{ trait: 'plan', gt: true, lte: null }, ['/gt', '/lte']],
    [{ trait: 'plan', starts_with: 1, contains: [] }, ['/contains', '/starts_with']],
    [{ event: '' }, ['/event']],
    [{ event: 7, when: 'now' }, ['/when', '/event']],
    [{ sample: 10 }, ['/sample']],
    [{ sample: { percent: 0, seed: 'a' } }, ['/sample/percent']],
    [{ sample: { percent: 100.01, seed: '' } }, ['/sample/percent', '/sample/seed']],
    [{ sample: { percent: 0.125, seed: 'a', of: 'b' } }, ['/sample/of', '/sample/percent']],
    [{ sample: { percent: '10' }, trait: 'a' }, ['']],
    [{ trait: 'a', ends_with: 1, matches: null }, ['/ends_with', '/matches']],
    [{ trait: 'a', matches: '(' }, ['/matches']],
    [{ trait: 'a', matches: '(?=a)' }, ['/matches']],
    [{ trait: 'a', matches: 'x{1001}' }, ['/matches']],
    [{ trait: 'a', matches: '(a{100}){20}' }, ['/matches']],
    [{ trait: 'a', matches: '\\pL{100}' }, ['/matches']],
    [{ trait: 'a', matches: 'x'.repeat(513) }, ['/matches']],
    [{ trait: 'a', is: 'x', ignore_case: 'yes' }, ['/ignore_case']],
    [{ trait: 'a', gt: 1, ignore_case: true }, ['/ignore_case']],
    [{ trait: 'a', ignore_case: true }, ['']],
    [{ event: [] }, ['/event']],
    [{ event: ['X', 'X'] }, ['/event']],
    [{ event: ['X', 7, ''] }, ['/event/1', '/event/2']],
    [{ event: Array.from({ length: 51 }, (_, index) => `${index}`) }, ['/event']],
    [{ event: { any: false } }, ['/event/any']],
    [{ event: { any: true, but: 'X' } }, ['/event/but']],
    [{ event: 'X', where: {} }, ['/where']],
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
    [
      { event: 'X', where: [{ property: 'a' }, { trait: 'a', is: 1 }] },
      ['/where/0', '/where/1/trait', '/where/1/property'],
    ],
    [{ event: 'X', count: 3 }, ['/count']],
    [{ event: 'X', count: {} }, ['/count']],
    [{ event: 'X', count: { at_least: -1 } }, ['/count/at_least']],
    [{ event: 'X', count: { at_least: 1.5, at_most: '2' } }, ['/count/at_least', '/count/at_most']],
    [{ event: 'X', count: { exactly: 1, at_least: 1 } }, ['/count']],
    [{ event: 'X', count: { at_least: 3, at_most: 2 } }, ['/count']],
    [{ event: 'X', count: { at_most: 0 }, last: { last: '1d' } }, ['/count']],
    [{ event: 'X', within: '30d' }, ['/within']],
    [{ event: 'X', within: {} }, ['/within']],
    [{ event: 'X', within: { last: '30d', since: '2026-01-01' } }, ['/within']],
    [{ event: 'X', within: { last: '30 days' }, first: { last: '0d' } }, ['/within/last', '/first/last']],
    [{ event: 'X', within: { last: 30 } }, ['/within/last']],
    [{ event: 'X', within: { between: ['2026-01-01'] } }, ['/within/between']],
    [{ event: 'X', within: { between: ['2026-02-30', 'yesterday'] } }, ['/within/between/0', '/within/between/1']],
    [{ event: 'X', within: { between: ['2026-02-01', '2026-01-01'] } }, ['/within/between']],
    [{ event: 'X', within: { between: ['1d', '30d'] } }, ['/within/between']],
    [{ event: 'X', within: { since: 20_260_101 } }, ['/within/since']],
  ])('%j is refused, with the paths of its problems', (definition, paths) => {
    expect(pathsOf(definition)).toEqual(paths);
  });

  test('groups nested deeper than 10 are refused', () => {
    expect(pathsOf(nested(11, PRO))).toEqual(['/not'.repeat(10)]);
  });

  test('more than 100 conditions are refused, those under where included', () => {
    const where = Array.from({ length: 99 }, () => ({ property: 'a', is: 1 }));

    expect(pathsOf({ all: [{ event: 'X', where }, PRO] })).toEqual(['/all/1']);
  });

  test('a definition lists 100 of its problems at most', () => {
    expect(pathsOf({ all: Array.from({ length: 100 }, () => ({ trait: 'a', is: null, in: null })) })).toHaveLength(100);
  });

  test('the paths of problems start at the place of the definition in its body', () => {
    expect(readDefinition({ not: {} }, { timezone: 'UTC', path: '/definition' })).toMatchObject({
      ok: false,
      problems: [{ path: '/definition/not' }],
    });
  });
});
