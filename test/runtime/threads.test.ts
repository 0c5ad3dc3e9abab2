import { MessageChannel } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { TidemarkError, hasCode } from '../../services/runtime/errors.ts';
import { Caller, serveCalls } from '../../services/runtime/threads.ts';

interface Arithmetic {
  add(a: bigint, b: bigint): Promise<bigint>;
  refuse(): Promise<void>;
  break(): Promise<void>;
  missing(): Promise<void>;
  never(): Promise<void>;
  count(to: number): Promise<AsyncIterable<number>>;
  sums(): Promise<{ [Symbol.asyncIterator](): AsyncIterator<bigint, undefined, bigint | undefined> }>;
  bytes(members: readonly Uint8Array[]): Promise<AsyncIterable<Uint8Array>>;
}

/** How many members of `count` were produced, and whether its reader has left. */
let made = 0;
let left = false;
/** What `bytes` returned, on the side that serves it. */
let served: readonly Uint8Array[] = [];

let channel: MessageChannel;

function open(): { arithmetic: Arithmetic; caller: Caller } {
  channel = new MessageChannel();
  serveCalls(channel.port1, {
    arithmetic: {
      async add(a: bigint, b: bigint) {
        return a + b;
      },
      async refuse() {
        throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable');
      },
      async break() {
        throw new RangeError('no');
      },
      never: () => new Promise(() => undefined),
      async count(to: number) {
        made = 0;
        left = false;
        return counting(to);
      },
      async sums() {
        return summing();
      },
      async bytes(members: readonly Uint8Array[]) {
        served = members;
        return all(members);
      },
    },
  });
  const caller = new Caller(channel.port2);
  return { caller, arithmetic: caller.standIn<Arithmetic>('arithmetic') };
}

async function* counting(to: number): AsyncGenerator<number> {
  try {
    while (made < to) yield ++made;
    throw new TidemarkError('QUERY_LIMIT', 'enough');
  } finally {
    left = true;
  }
}

/** The sum of what is passed, until nothing is. As of any generator, the first request only begins it. */
async function* summing(): AsyncGenerator<bigint, undefined, bigint | undefined> {
  let sum = 0n;
  for (let passed = yield sum; passed !== undefined; passed = yield sum) sum += passed;
}

async function* all<T>(members: readonly T[]): AsyncGenerator<T> {
  yield* members;
}

afterEach(() => channel.port1.close());

test('a call reaches the object on the other side and brings its result back', async () => {
  const { arithmetic } = open();

  const sums = await Promise.all([arithmetic.add(1n, 2n), arithmetic.add(2n ** 60n, 1n)]);

  expect(sums).toEqual([3n, 2n ** 60n + 1n]);
});

test('a TidemarkError keeps its code and whether it may be retried', async () => {
  const { arithmetic } = open();

  const error: unknown = await arithmetic.refuse().catch((thrown: unknown) => thrown);

  expect(hasCode(error, 'STORE_UNAVAILABLE') && error.retryable).toBe(true);
});

test('an error of another kind, and a call that nothing serves, reject', async () => {
  const { arithmetic } = open();

  await expect(arithmetic.break()).rejects.toThrow('no');
  await expect(arithmetic.missing()).rejects.toThrow('arithmetic.missing');
});

test('closing rejects calls in progress and later ones', async () => {
  const { arithmetic, caller } = open();
  const waiting = arithmetic.never();

  caller.close(new TidemarkError('STOPPING', 'bye'));

  await expect(waiting).rejects.toMatchObject({ code: 'STOPPING' });
  await expect(arithmetic.add(1n, 1n)).rejects.toMatchObject({ code: 'STOPPING' });
});

test('a stand-in can be awaited without being taken for a promise', async () => {
  const { arithmetic } = open();

  const same = await Promise.resolve(arithmetic);

  expect(await same.add(1n, 1n)).toBe(2n);
});

test('the members of a stream arrive one by one, as they are requested, and its error too', async () => {
  const { arithmetic } = open();
  const numbers: number[] = [];

  const read = (async () => {
    for await (const number of await arithmetic.count(3)) {
      numbers.push(number);
      expect(made).toBe(number);
    }
  })();

  await expect(read).rejects.toMatchObject({ code: 'QUERY_LIMIT' });
  expect(numbers).toEqual([1, 2, 3]);
});

test('what the reader of a stream passes to it arrives with the request', async () => {
  const { arithmetic } = open();
  const sums = (await arithmetic.sums())[Symbol.asyncIterator]();

  const first = await sums.next(1n);
  const second = await sums.next(2n);
  const third = await sums.next(undefined);

  expect([first.value, second.value, third.value]).toEqual([0n, 2n, undefined]);
});

test('bytes arrive unchanged, without the buffer that they are part of', async () => {
  const { arithmetic } = open();
  const whole = Buffer.from('part of a whole');
  const members = [Uint8Array.of(1, 2), new Uint8Array(), new Uint8Array(whole.buffer, whole.byteOffset + 8, 7)];

  const read = await Array.fromAsync(await arithmetic.bytes(members));

  expect(read.map((bytes) => Buffer.from(bytes).toString('hex'))).toEqual(['0102', '', '612077686f6c65']);
  expect(served.map(({ byteLength }) => byteLength)).toEqual([2, 0, 7]);
});

test('a reader that leaves a stream releases it on the other side', async () => {
  const { arithmetic } = open();

  for await (const number of await arithmetic.count(100)) if (number === 2) break;

  expect(left).toBe(true);
  expect(made).toBe(2);
});

test('a stream is released when the side that read it has ended', async () => {
  const { arithmetic } = open();
  const stream = (await arithmetic.count(100))[Symbol.asyncIterator]();
  await stream.next();

  channel.port2.close();

  await expect.poll(() => left).toBe(true);
});
