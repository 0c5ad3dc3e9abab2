/** A dead letter that is edited, from both readers' refusal to what each store says of the user. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { listDeadLetters } from '../../../services/operations/dead-letters/dead-letter-commands.ts';
import { type Edit, Editor } from '../../../services/operations/dead-letters/editor.ts';
import { Settler } from '../../../services/operations/dead-letters/settle.ts';
import type { Identify, Message } from '../../../services/messages/message.ts';
import type { CommandCall } from '../../../services/runtime/command.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { ask, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedDatabase } from '../../support/stores/database.ts';
import { bothCaughtUp, refusingReaders } from '../../support/service/refusing-readers.ts';
import { codec, sinkBench } from '../../support/service/sink.ts';

const database = sharedDatabase();
const bench = sinkBench();
const call: CommandCall = { report: () => undefined, signal: new AbortController().signal };

beforeEach(() =>
  database().script(
    `delete from reader_positions; delete from applied; delete from users; delete from profiles;
     delete from dead_letters; delete from settled_dead_letters`,
  ),
);

function edit(args: Edit, parts: Partial<ConstructorParameters<typeof Editor>[0]> = {}) {
  const analytics = { ofGeneration: async () => bench().analytics.store };
  return new Editor({ log: bench().log, codec, database: database(), analytics, ...parts }).edit(args, call);
}

function logged() {
  return { log: bench().log, codec, database: database() };
}

async function waiting() {
  return (await listDeadLetters(logged(), {}, call)).dead_letters;
}

function caughtUp(): Promise<void> {
  return bothCaughtUp(bench(), database());
}

/** What each store says of the user. */
async function traitsIn({ projectId, userKey }: Pick<Message, 'projectId' | 'userKey'>) {
  const profile = await new SqlProfileStore(database()).find(projectId, userKey);
  const [row] = await ask<{ traits: string }>(bench().analytics.store, 'SELECT traits FROM profiles');
  const said = [profile?.traits ?? '{}', row?.traits ?? '{}'].map((text) => JSON.parse(text) as unknown);
  return { profiles: said[0], analytics: said[1] };
}

/** Puts an identify that one reader refuses, and gives the id of its dead letter. */
async function refused(reader: 'projector' | 'sink', said: Partial<Identify> = {}) {
  const { refusing } = refusingReaders(bench(), database());
  const maker = new MessageMaker();
  const unprocessable = maker.identify({ messageId: 'm', traits: '{"unprocessable":1,"plan":"free"}', ...said });
  bench().put([maker.identify({ traits: '{"a":1}' })]);
  await caughtUp();
  refusing[reader] = true;
  bench().put([unprocessable, maker.identify({ traits: '{"b":2}' })]);
  await caughtUp();
  const [letter] = await waiting();
  return { id: letter!.id, message: unprocessable, refusing, maker };
}

const CORRECTED = '{"traits":{"plan":"pro","unprocessable":null,"balance":0.1000000000000000055}}';

describe.each([
  { reader: 'sink', messageIdGiven: true },
  { reader: 'sink', messageIdGiven: false },
  { reader: 'projector', messageIdGiven: true },
  { reader: 'projector', messageIdGiven: false },
] as const)(
  'an edit of a message that the $reader refused, id given: $messageIdGiven',
  ({ reader, messageIdGiven }) => {
    test('both stores show the correction, though one of them had taken the message itself', async () => {
      const { id, message, refusing } = await refused(reader, { messageIdGiven });
      // Still refused as it was; the correction deletes what is refused.
      refusing[reader] = false;

      const result = await edit({ id, record: CORRECTED });

      expect(result).toMatchObject({ edited: { dry_run: false, id, message_id: 'm', copy: 'tidemark.identify/0/3' } });
      await caughtUp();
      const traits = { a: 1, b: 2, plan: 'pro', balance: 0.1 };
      expect(await traitsIn(message)).toEqual({ profiles: traits, analytics: traits });
      expect((await new SqlProfileStore(database()).find(message.projectId, message.userKey))?.traits).toContain(
        '0.1000000000000000055',
      );
      expect(await waiting()).toEqual([]);
    });
  },
);

