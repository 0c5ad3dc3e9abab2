import { expect, test, vi } from 'vitest';
import { DEAD_LETTER_TOPIC } from '../../../services/messages/message.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { ask, MessageMaker } from '../../support/stores/analytics.ts';
import { unreachableFor } from '../../support/messages/messages.ts';
import { codec, sinkBench, type SinkBench } from '../../support/service/sink.ts';

const bench = sinkBench();
const PATIENCE = { timeout: 20_000, interval: 10 };

function caughtUp(): Promise<void> {
  return vi.waitFor(async () => expect(await bench().hasCaughtUp()).toBe(true), PATIENCE);
}

async function eventIds({ analytics }: SinkBench): Promise<string[]> {
  const rows = await ask<{ message_id: string }>(analytics.store, 'SELECT message_id FROM events ORDER BY message_id');
  return rows.map((row) => row.message_id);
}

test('messages of the log are inserted into analytics', async () => {
  const maker = new MessageMaker();
  bench().put([maker.track({ messageId: 'a' }), maker.identify({ traits: '{"plan":"pro"}' })]);
  bench().put([maker.session({ anonymous: true, traits: '{"age":7}' }), maker.track({ messageId: 'b' })], 1);

  bench().run();
  await caughtUp();

  expect(await eventIds(bench())).toEqual(['a', 'b']);
  const profiles = await ask(bench().analytics.store, 'SELECT user_id, anonymous, traits FROM profiles');
  expect(profiles).toEqual([{ user_id: 'ada', anonymous: true, traits: '{"age":7,"plan":"pro"}' }]);
});

test('what comes later is inserted too, within about a second of the last insert', async () => {
  const maker = new MessageMaker();
  bench().put([maker.track({ messageId: 'a' })]);
  bench().run();
  await caughtUp();

  bench().put([maker.track({ messageId: 'b' })]);
  bench().put([maker.track({ messageId: 'c' })], 3);
  await caughtUp();

  expect(await eventIds(bench())).toEqual(['a', 'b', 'c']);
  expect(bench().inserts).toEqual([
    expect.objectContaining({ messages: 1, repeats: 0, deadLetters: 0 }),
    expect.objectContaining({ messages: 2 }),
  ]);
});

test('the plan is fixed before anything is inserted, and finished after', async () => {
  const at = { topic: 'tidemark.track', partition: 0 };
  const seen: unknown[] = [];
  bench().put([new MessageMaker().track()]);
  bench().analytics.before = async (ranges) => {
    const [plan] = await bench().plans.last([at]);
    seen.push([ranges.length, plan?.from.offset, plan?.to.offset, plan?.inserted]);
  };

  bench().run();
  await caughtUp();

  // The messages' rows, their users', and the range.
  expect(seen).toEqual([
    [0, 0n, 1n, false],
    [0, 0n, 1n, false],
    [1, 0n, 1n, false],
  ]);
  expect(await bench().analytics.store.ingestedUpTo([at])).toMatchObject([{ ...at, offset: 1n }]);
});

test('ingested ranges are compacted after the first insert, not after each, and inserts go on if that fails', async () => {
  const maker = new MessageMaker();
  let compacted = 0;
  bench().analytics.beforeCompacting = () => {
    compacted++;
    throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable');
  };
  bench().put([maker.track({ messageId: 'a' })]);
  bench().run();
  await caughtUp();
  bench().put([maker.track({ messageId: 'b' })]);
  await caughtUp();

  await vi.waitFor(() => expect(bench().inserts).toHaveLength(2), PATIENCE);
  expect(compacted).toBe(1);
  expect(bench().lines.filter((line) => line.includes('cannot compact'))).toHaveLength(1);
  expect(await eventIds(bench())).toEqual(['a', 'b']);
});

test('of repeats of what sets traits the first counts, even from another insert', async () => {
  const maker = new MessageMaker();
  const first = maker.identify({ messageId: 'm', traits: '{"plan":"pro"}', timestamp: 5_000_000n });
  const repeat = maker.identify({ messageId: 'm', traits: '{"plan":"free"}', timestamp: 9_000_000n });
  const other = { ...repeat, userKey: 'f'.repeat(64), userId: null };
  bench().put([first, repeat]);
  bench().run();
  await caughtUp();

  bench().put([repeat, other]);
  await caughtUp();

  const sql = `SELECT user_id, traits, toUnixTimestamp64Micro(last_seen) AS last FROM profiles ORDER BY user_id DESC`;
  expect(await ask(bench().analytics.store, sql)).toEqual([
    { user_id: 'ada', traits: '{"plan":"pro"}', last: '5000000' },
    { user_id: '', traits: '{"plan":"free"}', last: '9000000' },
  ]);
  expect(bench().inserts.map(({ repeats }) => repeats)).toEqual([1, 1]);
});

