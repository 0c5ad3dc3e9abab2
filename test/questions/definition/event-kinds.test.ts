import { expect, test } from 'vitest';
import { readDefinition } from '../../../services/questions/definition/definition.ts';

const DAY = 86_400_000_000n;
const LATER = { event: 'Y', within: '24h' };
const micros = (text: string) => BigInt(Date.parse(text)) * 1000n;

test.each([
  [{ last: '30d' }, { from: { ago: 30n * DAY }, to: { ago: -DAY - 1n } }],
  [{ before: '2026-11-20' }, { from: null, to: { at: micros('2026-11-21T00:00:00Z') } }],
  [{ since: '2026-11-20' }, { from: { at: micros('2026-11-20T00:00:00Z') }, to: null }],
])('an event of the period %j is followed by one of that period and the time after it', (within, period) => {
  expect(readDefinition({ event: 'X', within, followed_by: LATER }, { timezone: 'UTC' })).toMatchObject({
    definition: {
      within: { from: period.from },
      sequence: { isFollowed: true, which: 'any', within: DAY, later: { events: ['Y'], where: [], within: period } },
    },
  });
});

test('what follows in its turn is of the time after the time after the period', () => {
  const followed_by = { ...LATER, followed_by: { event: { any: true }, within: '48h' } };

  expect(readDefinition({ event: 'X', within: { last: '30d' }, followed_by }, { timezone: 'UTC' })).toMatchObject({
    definition: {
      sequence: {
        later: { sequence: { within: 2n * DAY, later: { events: null, within: { to: { ago: -3n * DAY - 1n } } } } },
      },
    },
  });
});

const chain = (events: number): object => ({ ...LATER, ...(events > 1 && { followed_by: chain(events - 1) }) });

test('five events follow one another at most', () => {
  const read = (later: number) => readDefinition({ event: 'X', followed_by: chain(later) }, { timezone: 'UTC' });

  expect(read(4)).toMatchObject({ ok: true });
  expect(read(5)).toMatchObject({
    problems: [{ path: '/followed_by/followed_by/followed_by/followed_by/followed_by' }],
  });
});

test.each([
  [{ event: 'X', which: 'first' }, ['/which']],
  [{ event: 'X', followed_by: { ...LATER, event: { any: 1 } } }, ['/followed_by/event/any']],
  [{ event: 'X', not_followed_by: chain(2) }, ['/not_followed_by/followed_by']],
  [{ event: 'X', followed_by: { ...LATER, not_followed_by: LATER } }, ['/followed_by/not_followed_by']],
  [{ event: 'X', followed_by: { event: 'Y' } }, ['/followed_by/within']],
  [{ event: 'X', not_followed_by: 'Y' }, ['/not_followed_by']],
  [{ event: 'X', measure: 5 }, ['/measure']],
  [{ event: 'X', measure: { sum: 'a', max: 'a', gt: 1 } }, ['/measure']],
  [{ event: 'X', measure: { sum: 'a' } }, ['/measure']],
  [{ event: 'X', measure: { average: 'a', is: 1e-31, gt: 1e36 } }, ['/measure/is', '/measure/gt']],
  [{ event: 'X', measure: { sum: 'a', gt: 1 }, count: { at_most: 0 } }, ['/count']],
  [{ event: 'X', measure: { sum: 'a', gt: 1 }, followed_by: LATER, which: 'first' }, ['/measure']],
  [{ event: 'X', followed_by: LATER, not_followed_by: LATER }, ['']],
  [{ event: 'X', followed_by: LATER, which: 'last', count: { at_least: 2 } }, ['/count']],
  [
    { event: 'X', followed_by: { event: '', within: '0d', count: 1 }, which: 'all' },
    ['/which', '/followed_by/count', '/followed_by/event', '/followed_by/within'],
  ],
  [
    { event: 'X', measure: { sum: 5, gt: '1', lt: null, in: [1] } },
    ['/measure/in', '/measure/sum', '/measure/gt', '/measure/lt'],
  ],
])('%j is refused, with the paths of its problems', (definition, paths) => {
  const read = readDefinition(definition, { timezone: 'UTC' });

  expect(read.ok ? [] : read.problems.map(({ path }) => path)).toEqual(paths);
});
