import { describe, expect, test } from 'vitest';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { audienceOf, pathsOf, read } from '../../support/messages/read-definition.ts';

/** `definition` nested in this number of groups. */
function nested(groups: number, definition: unknown): unknown {
  return groups === 0 ? definition : { not: nested(groups - 1, definition) };
}

const PRO = { trait: 'plan', is: 'pro' };
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
    [{ event: 'X', where: {} }, ['/where']],
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
