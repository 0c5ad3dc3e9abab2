import { describe, expect, test } from 'vitest';
import {
  type Interval,
  MAX_BUCKETS,
  type Span,
  spanBefore,
  timeBuckets,
} from '../../../services/questions/events/time-buckets.ts';

function span(from: string, to: string): Span {
  return { from: BigInt(Date.parse(from)) * 1000n, to: BigInt(Date.parse(to)) * 1000n };
}

/** When each bucket begins, in UTC. */
function starts({ from, to }: Span, interval: Interval, timezone: string): string[] | undefined {
  return timeBuckets({ from, to }, interval, timezone)?.buckets.map(({ start }) => text(start));
}

function text(micros: bigint): string {
  return new Date(Number(micros / 1000n)).toISOString().slice(5, 16);
}

describe('buckets', () => {
  test('a day on which the clock is set back has 25 hours, and the repeated hour is two buckets', () => {
    const day = span('2026-10-24T22:00Z', '2026-10-25T23:00Z');

    expect(starts(day, 'hour', 'Europe/Berlin')).toHaveLength(25);
    expect(starts(day, 'hour', 'Europe/Berlin')?.slice(2, 5)).toEqual(['10-25T00:00', '10-25T01:00', '10-25T02:00']);
    expect(starts(day, 'day', 'Europe/Berlin')).toEqual(['10-24T22:00']);
  });

  test('a day on which the clock is set forward has 23 hours, and the skipped hour is no bucket', () => {
    expect(starts(span('2026-03-28T23:00Z', '2026-03-29T22:00Z'), 'hour', 'Europe/Berlin')).toHaveLength(23);
  });

  test('a clock that changes by half an hour makes two hours of half an hour, or one', () => {
    const back = span('2026-04-04T14:00Z', '2026-04-04T16:30Z');
    const forward = span('2026-10-03T14:30Z', '2026-10-03T17:00Z');

    expect(starts(back, 'hour', 'Australia/Lord_Howe')).toEqual(['04-04T14:00', '04-04T15:00', '04-04T15:30']);
    expect(starts(forward, 'hour', 'Australia/Lord_Howe')).toEqual(['10-03T14:30', '10-03T15:30', '10-03T16:00']);
  });

  test('a bucket of a day or an hour that is cut begins where the period does', () => {
    expect(starts(span('2026-11-20T10:20Z', '2026-11-21T12:00Z'), 'day', 'Asia/Kathmandu')).toEqual([
      '11-20T10:20',
      '11-20T18:15',
    ]);
    expect(starts(span('2026-11-20T10:20Z', '2026-11-20T11:20Z'), 'hour', 'Asia/Kathmandu')).toEqual([
      '11-20T10:20',
      '11-20T11:15',
    ]);
  });

  test('a week begins on a Monday, whatever the year', () => {
    expect(starts(span('2026-12-20T00:00Z', '2027-01-12T00:00Z'), 'week', 'UTC')).toEqual([
      '12-20T00:00',
      '12-21T00:00',
      '12-28T00:00',
      '01-04T00:00',
      '01-11T00:00',
    ]);
  });

  test('a day that a zone leaves out is no bucket, and one that it goes back to is a single bucket', () => {
    expect(starts(span('2011-12-29T10:00Z', '2012-01-01T10:00Z'), 'day', 'Pacific/Apia')).toEqual([
      '12-29T10:00',
      '12-30T10:00',
      '12-31T10:00',
    ]);
    // In Havana the clock goes back from 01:00 to 00:00.
    expect(starts(span('2026-10-31T04:00Z', '2026-11-02T05:00Z'), 'day', 'America/Havana')).toEqual([
      '10-31T04:00',
      '11-01T04:00',
    ]);
    // In St. John's the clock went back from 00:01 to 23:01.
    expect(starts(span('2010-11-06T02:30Z', '2010-11-08T03:30Z'), 'day', 'America/St_Johns')).toHaveLength(2);
  });

  test('a period has at most the greatest number of buckets', () => {
    const most = { from: 0n, to: BigInt(MAX_BUCKETS) * 3_600_000_000n };

    expect(starts(most, 'hour', 'UTC')).toHaveLength(MAX_BUCKETS);
    expect(starts({ ...most, to: most.to + 1n }, 'hour', 'UTC')).toBeUndefined();
    expect(starts(span('1900-01-01T00:00Z', '2299-01-01T00:00Z'), 'hour', 'Europe/Berlin')).toBeUndefined();
  });

  test('a period without a length has no buckets', () => {
    expect(starts({ from: 0n, to: 0n }, 'day', 'Europe/Berlin')).toEqual([]);
  });
});

describe('the period before', () => {
  const week = span('2026-10-19T22:00Z', '2026-10-26T23:00Z');

  test('the period before is as long on the clock where days or weeks are counted', () => {
    expect(spanBefore(week, 'day', 'Europe/Berlin')).toEqual(span('2026-10-12T22:00Z', '2026-10-19T22:00Z'));
  });

  test('the period before is as long in elapsed time where hours are counted, or the whole', () => {
    for (const interval of ['hour', null] as const)
      expect(spanBefore(week, interval, 'Europe/Berlin')).toEqual(span('2026-10-12T21:00Z', '2026-10-19T22:00Z'));
  });
});
