/** The pure parts of the screen Events. */
import { describe, expect, test } from 'vitest';
import { labelledPoints, runsOf, scaleOf, tickLabel } from '../../console/src/parts/charts/chart-scale.ts';
import { grouped } from '../../console/src/parts/numbers.ts';
import { bucketText, changeOf, figureText, isCut } from '../../console/src/screens/events/figures.ts';
import { countsBody, fits, hoursOf, queryBody, questionOf } from '../../console/src/screens/events/question.ts';
import { parseJson, type RawNumber } from '../../console/src/api/json.ts';

const NOW = Date.parse('2026-11-24T12:00:00Z');
const raw = (text: string): RawNumber => parseJson(text) as RawNumber;
const asked = (query: string) => questionOf('Order Completed', new URLSearchParams(query), NOW);

describe('an address is a question', () => {
  test('an address without parameters counts the events of each of the last 30 days', () => {
    expect(countsBody(asked(''))).toBe(
      '{"event":"Order Completed","within":{"last":"30d"},"measure":"count","interval":"day"}',
    );
  });

  test('parameters with unknown values are skipped, and numbers keep their digits', () => {
    const question = asked(
      'measure=guess&interval=year&last=soon&top=-1&split=none&where=[{"property":"a","gt":1.50},7',
    );

    expect(countsBody(question)).toBe(countsBody(asked('')));
    expect(countsBody(asked('where=[{"property":"a","gt":1.50},7]'), true)).toContain(
      '"where":[{"property":"a","gt":1.50}]',
    );
  });

  test('a percentile, a split and a comparison are members of the question', () => {
    const question = asked('measure=percentile&of=total&p=95&split=trait:a:b&top=3&compare=previous&since=2026-01-01');

    expect(countsBody(question)).toBe(
      '{"event":"Order Completed","within":{"since":"2026-01-01"},"measure":"percentile","of":"total","p":95,' +
        '"interval":"week","split":{"trait":"a:b","top":3},"compare":"previous"}',
    );
    expect(queryBody(question, 20, { cursor: 'abc' })).toBe(
      '{"event":"Order Completed","within":{"since":"2026-01-01"},"limit":20,"cursor":"abc"}',
    );
  });

  test('a period has hours, and an interval fits as long as the service makes its buckets', () => {
    expect(hoursOf({ last: '2w' }, NOW)).toBe(336);
    expect(hoursOf({ since: '2026-11-23' }, NOW)).toBe(36);
    expect(hoursOf({ between: ['2026-11-01', '2026-11-03'] }, NOW)).toBe(48);
    expect([fits('hour', 2_400), fits('hour', 2_401), fits('day', 2_401)]).toEqual([true, false, true]);
  });
});

describe('figures', () => {
  test('a count and a sum have every digit, an average six', () => {
    expect(figureText(raw('12345678901234567890.10'), 'sum')).toBe('12,345,678,901,234,567,890.10');
    expect(figureText(raw('84.5512345'), 'average')).toBe('84.5512');
    expect(figureText(null, 'average')).toBe('–');
    expect([grouped('-1234'), grouped('999'), grouped('1e30')]).toEqual(['-1,234', '999', '1e30']);
  });

  test('a change is a percentage of what was before, and none where nothing is compared', () => {
    expect(changeOf(raw('11'), raw('10'))).toBe('+10 %');
    expect(changeOf(raw('9.95'), raw('10'))).toBe('−0.5 %');
    expect(changeOf(raw('-20'), raw('-10'))).toBe('−100 %');
    expect(changeOf(raw('5'), raw('0'))).toBe('none before');
    expect(changeOf(raw('1561'), raw('1'))).toBe('×1,561');
    expect(changeOf(raw('5'), undefined)).toBeUndefined();
  });

  test('a bucket says when it began, and that it is cut or not over', () => {
    const cut = { start: '', local: '2026-11-17T17:07:28+01:00' };
    expect(bucketText(cut, 'day')).toBe('Tue, 17 Nov 2026 from 17:07');
    expect([isCut(cut, 'day'), isCut({ ...cut, local: '2026-11-17T17:00:00+01:00' }, 'hour')]).toEqual([true, false]);
    expect(bucketText({ start: '', local: '2026-11-16T00:00:00+01:00' }, 'week', true)).toBe(
      'Week from Mon, 16 Nov 2026 so far',
    );
    expect(bucketText({ start: '', local: '2026-11-16T09:00:00+01:00' }, 'hour')).toBe('Mon, 16 Nov 2026, 09:00');
  });
});

describe('the chart', () => {
  test('a scale has 0, and about four steps of round numbers', () => {
    expect(scaleOf([1, 2]).ticks).toEqual([0, 1, 2]);
    expect(scaleOf([0.5, 1]).ticks.at(1)).toBe(0.2);
    expect(scaleOf([3, 163]).ticks).toEqual([0, 50, 100, 150, 200]);
    expect(scaleOf([]).ticks.at(0)).toBe(0);
    expect(scaleOf([-30, 70])).toMatchObject({ low: -40, high: 80 });
    expect(scaleOf([0, 0]).high).toBeGreaterThan(0);
    expect([tickLabel(1_500), tickLabel(0.30000000000000004)]).toEqual(['1.5K', '0.3']);
  });

  test('labels are as many as have room, and the last point has one', () => {
    expect(labelledPoints(31, 600, 60)).toEqual([0, 4, 8, 12, 16, 20, 24, 28].map((i) => i + 2));
    expect(labelledPoints(1, 600, 60)).toEqual([0]);
    expect(labelledPoints(2_400, 100, 90)).toEqual([2_399]);
  });

  test('a line without a value in a place has a gap there', () => {
    expect(runsOf([1, 2, null, 3, null])).toEqual([
      [0, 1],
      [3, 3],
    ]);
  });
});
