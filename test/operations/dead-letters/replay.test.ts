import { beforeEach, describe, expect, test, vi } from 'vitest';
import { listDeadLetters } from '../../../services/operations/dead-letters/dead-letter-commands.ts';
import { Settler } from '../../../services/operations/dead-letters/settle.ts';
import { DEAD_LETTER_TOPIC, type Identify } from '../../../services/messages/message.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import type { CommandArguments, CommandCall } from '../../../services/runtime/command.ts';
import { ask, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedDatabase } from '../../support/stores/database.ts';
import { bothCaughtUp, PATIENCE, refusingReaders } from '../../support/service/refusing-readers.ts';
import { codec, sinkBench } from '../../support/service/sink.ts';

const database = sharedDatabase();
const bench = sinkBench();
const call: CommandCall = { report: () => undefined, signal: new AbortController().signal };

beforeEach(() =>
  database().script(
    'delete from reader_positions; delete from applied; delete from users; delete from profiles; delete from dead_letters; delete from settled_dead_letters',
  ),
);

function readers() {
  return refusingReaders(bench(), database());
}

function caughtUp(): Promise<void> {
  return bothCaughtUp(bench(), database());
}

function logged() {
  return { log: bench().log, codec, database: database() };
}

function replay(args: CommandArguments) {
  return new Settler(logged()).replay(args, call);
}

async function waiting() {
  return (await listDeadLetters(logged(), {}, call)).dead_letters;
}

/** What each store says of the user. */
async function both(message: Identify) {
  const profile = await new SqlProfileStore(database()).find(message.projectId, message.userKey);
  const [row] = await ask<{ traits: string }>(bench().analytics.store, 'SELECT traits FROM profiles');
  const [{ n } = { n: '0' }] = await ask<{ n: string }>(bench().analytics.store, 'SELECT count() AS n FROM identifies');
  return { profile: profile?.traits ?? '{}', analytics: row?.traits ?? '{}', identifies: Number(n) };
}

describe.each([
  { reader: 'sink', messageIdGiven: true },
  { reader: 'sink', messageIdGiven: false },
  { reader: 'projector', messageIdGiven: true },
  { reader: 'projector', messageIdGiven: false },
] as const)('a message that the $reader put aside, id given: $messageIdGiven', ({ reader, messageIdGiven }) => {
  test('a dead letter counts exactly once after its replay, which changes nothing in the other reader', async () => {
    const { refusing } = readers();
    const maker = new MessageMaker();
    const unprocessable = maker.identify({ messageId: 'm', messageIdGiven, traits: '{"unprocessable":1}' });
    bench().put([maker.identify({ traits: '{"a":1}' })]);
    await caughtUp();
    refusing[reader] = true;
    bench().put([unprocessable, maker.identify({ traits: '{"b":2}' })]);
    await caughtUp();
    const [deadLettered, ...others] = await waiting();
    expect(others).toEqual([]);
    expect(deadLettered).toMatchObject({
      code: 'STORE_REJECTED',
      attempts: [{ reader }],
      project_id: unprocessable.projectId,
    });
    const [without, within] = ['{"a": 1, "b": 2}', '{"a": 1, "b": 2, "unprocessable": 1}'];
    expect((await both(unprocessable)).profile).toBe(reader === 'projector' ? without : within);
    expect((await both(unprocessable)).identifies).toBe(reader === 'sink' ? 2 : 3);

    refusing[reader] = false;
    for (const args of [{ all: true }, { ids: [deadLettered!.id], again: true }]) {
      expect(await replay(args)).toMatchObject({ messages: 1, still_undecodable: 0 });
      await caughtUp();
      expect(await both(unprocessable)).toEqual({
        profile: within,
        analytics: '{"a":1,"b":2,"unprocessable":1}',
        identifies: 3,
      });
    }

    expect(await waiting()).toEqual([]);
    expect(await replay({ all: true })).toMatchObject({ messages: 0, settled_before: 1 });
  });
});

test('a message that cannot be read after its replay either is put aside again, and said to be a copy', async () => {
  readers();
  bench().log.put('tidemark.track', 0, { key: Buffer.from('k'), value: Buffer.from('no avro') });
  await vi.waitFor(async () => expect((await waiting())[0]?.attempts).toHaveLength(2), PATIENCE);

  const result = await replay({ topic: 'track' });

  expect(result).toMatchObject({ messages: 1, still_undecodable: 1 });
  await vi.waitFor(async () => expect((await waiting())[0]?.attempts).toHaveLength(2), PATIENCE);
  expect(await waiting()).toMatchObject([
    { id: 'tidemark.track/0/1', copy_of: 'tidemark.track/0/0', state: 'waiting', code: 'MESSAGE_UNDECODABLE' },
  ]);
  expect(bench().log.records(DEAD_LETTER_TOPIC, 0)).toHaveLength(4);
});
