import { expect, test } from 'vitest';
import { compare, NOTHING, repeatsIn, type Written } from './compare-log.ts';
import type { Acknowledged } from './remembering-appends.ts';

/** The records of a partition, by key and number: `a0`. */
function written(partition: number, names: string): Written[] {
  return names.split(' ').map((name, offset) => {
    return { key: name.slice(0, 1), seq: Number(name.slice(1)), partition, offset: BigInt(offset) };
  });
}

function acknowledged({ partition, offset, ...numbered }: Written): Acknowledged {
  return { ...numbered, at: { topic: 't', partition, offset, appendedAtMs: 0 } };
}

test('a log that holds all in order, with repeats, has nothing wrong', () => {
  const log = [...written(0, 'a0 a1 b0 a1 a0 a2'), ...written(1, 'c0 c1')];

  const found = compare(log, log.map(acknowledged));

  expect(found).toEqual(NOTHING);
  expect(repeatsIn(log)).toBe(2);
});

test('what was never acknowledged may be there', () => {
  expect(compare(written(0, 'a0 a1'), [])).toEqual(NOTHING);
});

test('an acknowledged record that is nowhere is missing', () => {
  const log = written(0, 'a0 a1 a2');

  const found = compare(log.slice(0, 2), log.map(acknowledged));

  expect(found.missing).toEqual(['a #2']);
});

test('an acknowledgement that names the place of another record is misplaced', () => {
  const [first, second] = written(0, 'a0 a1') as [Written, Written];

  const found = compare([first, second], [acknowledged({ ...second, offset: 0n })]);

  expect(found.misplaced).toHaveLength(1);
});

test('a first copy that comes too late is out of order', () => {
  expect(compare(written(0, 'a0 a2 a1'), []).outOfOrder).toHaveLength(1);
});

test('a gap is out of order, although nothing of it was acknowledged', () => {
  expect(compare(written(0, 'a0 a2'), []).outOfOrder).toHaveLength(1);
});

test('a key in two partitions is scattered', () => {
  expect(compare([...written(0, 'a0'), ...written(1, 'a1')], []).scattered).toEqual(['a']);
});
