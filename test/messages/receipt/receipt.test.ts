import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Appended } from '../../../services/event-log/event-log.ts';
import { decodeReceipt, encodeReceipt } from '../../../services/messages/receipt/receipt.ts';
import { receiptSignerOf, writeSignature } from '../../../services/messages/receipt/receipt-signer.ts';
import { LIVE_TOPICS, MESSAGE_TOPICS } from '../../../services/messages/message.ts';
import { headOf, leb, readReceipt, unsignedReceipt } from '../../support/http/receipts.ts';

const PROJECT = { id: 'proj_0123456789abcdefghij', sessionSecret: Buffer.alloc(32, 'a secret') };
const SIGNER = receiptSignerOf(PROJECT);
const AT_MS = 1_795_000_000_123;
const HEAD_BYTES = headOf(2, PROJECT.id, AT_MS).length;
const [identify, track] = LIVE_TOPICS;

function appended(topic: string, partition: number, offset: bigint): Appended {
  return { topic, partition, offset, appendedAtMs: 0 };
}

function everywhere(partitions: number, offset: (partition: number) => bigint): Appended[] {
  return LIVE_TOPICS.flatMap((topic) =>
    Array.from({ length: partitions }, (_, partition) => appended(topic, partition, offset(partition))),
  );
}

function signedReceipt(bytes: readonly number[]): string {
  const signed = Buffer.from([...bytes, ...Buffer.alloc(16)]);
  writeSignature(SIGNER, signed, bytes.length);
  return signed.toString('base64url');
}

