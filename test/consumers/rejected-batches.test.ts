import { expect, test } from 'vitest';
import { bisectRejected, ConsecutiveTimeouts, expectAccepted } from '../../services/consumers/rejected-batches.ts';
import { TidemarkError } from '../../services/runtime/errors.ts';

const REJECTED = new TidemarkError('STORE_REJECTED', 'rejected, as ordered');
const TIMEOUT = new TidemarkError('STORE_TIMEOUT', 'too slow, as ordered');

/** Writes numbers, in order, to a store that rejects any batch with one of `rejected` in it. */
async function bisect(numbers: readonly number[], rejected: readonly number[]) {
  const events: (number | string)[] = [];
  let writes = 0;
  const found = await bisectRejected<readonly number[], number>(numbers, {
    write: async (part) => {
      writes++;
      if (part.some((number) => rejected.includes(number))) throw REJECTED;
      events.push(...part);
    },
    halvesOf: (part) => (part.length > 1 ? [part.slice(0, part.length / 2), part.slice(part.length / 2)] : undefined),
    reject: ([only], error) => {
      events.push(`${error.code} ${only}`);
      return only ?? NaN;
    },
  });
  return { found, events, writes };
}

test('everything but what is rejected is written, in order, and each rejection comes in its turn', async () => {
  const { found, events } = await bisect([0, 1, 2, 3, 4], [1, 4]);

  expect(found).toEqual([1, 4]);
  expect(events).toEqual([0, 'STORE_REJECTED 1', 2, 3, 'STORE_REJECTED 4']);
});

test('one rejected message of 50,000 takes some 30 writes to find', async () => {
  const { writes } = await bisect(
    Array.from({ length: 50_000 }, (_, n) => n),
    [31_337],
  );

  expect(writes).toBeLessThan(40);
});

test('an error other than a rejection ends the bisection', async () => {
  const halvesOf = () => expect.unreachable();
  const write = () => Promise.reject(TIMEOUT);

  await expect(bisectRejected([1, 2], { write, halvesOf, reject: halvesOf })).rejects.toBe(TIMEOUT);
});

test('a store that rejects what it accepts in good order is unavailable', async () => {
  await expect(expectAccepted('refuses', () => Promise.reject(REJECTED))).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    cause: REJECTED,
  });
  await expect(expectAccepted('refuses', () => Promise.reject(TIMEOUT))).rejects.toBe(TIMEOUT);
});

test('three timeouts in a row reject a batch, or one where it is part of a rejected batch', () => {
  const [whole, part, single, empty] = [
    new ConsecutiveTimeouts(2, false),
    new ConsecutiveTimeouts(2, true),
    new ConsecutiveTimeouts(1, true),
    new ConsecutiveTimeouts(0, true),
  ];
  const codes = (timeouts: ConsecutiveTimeouts, errors: readonly unknown[]) =>
    errors.map((error) => timeouts.rejection(error)?.code);

  expect(codes(whole, [TIMEOUT, TIMEOUT, REJECTED, TIMEOUT, TIMEOUT, TIMEOUT])).toEqual([
    ...Array.from({ length: 5 }, () => undefined),
    'STORE_REJECTED',
  ]);
  expect(codes(part, [TIMEOUT])).toEqual(['STORE_REJECTED']);
  expect(codes(single, [TIMEOUT, TIMEOUT, TIMEOUT])).toEqual([undefined, undefined, 'STORE_REJECTED']);
  expect(codes(empty, [TIMEOUT, TIMEOUT, TIMEOUT, TIMEOUT])).toEqual(Array.from({ length: 4 }, () => undefined));
});
