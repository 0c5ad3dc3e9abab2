import { describe, expect, test } from 'vitest';
import { murmur2, partitionOf } from '../../services/event-log/partition.ts';

describe('murmur2', () => {
  // From Kafka's own clients/src/test/java/org/apache/kafka/common/utils/UtilsTest.java.
  test.each([
    ['21', -973_932_308],
    ['foobar', -790_332_482],
    ['a-little-bit-long-string', -985_981_536],
    ['a-little-bit-longer-string', -1_486_304_829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58_897_971],
    ['abc', 479_470_107],
  ])('the murmur2 of %s is the one of the Java client', (key, hash) => {
    expect(murmur2(Buffer.from(key))).toBe(hash);
  });

  test('murmur2 does not depend on where the bytes are in memory', () => {
    const lone = Uint8Array.from(Buffer.from('foobar'));
    const within = Buffer.from('xxfoobarxx').subarray(2, 8);

    expect(murmur2(within)).toBe(murmur2(lone));
  });
});

describe('partitionOf', () => {
  test('the partition of a key is its hash without the sign bit, modulo the count', () => {
    expect(partitionOf(Buffer.from('foobar'), 7)).toBe((-790_332_482 & 0x7fffffff) % 7);
    expect(partitionOf(Buffer.from('abc'), 1)).toBe(0);
  });

  test('keys are spread over all partitions', () => {
    const counts = Array.from({ length: 8 }, () => 0);
    for (let i = 0; i < 8_000; i++) counts[partitionOf(Buffer.from(`user-${i}`), 8)]!++;

    expect(Math.min(...counts)).toBeGreaterThan(800);
    expect(Math.max(...counts)).toBeLessThan(1_200);
  });
});
