import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Appended } from '../../services/event-log/event-log.ts';
import { decodeReceipt, encodeReceipt } from '../../services/http/receipt.ts';
import { LIVE_TOPICS, MESSAGE_TOPICS } from '../../services/messages/message.ts';

const PROJECT_ID = 'proj_0123456789abcdefghij';
const [identify, track] = LIVE_TOPICS;

function appended(topic: string, partition: number, offset: bigint): Appended {
  return { topic, partition, offset, appendedAtMs: 0 };
}

function everywhere(partitions: number, offset: (partition: number) => bigint): Appended[] {
  return LIVE_TOPICS.flatMap((topic) =>
    Array.from({ length: partitions }, (_, partition) => appended(topic, partition, offset(partition))),
  );
}

describe('a receipt', () => {
  test('names the project, the time and one past the highest offset of each partition', () => {
    const places = [
      appended(track, 2, 7n),
      appended(track, 2, 9n),
      appended(track, 0, 2n ** 62n),
      appended(identify, 11, 0n),
    ];

    const receipt = decodeReceipt(encodeReceipt(PROJECT_ID, 1_795_000_000_123, places));

    expect(receipt).toEqual({
      projectId: PROJECT_ID,
      acceptedAtMs: 1_795_000_000_123,
      places: [
        { topic: track, partition: 0, offset: 2n ** 62n + 1n },
        { topic: track, partition: 2, offset: 10n },
        { topic: identify, partition: 11, offset: 1n },
      ],
    });
  });

  test('says again what any appends said', () => {
    const append = fc.record({
      topic: fc.constantFrom(...MESSAGE_TOPICS),
      partition: fc.nat(2 ** 31 - 1),
      offset: fc.bigInt(0n, 2n ** 63n - 2n),
      appendedAtMs: fc.constant(0),
    });
    const check = fc.property(fc.array(append, { minLength: 1, maxLength: 100 }), fc.nat(), (appends, atMs) => {
      const receipt = decodeReceipt(encodeReceipt(PROJECT_ID, atMs, appends));

      expect(receipt?.acceptedAtMs).toBe(atMs);
      for (const { topic, partition, offset } of appends) {
        const place = receipt?.places.find((found) => found.topic === topic && found.partition === partition);
        expect(place!.offset).toBeGreaterThan(offset);
      }
      const highest = new Set(appends.map(({ topic, partition, offset }) => `${topic}/${partition}/${offset + 1n}`));
      for (const { topic, partition, offset } of receipt!.places) {
        expect(highest).toContain(`${topic}/${partition}/${offset}`);
      }
    });
    fc.assert(check);
  });

  test('is short for the usual log', () => {
    expect(encodeReceipt(PROJECT_ID, Date.now(), [appended(track, 5, 1_000_000_000n)]).length).toBeLessThan(80);
    expect(
      encodeReceipt(
        PROJECT_ID,
        Date.now(),
        everywhere(12, () => 10_000_000n),
      ).length,
    ).toBeLessThan(400);
  });

  test.each([150, 1_000, 30_000])('is under 4 KB over 3 topics of %i partitions', (partitions) => {
    const appends = everywhere(partitions, (partition) => 1_000_000_000n + BigInt(partition));

    const text = encodeReceipt(PROJECT_ID, Date.now(), appends);

    expect(text.length).toBeLessThan(4_096);
    expect(decodeReceipt(text)?.places.length).toBe(partitions === 150 ? 450 : 3);
  });

  test('over too many partitions names the highest offset of all for each topic', () => {
    const appends = everywhere(5_000, (partition) => BigInt(partition === 77 ? 1_000_000 : 5));

    const receipt = decodeReceipt(encodeReceipt(PROJECT_ID, 0, appends));

    expect(receipt?.places).toEqual(LIVE_TOPICS.map((topic) => ({ topic, partition: null, offset: 1_000_001n })));
  });

  test('mangled anywhere, cut or lengthened is no receipt', () => {
    const text = encodeReceipt(PROJECT_ID, 1_795_000_000_123, [appended(track, 3, 12_345n)]);

    for (let i = 0; i < text.length; i++) {
      const other = text[i] === 'A' ? 'B' : 'A';
      expect(decodeReceipt(text.slice(0, i) + other + text.slice(i + 1))).toBeUndefined();
      expect(decodeReceipt(text.slice(0, i))).toBeUndefined();
    }
    expect(decodeReceipt(`${text}A`)).toBeUndefined();
    expect(decodeReceipt(`${text}=`)).toBeUndefined();
  });

  test('is decoded from any text without an error', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64url')),
    );
    fc.assert(fc.property(texts, (text) => decodeReceipt(text) === undefined));
  });
});
