/** What a sink tells those who follow what analytics holds. */
import { expect, test, vi } from 'vitest';
import { Batch } from '../../../services/consumers/sink/batch.ts';
import { Touched, type TouchedUser, touchedUsers } from '../../../services/consumers/sink/touched.ts';
import { UsersSeen } from '../../../services/consumers/sink/users-seen.ts';
import type { Message } from '../../../services/messages/message.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { MessageMaker } from '../../support/stores/analytics.ts';
import { sinkBench } from '../../support/service/sink.ts';

const bench = sinkBench();
const PATIENCE = { timeout: 20_000, interval: 10 };
const make = new MessageMaker();

function caughtUp(): Promise<void> {
  return vi.waitFor(async () => expect(await bench().hasCaughtUp()).toBe(true), PATIENCE);
}

/** A follower who wants to be told while `wanted` is true. */
class Follower {
  wanted = true;
  readonly users: unknown[] = [];
  readonly wants = (): boolean => this.wanted;
  readonly inserted = async (users: () => Promise<readonly TouchedUser[]>): Promise<void> => {
    if (this.wanted) this.users.push(...(await users()).map(named));
  };
}

function named({ projectId, userKey, names }: TouchedUser): unknown {
  const user = ['ada', 'bob', 'eve'].find((id) => userKeyOf(projectId, id) === userKey);
  return names === null ? [user, 'anything'] : [user, [...names.events].sort(), [...names.traits].sort()];
}

test('a follower is told the users of an insert with the names of what it wrote', async () => {
  const follower = new Follower();
  bench().put([
    make.track({ event: 'page' }),
    make.track({ event: 'order', messageIdGiven: false }),
    make.identify({ traits: '{"plan":"pro","gone":null}' }),
  ]);
  bench().put([make.session({ userId: 'bob', traits: '{}' })], 1);

  bench().run({ follower });
  await caughtUp();

  expect(follower.users).toEqual([
    ['ada', ['order', 'page'], []],
    ['ada', [], ['gone', 'plan']],
    ['bob', [], []],
  ]);
});

test('a repeat of a message that set traits is not told', async () => {
  const follower = new Follower();
  bench().put([make.identify({ messageId: 'm', traits: '{"plan":"pro"}' })]);
  bench().run({ follower });
  await caughtUp();
  bench().put([make.identify({ messageId: 'm', traits: '{"age":7}' })]);
  await caughtUp();

  expect(bench().inserts.at(-1)).toMatchObject({ messages: 0, repeats: 1 });
  expect(follower.users).toEqual([['ada', [], ['plan']]]);
});

test('a follower is told when analytics holds all of an insert, before that is noted', async () => {
  const follower = new Follower();
  const insertsThen: unknown[] = [];
  const inserted = async (users: () => Promise<readonly TouchedUser[]>): Promise<void> => {
    await follower.inserted(users);
    insertsThen.push(bench().analytics.calls.map(({ ranges }) => ranges.length));
  };
  bench().put([make.track()]);

  bench().run({ follower: { wants: follower.wants, inserted } });
  await caughtUp();

  // The messages' rows and their users' have ended; the range that they are of has not begun.
  expect(insertsThen).toEqual([[0, 0]]);
  expect(bench().analytics.calls.map(({ ranges }) => ranges.length)).toEqual([0, 0, 1]);
  expect(follower.users).toHaveLength(1);
});

test('an insert that fails is told once it has succeeded', async () => {
  const follower = new Follower();
  let failures = 2;
  bench().analytics.before = () => {
    if (failures-- > 0) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered');
  };
  bench().put([make.track({ event: 'page' })]);

  bench().run({ follower });
  await caughtUp();

  expect(follower.users).toEqual([['ada', ['page'], []]]);
});

test('an insert of which it cannot be noted yet that analytics holds it is told meanwhile, and once', async () => {
  const follower = new Follower();
  let isFailing = true;
  bench().analytics.before = (ranges) => {
    if (isFailing && ranges.length > 0) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered');
  };
  bench().put([make.track({ event: 'page' })]);

  bench().run({ follower });
  await vi.waitFor(() => expect(follower.users).toEqual([['ada', ['page'], []]]), PATIENCE);
  isFailing = false;
  await caughtUp();

  expect(follower.users).toEqual([['ada', ['page'], []]]);
});

test('without a follower that wants it, nothing is told and no name is collected', async () => {
  const follower = new Follower();
  follower.wanted = false;
  bench().put([make.track({ event: 'page' })]);

  bench().run({ follower });
  await caughtUp();

  expect(follower.users).toEqual([]);
  expect(new Batch(follower.wants).take()).toBeUndefined();
});

test('who begins to follow while a batch is read is told its users, who may have done anything', async () => {
  const follower = new Follower();
  follower.wanted = false;
  bench().analytics.before = () => void (follower.wanted = true);
  bench().put([make.track({ event: 'page', messageIdGiven: false })]);

  bench().run({ follower });
  await caughtUp();

  expect(follower.users).toEqual([['ada', 'anything']]);
});

test('partitions with and without names, and messages that were claimed, are told together', async () => {
  const seenIn = (...messages: Message[]): { seen: UsersSeen; touched: Touched } => {
    const read = { seen: new UsersSeen(), touched: new Touched() };
    for (const message of messages) {
      read.seen.see(message);
      read.touched.add(message);
    }
    return read;
  };
  const withNames = seenIn(make.track({ userId: 'ada', event: 'page' }), make.track({ userId: 'ada', event: 'order' }));
  const unnamed = { ...seenIn(make.track({ userId: 'bob' })), touched: null };

  const users = await touchedUsers([withNames, unnamed], [make.identify({ userId: 'eve', traits: '{"plan":1}' })]);

  expect(users.map(named)).toEqual([
    ['ada', ['order', 'page'], []],
    ['bob', 'anything'],
    ['eve', [], ['plan']],
  ]);
});
