import { setTimeout as delay } from 'node:timers/promises';
import * as fc from 'fast-check';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Position, TopicPartition } from '../../../services/event-log/event-log.ts';
import { beginningOf } from '../../../services/event-log/identity.ts';
import { nameOf } from '../../../services/event-log/partition.ts';
import { changeOf } from '../../../services/consumers/projector/fold.ts';
import { Overtaking } from '../../../services/consumers/projector/overtaking.ts';
import { Projector } from '../../../services/consumers/projector/projector.ts';
import { type Message, MESSAGE_TOPICS } from '../../../services/messages/message.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { sharedDatabase } from '../../support/stores/database.ts';
import { MemoryLog } from '../../support/event-log/memory-log.ts';
import { codec, identify, track } from '../../support/messages/messages.ts';
import { append } from '../../support/service/projector.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';
import { isAtEnd } from './behind.ts';
import { drawnMessage, messageOf, naiveProfileOf, profileOf } from './drawn-history.ts';

const database = sharedDatabase();
const WIDE_TRAITS = 9_000;
const WIDE_USERS = 40;

test('a profile is written while the wide ones of another project wait before it', async () => {
  const { log, quiet, store, unreadWide, project, find } = await scene();
  const writes = new Pace();
  const paced = new SqlProfileStore(database());
  paced.write = async (...args) => {
    await writes.pass();
    await store.write(...args);
  };

  project(paced);
  // Before the projector is stopped, which waits for its transaction: the last to be named runs first.
  onTestFinished(() => writes.open());
  await writes.until(() => find('ada'));
  expect(await find('ada')).toMatchObject({ traits: '{"plan": "pro"}' });

  expect(await unreadWide()).toBeGreaterThan(0);
  append(log, [identify({ projectId: quiet, userId: 'bob', traits: '{"plan":"free"}' })]);
  await writes.until(() => find('bob'));
  expect(await find('bob')).toMatchObject({ traits: '{"plan": "free"}' });
  expect(await unreadWide()).toBeGreaterThan(0);
});

/** Lets one transaction after the other begin, so that no test depends on how long one takes. */
class Pace {
  #arrived = Promise.withResolvers<void>();
  #next = Promise.withResolvers<void>();

  async pass(): Promise<void> {
    this.#arrived.resolve();
    await this.#next.promise;
  }

  /** Lets one after the other begin until this finds something. */
  async until(find: () => Promise<unknown>): Promise<void> {
    for (;;) {
      await this.#arrived.promise;
      if ((await find()) !== undefined) return;
      // Longer than the projector rests between two rounds ahead.
      await delay(500);
      const next = this.#next;
      [this.#arrived, this.#next] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      next.resolve();
    }
  }

  open(): void {
    this.pass = () => Promise.resolve();
    this.#next.resolve();
  }
}

test('whatever is merged ahead, however often, yields the one profile of the messages so far', async () => {
  const step = fc.record({ messages: fc.array(drawnMessage, { maxLength: 6 }), next: fc.constantFrom(...NEXT) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
      const { log, quiet, store, overtaking, project } = await scene(undefined, 0);
      let passing = overtaking();
      const messages: Message[] = [];
      for (const { messages: drawn, next } of steps) {
        const added = drawn.map((one, index) => messageOf(quiet, one, messages.length + index));
        append(log, added);
        messages.push(...added);
        if (next === 'a restart') passing = overtaking();
        if (next === 'the projector') {
          const projector = project();
          await expect.poll(() => isAtEnd(log, store), { interval: 5 }).toBe(true);
          await projector.stop();
        } else await passing();

        for (const user of ['user-0', 'user-1', 'user-2']) {
          const mine = messages.filter(({ userId }) => userId === user);
          const bounded = { database: database(), maxTraits: 10_000 };
          expect(await profileOf(bounded, mine)).toEqual(await naiveProfileOf(bounded, mine));
        }
      }
    }),
    { numRuns: 25 },
  );
});

const NEXT = ['it goes on', 'it goes on', 'a restart', 'the projector'] as const;

test('what was merged ahead is counted by the projector alone, and undecided to a verification until then', async () => {
  const { log, quiet, store, overtaking, project } = await scene(undefined, 0);

  await overtaking()();
  const ahead = await database().query(STANDING, [quiet]);
  project();
  await expect.poll(() => isAtEnd(log, store)).toBe(true);

  expect(ahead).toEqual([{ ahead: 1n, messages: 0n }]);
  expect(await database().query(STANDING, [quiet])).toEqual([{ ahead: null, messages: 2n }]);
});