test('a correction loses to what is newer than the message that it corrects', async () => {
  const { id, message, refusing, maker } = await refused('sink');
  bench().put([maker.identify({ traits: '{"plan":"team"}' })]);
  await caughtUp();
  refusing.sink = false;

  await edit({ id, record: '{"traits":{"plan":"pro"}}' });

  await caughtUp();
  expect(await traitsIn(message)).toMatchObject({ profiles: { plan: 'team' }, analytics: { plan: 'team' } });
});

test('an edit that ended between appending and recording is finished by sending it again, and counts once', async () => {
  const { id, message, refusing } = await refused('sink');
  refusing.sink = false;
  let isKilled = false;
  const dying = {
    query: (sql: string, values?: never) => {
      if (sql.includes("set state = 'edited'")) {
        isKilled = true;
        throw new Error('killed, as ordered');
      }
      return database().query(sql, values);
    },
  };

  const first = edit({ id, record: CORRECTED }, { database: { ...database(), ...dying } as never });
  await expect(first).rejects.toThrow('killed, as ordered');

  expect(isKilled).toBe(true);
  expect(await waiting()).toMatchObject([{ id, state: 'editing' }]);
  expect(await new Settler(logged()).replay({ all: true }, call)).toMatchObject({
    messages: 0,
    settled_before: 1,
  });
  const finished = await edit({ id, record: CORRECTED });
  expect(finished).toMatchObject({ edited: { copy: 'tidemark.identify/0/4' } });
  await caughtUp();
  const traits = { a: 1, b: 2, plan: 'pro', balance: 0.1 };
  expect(await traitsIn(message)).toEqual({ profiles: traits, analytics: traits });
  expect(await edit({ id, record: CORRECTED })).toEqual(finished);
  expect(bench().log.records('tidemark.identify', 0)).toHaveLength(5);
});

test('after an interrupted edit another correction is refused, and the first is finished', async () => {
  const { id, message, refusing } = await refused('projector');
  refusing.projector = false;
  const log = bench().log;
  const failing = { append: () => Promise.reject(new Error('killed, as ordered')) };
  const broken = {
    scan: log.scan.bind(log),
    ends: log.ends.bind(log),
    beginnings: log.beginnings.bind(log),
    ...failing,
  };
  await expect(edit({ id, record: CORRECTED }, { log: broken })).rejects.toThrow('killed');

  const other = edit({ id, record: '{"traits":{"plan":"other"}}' });

  await expect(other).rejects.toMatchObject({ code: 'DEAD_LETTER_SETTLED' });
  await caughtUp();
  expect(await traitsIn(message)).toMatchObject({ profiles: { plan: 'pro' } });
  await expect(edit({ id, record: '{"traits":{"plan":"other"}}' })).rejects.toMatchObject({
    code: 'DEAD_LETTER_SETTLED',
  });
});

test('a dry run says what each store would do, and changes nothing', async () => {
  const { id, message } = await refused('sink');
  await database().script("alter table profiles add constraint tried check (traits ->> 'plan' <> 'gold') not valid");
  onTestFinished(() => database().script('alter table profiles drop constraint tried'));

  const good = await edit({ id, record: CORRECTED, isDryRun: true });
  const bad = await edit({ id, record: '{"traits":{"plan":"gold"}}', isDryRun: true });

  const accepted = { accepts: true, error: null };
  expect(good).toMatchObject({
    edited: { dry_run: true, copy: null, stores: { profiles: accepted, analytics: accepted } },
  });
  expect(bad).toMatchObject({
    edited: {
      stores: {
        profiles: { accepts: false, error: expect.stringMatching(/^STORE_REJECTED.*23514/) as string },
        analytics: accepted,
      },
    },
  });
  expect(bench().log.records('tidemark.identify', 0)).toHaveLength(3);
  expect(await waiting()).toMatchObject([{ id, state: 'waiting' }]);
  expect((await traitsIn(message)).profiles).toEqual({ a: 1, b: 2, plan: 'free', unprocessable: 1 });
  expect(await ask(bench().analytics.store, "SELECT name FROM system.tables WHERE name LIKE 'tried%'")).toEqual([]);
});
