import { expect, test, vi } from 'vitest';
import { DEAD_LETTER_TOPIC, type Message } from '../../../services/messages/message.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { ask, MessageMaker } from '../../support/stores/analytics.ts';
import { codec, sinkBench } from '../../support/service/sink.ts';

const bench = sinkBench();
const PATIENCE = { timeout: 50_000, interval: 10 };

test('the one message of many that times out again and again becomes a dead letter, every other one is inserted', async () => {
  bench().put([track('known')]);
  bench().run();
  await caughtUp();
  const timeouts = timeOut('dead letter');
  bench().put(Array.from({ length: 100 }, (_, n) => track(n === 37 ? 'dead letter' : 'fine')));

  await caughtUp();

  expect(letters()).toMatchObject([{ offset: 38n, reader: 'sink' }]);
  expect(letters()[0]!.error).toMatch(/^STORE_REJECTED: it timed out 3 times in a row: as ordered/);
  expect(await events()).toBe(100);
  // All of it 3 times, ever fewer from all to two, and the one 3 times.
  expect(timeouts()).toBeLessThanOrEqual(3 + 7 + 3);
});

test.each([0, 99])('after a start, when analytics has accepted nothing yet, number %i is found too', async (at) => {
  timeOut('dead letter');
  bench().put(Array.from({ length: 100 }, (_, n) => track(n === at ? 'dead letter' : 'fine')));

  bench().run();
  await caughtUp();

  expect(letters()).toMatchObject([{ offset: BigInt(at) }]);
  expect(await events()).toBe(99);
});

test.each([
  { when: 'from the start', known: [] },
  { when: 'after it took some', known: ['known'] },
])('where analytics times out on everything $when, the sink waits, and no message is to blame', async ({ known }) => {
  bench().put(known.map((event) => track(event)));
  bench().run();
  await caughtUp();
  // Every row.
  const timeouts = timeOut('');
  bench().put(Array.from({ length: 10 }, () => track('fine')));
  await vi.waitFor(() => expect(timeouts()).toBeGreaterThan(12), PATIENCE);
  expect(letters()).toEqual([]);

  bench().analytics.before = () => undefined;
  await caughtUp();

  expect(letters()).toEqual([]);
  expect(await events()).toBe(known.length + 10);
});

test('the first message ever of its type is retried', async () => {
  const timeouts = timeOut('dead letter');
  bench().put([track('dead letter')]);
  bench().run();
  await vi.waitFor(() => expect(timeouts()).toBeGreaterThan(6), PATIENCE);
  expect(letters()).toEqual([]);
});

test('two timeouts make no dead letter', async () => {
  bench().put([track('known')]);
  bench().run();
  await caughtUp();
  let left = 2;
  bench().analytics.before = (_, rows) => {
    if (rows.size > 0 && left-- > 0) throw new TidemarkError('STORE_TIMEOUT', 'as ordered');
  };
  bench().put([track('fine')]);

  await caughtUp();

  expect(left).toBeLessThan(0);
  expect(letters()).toEqual([]);
  expect(await events()).toBe(2);
});

const maker = new MessageMaker();
let made = 0;

function track(event: string): Message {
  return maker.track({ messageId: `m${made++}`, event });
}

/** Every insert of a row with this in it times out. Returns how many did. */
function timeOut(text: string): () => number {
  let timeouts = 0;
  bench().analytics.before = (_, rows) => {
    if ([...rows.values()].flat().some((chunk) => Buffer.from(chunk).includes(text))) {
      timeouts++;
      throw new TidemarkError('STORE_TIMEOUT', 'as ordered');
    }
  };
  return () => timeouts;
}

function caughtUp(): Promise<void> {
  return vi.waitFor(async () => expect(await bench().hasCaughtUp()).toBe(true), PATIENCE);
}

function letters() {
  return bench()
    .log.records(DEAD_LETTER_TOPIC, 0)
    .map(({ value }) => codec.decodeDeadLetter(value));
}

async function events(): Promise<number> {
  return (await ask(bench().analytics.store, 'SELECT message_id FROM events')).length;
}
