import { expect, test, vi } from 'vitest';
import type { Rows } from '../../../services/stores/analytics/analytics-store.ts';
import type { ClickHouseStore } from '../../../services/stores/analytics/clickhouse/clickhouse-store.ts';
import { DEAD_LETTER_TOPIC } from '../../../services/messages/message.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { ask, MessageMaker } from '../../support/stores/analytics.ts';
import { codec, sinkBench } from '../../support/service/sink.ts';

const bench = sinkBench();
const PATIENCE = { timeout: 20_000, interval: 10 };

function caughtUp(): Promise<void> {
  return vi.waitFor(async () => expect(await bench().hasCaughtUp()).toBe(true), PATIENCE);
}

/** Analytics refuses every insert that has a row with this in it. */
function refuse(text: string): void {
  bench().analytics.before = (_, rows: Rows) => {
    if ([...rows.values()].flat().some((chunk) => Buffer.from(chunk).includes(text))) {
      throw new TidemarkError('STORE_REJECTED', 'refused, as ordered');
    }
  };
}

test('the one message of many that analytics refuses is found and becomes a dead letter', async () => {
  const maker = new MessageMaker();
  const messages = Array.from({ length: 100 }, (_, n) =>
    maker.track({ messageId: `m${n}`, event: `event ${n % 50} of 50` }),
  );
  bench().put(messages);
  refuse('event 37 of 50');

  bench().run();
  await caughtUp();

  const letters = bench().log.records(DEAD_LETTER_TOPIC, 0);
  expect(letters.map(({ value }) => codec.decodeDeadLetter(value).offset)).toEqual([37n, 87n]);
  expect(await ask(bench().analytics.store, 'SELECT count() AS n FROM events')).toEqual([{ n: '98' }]);
  expect(bench().inserts).toMatchObject([{ messages: 98, deadLetters: 2 }]);
});

test('the messages that a constraint of a person refuses become dead letters, and the others are inserted', async () => {
  const maker = new MessageMaker();
  const store = bench().analytics.store as ClickHouseStore;
  bench().put([maker.track({ event: 'Ok' })]);
  bench().run();
  await caughtUp();
  await store.define("ALTER TABLE track_rows ADD CONSTRAINT only_ok CHECK event = 'Ok'");

  bench().put([maker.track({ event: 'Ok' }), maker.track({ event: 'Bad' }), maker.track({ event: 'Ok' })]);
  await caughtUp();

  const letters = bench()
    .log.records(DEAD_LETTER_TOPIC, 0)
    .map(({ value }) => codec.decodeDeadLetter(value));
  expect(letters).toMatchObject([
    { offset: 2n, error: 'STORE_REJECTED: ClickHouse refuses a row: 469 VIOLATED_CONSTRAINT' },
  ]);
  expect(await ask(store, 'SELECT count() AS n FROM events')).toEqual([{ n: '3' }]);
});

test('a single message that is refused becomes a dead letter, and the sink goes on', async () => {
  const maker = new MessageMaker();
  bench().put([maker.track({ event: 'dead letter' })]);
  refuse('dead letter');
  bench().run();
  await caughtUp();

  bench().put([maker.track({ messageId: 'b' })]);
  await caughtUp();

  expect(await ask(bench().analytics.store, 'SELECT message_id FROM events')).toEqual([{ message_id: 'b' }]);
});

test('if analytics refuses what it accepted before, no message is to blame: the sink retries', async () => {
  const maker = new MessageMaker();
  bench().put([maker.track({ messageId: 'a' })]);
  bench().run();
  await caughtUp();
  // Every row.
  refuse('');
  bench().put([maker.track({ messageId: 'b' }), maker.track({ messageId: 'c' })]);
  await vi.waitFor(() => expect(bench().lines.some((line) => line.includes('waiting'))).toBe(true), PATIENCE);
  expect(bench().log.records(DEAD_LETTER_TOPIC, 0)).toEqual([]);

  bench().analytics.before = () => undefined;
  await caughtUp();

  expect(await ask(bench().analytics.store, 'SELECT count() AS n FROM events')).toEqual([{ n: '3' }]);
});
