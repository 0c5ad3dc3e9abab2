import { describe, expect, test } from 'vitest';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { samplePosition, sipHash24 } from '../../../services/questions/sql/sample.ts';

const USERS = Array.from({ length: 20_000 }, (_, index) => userKeyOf('proj', `user ${index}`));

describe('a sample', () => {
  test('the hash of 16 bytes is that of the reference implementation', () => {
    // The vector of 16 bytes in the paper's reference implementation: key 00 01 … 0f, bytes 00 01 … 0f.
    const low = 0x0706050403020100n;
    const high = 0x0f0e0d0c0b0a0908n;

    expect(sipHash24(low, high, low, high)).toBe(0x3f2acc7f57c29bdbn);
  });

  test('a sample has its share of users, and samples by two seeds have nothing to do with each other', () => {
    const isIn = (seed: string, user: string) => samplePosition(seed, user) < 1_000;
    const spring = USERS.filter((user) => isIn('spring', user));
    const both = spring.filter((user) => isIn('summer', user));

    expect([Math.round(spring.length / 200), Math.round(both.length / 200)]).toEqual([10, 1]);
  });

  test('positions are as they were when samples were first made', () => {
    const positions = USERS.slice(0, 4).map((user) => samplePosition('spring', user));

    expect(positions).toEqual([2_022, 1_645, 4_981, 5_221]);
  });
});