test('a message without an id of the caller never counts as a repeat', async () => {
  const maker = new MessageMaker();
  const one = maker.identify({ messageId: 'm', messageIdGiven: false, traits: '{"a":1}' });
  bench().put([one, { ...one, traits: '{"b":2}' }]);

  bench().run();
  await caughtUp();

  expect(await ask(bench().analytics.store, 'SELECT traits FROM profiles')).toEqual([{ traits: '{"a":1,"b":2}' }]);
});

test('while analytics is unavailable the sink retries, logs it once, and goes on', async () => {
  let attempts = 0;
  bench().analytics.before = () => {
    if (attempts++ < 3) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered');
  };
  bench().put([new MessageMaker().track({ messageId: 'a' })]);

  bench().run();
  await caughtUp();

  expect(await eventIds(bench())).toEqual(['a']);
  expect(bench().lines.filter((line) => line.includes('waiting'))).toHaveLength(1);
});

test('while the schemas cannot be loaded the sink retries, then goes on, and nothing is a dead letter', async () => {
  const unreachable = unreachableFor(3);
  bench().put([new MessageMaker().track({ messageId: 'a' })]);

  bench().run({ codec: unreachable.codec });
  await caughtUp();

  expect(unreachable.failuresLeft()).toBe(0);
  expect(await eventIds(bench())).toEqual(['a']);
  expect(bench().log.records(DEAD_LETTER_TOPIC, 0)).toEqual([]);
});

test('a message of a newer schema waits for a newer program, and is no dead letter', async () => {
  bench().put([new MessageMaker().track({ messageId: 'a' })]);
  bench().log.records('tidemark.track', 0)[0]?.value.set([0, 0, 0, 99], 1);

  bench().run();

  await expect.poll(() => bench().lines.join()).toContain('LOG_NEWER');
  expect(bench().log.records(DEAD_LETTER_TOPIC, 0)).toEqual([]);
});

test('a record that is not a message goes to the dead letters, whole, and the rest to analytics', async () => {
  const maker = new MessageMaker();
  const key = Uint8Array.from([1, 2, 3]);
  const value = Uint8Array.from([255]);
  bench().put([maker.track({ messageId: 'a' })]);
  bench().log.put('tidemark.track', 0, { key, value });
  bench().put([maker.identify({ traits: '[]' }), maker.track({ messageId: 'b' })]);

  bench().run();
  await caughtUp();

  expect(await eventIds(bench())).toEqual(['a', 'b']);
  const letters = bench().log.records(DEAD_LETTER_TOPIC, 0);
  expect(letters.map(({ value }) => codec.decodeDeadLetter(value))).toEqual([
    expect.objectContaining({
      topic: 'tidemark.track',
      offset: 1n,
      reader: 'sink',
      key,
      value,
    }),
    expect.objectContaining({ topic: 'tidemark.identify', offset: 0n }),
  ]);
});

test('a sink restarts if another one has moved the position', async () => {
  const maker = new MessageMaker();
  bench().put([maker.track({ messageId: 'a' })]);
  const both = [bench().run(), bench().run()];
  await caughtUp();

  for (const messageId of ['b', 'c', 'd']) {
    bench().put([maker.track({ messageId })]);
    await caughtUp();
  }

  expect(await eventIds(bench())).toEqual(['a', 'b', 'c', 'd']);
  await expect(Promise.race([...both.map(({ failed }) => failed), Promise.resolve('going on')])).resolves.toBe(
    'going on',
  );
});

test('more than one insert takes is inserted in several, in the order of the log', async () => {
  const maker = new MessageMaker();
  bench().put(Array.from({ length: 400 }, (_, n) => maker.track({ messageId: `m${n}`, messageIdGiven: false })));

  bench().run({ maxRows: 100 });
  await caughtUp();

  expect(await ask(bench().analytics.store, 'SELECT count() AS n FROM events')).toEqual([{ n: '400' }]);
  expect(
    bench()
      .inserts.map(({ messages }) => messages)
      .every((messages) => messages <= 55_000),
  ).toBe(true);
});

test('a sink that waits for analytics stops at once', async () => {
  const { promise: tried, resolve } = Promise.withResolvers<void>();
  bench().analytics.before = () => {
    resolve();
    throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable for good');
  };
  bench().put([new MessageMaker().track()]);
  const sink = bench().run();
  await tried;

  await sink.stop();
  await sink.stop();

  expect(await bench().plans.last([{ topic: 'tidemark.track', partition: 0 }])).toMatchObject([{ inserted: false }]);
});
