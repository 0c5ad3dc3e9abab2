import { expect, test } from 'vitest';
import { FittingShare, splitBySize } from '../../../services/consumers/projector/split-batch.ts';

const LIMITS = { records: 3, traitBytes: 100 };

test('a part ends at its limit of records, across partitions', () => {
  expect(partsOf([batch('tidemark.track', 0, 5), batch('tidemark.track', 1, 2)])).toEqual([
    ['track/0: 0 1 2'],
    ['track/0: 3 4', 'track/1: 0'],
    ['track/1: 1'],
  ]);
});

test('a part ends at its limit of bytes that set traits, and takes one record however large', () => {
  expect(
    partsOf([
      batch('tidemark.identify', 0, 4, 60),
      batch('tidemark.identify', 1, 1, 500),
      batch('tidemark.track', 0, 2, 500),
    ]),
  ).toEqual([
    ['identify/0: 0'],
    ['identify/0: 1'],
    ['identify/0: 2'],
    ['identify/0: 3'],
    ['identify/1: 0', 'track/0: 0 1'],
  ]);
});

test('the limits are asked for again before each part', () => {
  const sizes = [1, 3, 2];

  const parts = [
    ...splitBySize([batch('tidemark.track', 0, 6)], () => ({ records: sizes.shift() ?? 9, traitBytes: 1 })),
  ];

  expect(parts.map(([part]) => part?.records.length)).toEqual([1, 3, 2]);
});

test('a transaction that took long makes the next one smaller, and quick ones make it whole again', () => {
  const share = new FittingShare();

  share.note(4_000);
  const afterLong = share.of(1_000);
  share.note(700);
  const afterFitting = share.of(1_000);
  for (let quick = 0; quick < 5; quick++) share.note(100);

  expect([afterLong, afterFitting, share.of(1_000)]).toEqual([250, 250, 1_000]);
});

test('at least one record is written, however long it takes', () => {
  const share = new FittingShare();

  for (let long = 0; long < 5; long++) share.note(600_000);

  expect([share.of(4_000), share.of(1)]).toEqual([10, 1]);
});

function partsOf(given: readonly ReturnType<typeof batch>[]): string[][] {
  return [...splitBySize(given, () => LIMITS)].map((part) =>
    part.map(({ topic, partition, records }) => {
      const offsets = records.map(({ offset }) => offset).join(' ');
      return `${topic.slice('tidemark.'.length)}/${partition}: ${offsets}`;
    }),
  );
}

function batch(topic: string, partition: number, count: number, bytes = 1) {
  const record = (n: number) => ({
    offset: BigInt(n),
    appendedAtMs: 0,
    key: new Uint8Array(),
    value: new Uint8Array(bytes),
  });
  return { topic, partition, records: Array.from({ length: count }, (_, n) => record(n)) };
}