describe('a receipt', () => {
  test('a receipt names the project, the time and one past the highest offset of each partition', () => {
    const places = [
      appended(track, 2, 7n),
      appended(track, 2, 9n),
      appended(track, 0, 2n ** 53n - 2n),
      appended(identify, 11, 0n),
    ];

    const receipt = decodeReceipt(encodeReceipt(SIGNER, AT_MS, places), SIGNER);

    expect(receipt).toEqual({
      isSigned: true,
      acceptedAtMs: AT_MS,
      places: [
        { topic: track, partition: 0, offset: 2n ** 53n - 1n },
        { topic: track, partition: 2, offset: 10n },
        { topic: identify, partition: 11, offset: 1n },
      ],
    });
  });

  test('a receipt decodes to the positions of any appends', () => {
    const append = fc.record({
      topic: fc.constantFrom(...MESSAGE_TOPICS),
      partition: fc.nat(2 ** 28 - 1),
      offset: fc.bigInt(0n, 2n ** 53n - 2n),
      appendedAtMs: fc.constant(0),
    });
    const check = fc.property(fc.array(append, { minLength: 1, maxLength: 100 }), fc.nat(), (appends, atMs) => {
      const receipt = readReceipt(encodeReceipt(SIGNER, atMs, appends), PROJECT);

      expect(receipt.acceptedAtMs).toBe(atMs);
      for (const { topic, partition, offset } of appends) {
        const place = receipt.places.find((found) => found.topic === topic && found.partition === partition);
        expect(place!.offset).toBeGreaterThan(offset);
      }
      const highest = new Set(appends.map(({ topic, partition, offset }) => `${topic}/${partition}/${offset + 1n}`));
      for (const { topic, partition, offset } of receipt.places) {
        expect(highest).toContain(`${topic}/${partition}/${offset}`);
      }
    });
    fc.assert(check);
  });

  test('a receipt is short for the usual log', () => {
    expect(encodeReceipt(SIGNER, Date.now(), [appended(track, 5, 1_000_000_000n)]).length).toBeLessThan(90);
    expect(
      encodeReceipt(
        SIGNER,
        Date.now(),
        everywhere(12, () => 10_000_000n),
      ).length,
    ).toBeLessThan(400);
  });

  test.each([150, 1_000, 30_000])('a receipt is under 4 KB over 3 topics of %i partitions', (partitions) => {
    const appends = everywhere(partitions, (partition) => 1_000_000_000n + BigInt(partition));

    const text = encodeReceipt(SIGNER, Date.now(), appends);

    expect(text.length).toBeLessThan(4_096);
    expect(readReceipt(text, PROJECT).places.length).toBe(partitions === 150 ? 450 : 3);
  });

  test('a receipt over too many partitions names the highest offset of all for each topic', () => {
    const appends = everywhere(5_000, (partition) => BigInt(partition === 77 ? 1_000_000 : 5));

    const receipt = readReceipt(encodeReceipt(SIGNER, 0, appends), PROJECT);

    expect(receipt.places).toEqual(LIVE_TOPICS.map((topic) => ({ topic, partition: null, offset: 1_000_001n })));
  });

  test('a receipt is signed with HMAC-SHA256 by a key that signs nothing else', () => {
    const bytes = Buffer.from(encodeReceipt(SIGNER, AT_MS, [appended(track, 3, 12_345n)]), 'base64url');
    const key = createHmac('sha256', PROJECT.sessionSecret).update('receipt').digest();

    const signature = createHmac('sha256', key).update(bytes.subarray(0, -16)).digest();

    expect(bytes.subarray(-16)).toEqual(signature.subarray(0, 16));
  });

  test('a receipt with any bit changed is not one of this project', () => {
    const bytes = Buffer.from(encodeReceipt(SIGNER, AT_MS, [appended(track, 3, 12_345n)]), 'base64url');

    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = changed[bit >> 3]! ^ (1 << (bit & 7));
      const receipt = decodeReceipt(changed.toString('base64url'), SIGNER);
      expect(receipt).toBeOneOf(bit >> 3 < HEAD_BYTES ? [undefined, 'foreign'] : [undefined]);
    }
  });

  test('cut, lengthened or written otherwise is no receipt', () => {
    const text = encodeReceipt(SIGNER, AT_MS, [appended(track, 3, 12_345n), appended(track, 4, 5n)]);

    for (let i = 0; i < text.length; i++) expect(decodeReceipt(text.slice(0, i), SIGNER)).toBeUndefined();
    for (const end of ['A', '=', ' ', '.', '%00']) expect(decodeReceipt(text + end, SIGNER)).toBeUndefined();
    expect(decodeReceipt(text.repeat(100), SIGNER)).toBeUndefined();
  });

  test('a receipt is rejected by another project, and by this one with the secret of another', () => {
    const other = receiptSignerOf({ id: 'proj_0123456789abcdefghik', sessionSecret: PROJECT.sessionSecret });
    const thief = receiptSignerOf({ id: PROJECT.id, sessionSecret: Buffer.alloc(32, 'another') });

    const [text, stolen] = [SIGNER, thief].map((signer) => encodeReceipt(signer, AT_MS, [appended(track, 3, 5n)]));

    expect(decodeReceipt(text!, other)).toBe('foreign');
    expect(decodeReceipt(stolen!, SIGNER)).toBeUndefined();
  });

  test('of before they were signed is still read, and told from one that is signed', () => {
    const text = 'ARlwcm9qXzAwMDAwMDAwMDAwMDAwMDAwMDAxoJHPw580AQIABQIKAAEBCBU_WbA';
    const project = { id: 'proj_00000000000000000001', sessionSecret: PROJECT.sessionSecret };

    expect(readReceipt(text, project)).toEqual({
      isSigned: false,
      acceptedAtMs: Date.UTC(2026, 10, 20, 10, 15),
      places: [
        { topic: track, partition: 0, offset: 5n },
        { topic: track, partition: 2, offset: 10n },
        { topic: identify, partition: 1, offset: 8n },
      ],
    });
    expect(decodeReceipt(text, SIGNER)).toBe('foreign');
  });

  test('decoding a receipt from any text throws no error', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64url')),
    );
    fc.assert(fc.property(texts, (text) => decodeReceipt(text, SIGNER) === undefined));
  });
});

