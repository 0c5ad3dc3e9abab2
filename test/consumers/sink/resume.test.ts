import { expect, test } from 'vitest';
import { resume } from '../../../services/consumers/sink/resume.ts';

function at(offset: bigint) {
  return { topic: 'tidemark.track', partition: 2, offset, identity: offset === 0n ? '' : `before ${offset}` };
}

test('a partition never planned starts at its beginning, whatever analytics has', () => {
  expect(resume(undefined, at(0n))).toEqual({ start: at(0n) });
  expect(resume(undefined, at(9n))).toEqual({ start: at(0n) });
});

test('after a plan that is inserted the sink goes on behind it', () => {
  const plan = { from: at(5n), to: at(9n), inserted: true };

  expect(resume(plan, at(9n))).toEqual({ start: at(9n) });
  expect(resume(plan, at(20n))).toEqual({ start: at(9n) });
});

test('a plan not known to be inserted is repeated, whether or not analytics has it', () => {
  const plan = { from: at(5n), to: at(9n), inserted: false };

  for (const held of [5n, 7n, 9n]) expect(resume(plan, at(held))).toEqual({ start: at(5n), until: at(9n) });
});

test('if analytics has less than was inserted, the sink goes back to what it has', () => {
  expect(resume({ from: at(5n), to: at(9n), inserted: true }, at(3n))).toEqual({ start: at(3n), rewindFrom: at(9n) });
  expect(resume({ from: at(5n), to: at(9n), inserted: true }, at(7n))).toEqual({ start: at(7n), rewindFrom: at(9n) });
  expect(resume({ from: at(5n), to: at(9n), inserted: false }, at(0n))).toEqual({ start: at(0n), rewindFrom: at(5n) });
});
