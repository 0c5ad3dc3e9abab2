import { expect, test } from 'vitest';
import { rangesSince } from '../../../services/operations/verify/log-ranges.ts';

const AT = { topic: 'tidemark.track', partition: 0 };

/** A partition with one record a second from 0 on, every tenth offset missing, that counts what is read of it. */
function secondly() {
  let reads = 0;
  return {
    reads: () => reads,
    async *scan([{ from, to } = { from: 0n, to: 0n }]: readonly { from: bigint; to: bigint }[]) {
      reads++;
      const offset = from % 10n === 0n ? from + 1n : from;
      if (offset < to) {
        yield {
          ...AT,
          records: [{ offset, appendedAtMs: Number(offset) * 1000, key: new Uint8Array(), value: new Uint8Array() }],
        };
      }
    },
  };
}

test('a range begins at most a few thousand records before the instant, found in few reads', async () => {
  const log = secondly();

  const [range] = await rangesSince(log, [{ ...AT, from: 5n, to: 10_000_000n }], 7_000_000n * 1_000_000n, 60_000);

  expect(range?.from).toBeLessThanOrEqual(7_000_000n - 60n);
  expect(range?.from).toBeGreaterThan(7_000_000n - 60n - 5_001n);
  expect(range?.to).toBe(10_000_000n);
  expect(log.reads()).toBeLessThan(20);
});

test('a range that began later, and one that ended before, are known too', async () => {
  const whole = { ...AT, from: 5_000_000n, to: 6_000_000n };

  const [later] = await rangesSince(secondly(), [whole], 0n, 0);
  const [before] = await rangesSince(secondly(), [whole], 9_000_000n * 1_000_000n, 0);

  expect(later).toEqual(whole);
  expect(before?.from).toBeGreaterThan(5_990_000n);
});