describe('a receipt made by hand', () => {
  const endless = Array<number>(2_000).fill(0x80);
  const place = [1, 1, 0, 5];
  const bodies: Record<string, readonly number[]> = {
    'that names no place': [],
    'of a topic that there is not': [MESSAGE_TOPICS.length, 1, 0, 5],
    'with a topic twice': [...place, ...place],
    'with a partition twice': [1, 2, 3, 5, 0, 6],
    'with a partition that no log has': [1, 1, ...leb(2 ** 28), 5],
    'with more places than it has bytes': [1, ...leb(2 ** 40), 0, 5],
    'with a place from the start of a partition': [1, 1, 0, 0],
    'with an offset of 2^53': [1, 1, 0, ...leb(2 ** 53)],
    'with an offset of thousands of bytes': [1, 1, 0, ...endless, 1],
    'with a partition of thousands of bytes': [1, 1, ...endless, 1, 5],
    'with a number without an end': [1, 1, ...endless],
    'with a number in more bytes than it takes': [1, 1, 0, 0x85, 0],
    'with bytes behind it': [...place, 1],
  };
  const heads: Record<string, (format: number) => number[]> = {
    'from the year 2300': (format) => headOf(format, PROJECT.id, Date.UTC(2300, 0)),
    'with a name longer than itself': (format) => [format, ...leb(2 ** 40), ...Buffer.from(PROJECT.id), 0],
    'with a time of thousands of bytes': (format) => [...headOf(format, PROJECT.id, 0).slice(0, -1), ...endless, 1],
  };
  const withBodies = Object.entries(bodies).map(([why, body]) => [why, madeOf(body)] as const);
  const withHeads = Object.entries(heads).map(([why, head]) => {
    return [why, (format: number): number[] => [...head(format), ...place]] as const;
  });

  function madeOf(body: readonly number[]): (format: number) => number[] {
    return (format) => [...headOf(format, PROJECT.id, AT_MS), ...body];
  }

  test('a receipt made by hand is accepted if its positions are possible', () => {
    const receipt = { acceptedAtMs: AT_MS, places: [{ topic: track, partition: 0, offset: 5n }] };

    expect(readReceipt(signedReceipt(madeOf(place)(2)), PROJECT)).toEqual({ ...receipt, isSigned: true });
    expect(readReceipt(unsignedReceipt(madeOf(place)(1)), PROJECT)).toEqual({ ...receipt, isSigned: false });
    expect(decodeReceipt(unsignedReceipt(madeOf(place)(2)), SIGNER)).toBeUndefined();
    expect(decodeReceipt(signedReceipt(madeOf(place)(1)), SIGNER)).toBeUndefined();
    expect(decodeReceipt(signedReceipt(madeOf(place)(3)), SIGNER)).toBeUndefined();
  });

  test.each([...withBodies, ...withHeads])('%s is not a receipt, signed or not', (_, make) => {
    expect(decodeReceipt(unsignedReceipt(make(1)), SIGNER)).toBeUndefined();
    expect(decodeReceipt(signedReceipt(make(2)), SIGNER)).toBeUndefined();
  });

  test('a receipt made by hand names each partition once, in order', () => {
    const bodies = fc.array(fc.nat(12), { maxLength: 40 });
    let read = 0;
    const check = fc.property(bodies, (body) => {
      const receipt = decodeReceipt(unsignedReceipt(madeOf(body)(1)), SIGNER);
      if (receipt === undefined || receipt === 'foreign') return;
      read++;
      const names = receipt.places.map(({ topic, partition }) => `${topic}/${partition}`);
      expect(new Set(names).size).toBe(names.length);
      expect(receipt.places.every(({ offset }) => offset > 0n)).toBe(true);
    });

    fc.assert(check, { numRuns: 5_000 });

    expect(read).toBeGreaterThan(0);
  });
});
