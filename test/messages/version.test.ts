import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EARLIEST, END_OF_TIME } from '../../services/messages/timestamp.ts';
import { drawProcessBits, versionOf } from '../../services/messages/version.ts';

const micros = fc.oneof(
  fc.bigInt({ min: EARLIEST, max: END_OF_TIME - 1n }),
  fc.bigInt({ min: 1_795_000_000_000_000n, max: 1_795_000_000_000_003n }),
);
const bits = fc.oneof(fc.nat(2 ** 20 - 1), fc.nat(3));
const triple = fc.tuple(micros, micros, bits);

describe('a version', () => {
  test('orders as time (no later than arrival), arrival, process do', () => {
    fc.assert(
      fc.property(triple, triple, (a, b) => {
        expect(Math.sign(compare(versionOf(...a), versionOf(...b)))).toBe(compareTriples(a, b));
      }),
      { numRuns: 1000 },
    );
  });

  test('a version is 32 hexadecimal digits', () => {
    fc.assert(
      fc.property(triple, (a) => {
        expect(versionOf(...a)).toMatch(/^[0-9a-f]{32}$/);
      }),
    );
  });

  test('the text of a version never changes', () => {
    expect(versionOf(EARLIEST, EARLIEST, 0)).toBe('0'.repeat(32));
    expect(versionOf(1_700_000_000_000_000n, 1_795_270_801_221_000n, 0xabcde)).toBe('378cd1836b8000e39da571e8588abcde');
    expect(versionOf(END_OF_TIME - 1n, END_OF_TIME - 1n, 0xfffff)).toBe('b36168b6a57ffecd85a2da95ffffffff');
  });
});

test('the bits of a process are 20, and drawn', () => {
  const drawn = Array.from({ length: 100 }, drawProcessBits);

  expect(drawn.every((value) => Number.isInteger(value) && value >= 0 && value < 2 ** 20)).toBe(true);
  expect(new Set(drawn).size).toBeGreaterThan(90);
});

function compareTriples(a: [bigint, bigint, number], b: [bigint, bigint, number]): number {
  const timeOf = ([timestamp, receivedAt]: [bigint, bigint, number]) =>
    timestamp > receivedAt ? receivedAt : timestamp;
  return compare(timeOf(a), timeOf(b)) || compare(a[1], b[1]) || compare(a[2], b[2]);
}

function compare<T>(a: T, b: T): number {
  return Number(a > b) - Number(a < b);
}