test('of two copies ahead the first counts, also where it is so wide that it does not pass itself', async () => {
  const said = (userId: string, plan: string, more = '') => ({
    userId,
    messageId: 'm1',
    messageIdGiven: true,
    traits: `{"plan":"${plan}","more":"${more}"}`,
  });
  const {
    log,
    quiet: projectId,
    store,
    find,
    overtaking,
    project,
  } = await scene(
    (quiet) => [
      identify({ projectId: quiet, ...said('eve', 'first') }),
      identify({ projectId: quiet, ...said('wide', 'first', 'x'.repeat(20_000)) }),
      identify({ projectId: quiet, ...said('wide', 'second') }),
    ],
    0,
  );
  const pass = overtaking();

  await pass();
  append(log, [identify({ projectId, ...said('eve', 'second') }), identify({ projectId, ...said('wide', 'third') })]);
  await pass();

  expect((await find('eve'))?.traits).toContain('"plan": "first"');
  expect(await find('wide')).toBeUndefined();
  project();
  await expect.poll(() => isAtEnd(log, store), { timeout: 60_000 }).toBe(true);
  expect((await find('eve'))?.traits).toContain('"plan": "first"');
  expect((await find('wide'))?.traits).toContain('"plan": "first"');
});

test('what the store refuses keeps no other project from passing', async () => {
  const refused = randomProjectId();
  const { store, find, overtaking } = await scene(
    () => [identify({ projectId: refused, userId: 'refused', anonymousId: 'a\0b' })],
    0,
  );

  await overtaking()();

  expect(await find('ada')).toBeDefined();
  expect(await store.find(refused, track({ projectId: refused, userId: 'refused' }).userKey)).toBeUndefined();
});

const STANDING = `
  select max(ahead_to) as ahead, (select coalesce(sum(messages), 0)::int8 from applied_counts where project_id = $1) as messages
  from reader_positions where topic = 'tidemark.identify'`;

/** A log of many wide users of one project, and behind them a user of a quiet one and these messages of it. */
async function scene(more: (projectId: string) => readonly Message[] = () => [], wideUsers = WIDE_USERS) {
  await database().script('delete from reader_positions; delete from applied');
  const log = new MemoryLog();
  const [wide, quiet] = [randomProjectId(), randomProjectId()];
  const store = new SqlProfileStore(database());
  append(log, [
    ...Array.from({ length: wideUsers }, (_, n) => wideIdentify(wide, n)),
    identify({ projectId: quiet, userId: 'ada', traits: '{"plan":"pro"}' }),
    track({ projectId: quiet, userId: 'ada' }),
    ...more(quiet),
  ]);
  const project = (into: SqlProfileStore = store): Projector => {
    const logger = pino({ level: 'silent' });
    const projector = new Projector({ log, store: into, codec, logger, repeatWindowMs: 60_000 });
    onTestFinished(() => projector.stop());
    projector.start();
    return projector;
  };
  /** Passes a slow project, each time that it is called. */
  const overtaking = (): (() => Promise<void>) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const positionOf = (partition: TopicPartition) => positions.get(nameOf(partition)) ?? beginningOf(partition);
    const none = () => Promise.resolve(undefined);
    const positions = new Map<string, Position>();
    const logger = pino({ level: 'silent' });
    const ahead = new Overtaking({ log, codec, store, logger, wanted: none, settledIn: none, positionOf });
    return async () => {
      vi.advanceTimersByTime(10_000);
      ahead.note([changeOf(identify({ projectId: wide, userId: 'wide' }))], 60_000);
      const partitions = await log.ends(MESSAGE_TOPICS);
      for (const position of await store.positions(partitions)) positions.set(nameOf(position), position);
      await ahead.pass(partitions);
    };
  };
  /** How many of the wide ones are still to be written. */
  const unreadWide = async (): Promise<number> => {
    const [position] = await store.positions([{ topic: 'tidemark.identify', partition: 0 }]);
    return Math.max(0, log.records('tidemark.identify', 0).length - Number(position?.offset ?? 0n));
  };
  const find = (userId: string) => store.find(quiet, track({ projectId: quiet, userId }).userKey);
  return { log, quiet, store, project, overtaking, unreadWide, find };
}

function wideIdentify(projectId: string, n: number): Message {
  const traits = Object.fromEntries(Array.from({ length: WIDE_TRAITS }, (_, trait) => [`trait ${trait}`, trait]));
  return identify({ projectId, userId: `wide ${n}`, traits: JSON.stringify(traits) });
}
