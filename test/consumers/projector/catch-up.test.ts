import * as fc from 'fast-check';
import { pino } from 'pino';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { DEAD_LETTER_TOPIC } from '../../../services/messages/message.ts';
import type { Claim } from '../../../services/stores/profiles/profile-store.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { LARGE_BATCH_LIMITS, type LargeBatchLimits } from '../../../services/consumers/projector/large-batch.ts';
import { Projector, type ProjectorOptions } from '../../../services/consumers/projector/projector.ts';
import type { BatchReport } from '../../../services/consumers/reader-metrics.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { serverUrl } from '../../servers/server.ts';
import { sharedDatabase, sharedPostgres } from '../../support/stores/database.ts';
import { MemoryLog } from '../../support/event-log/memory-log.ts';
import { codec, identify, track } from '../../support/messages/messages.ts';
import { overriding } from '../../support/service/projector.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';
import { append, countedOf, drawnDeath, dyingAt, isAtEnd, offsetsOf, people, usersOf, wrapped } from './behind.ts';
import { drawnMessage, messageOf, naiveProfileOf, profileOf } from './drawn-history.ts';

const server = await serverUrl('postgres');
const STORES = [
  { name: 'PGlite', share: sharedDatabase, numRuns: 60 },
  ...(server === undefined ? [] : [{ name: 'Postgres', share: () => sharedPostgres(server), numRuns: 20 }]),
];

/** A poll of so few is full, and the projector begins to catch up. */
const FULL = 3;
/** Several large batches of several transactions each, of a handful of messages. */
const SMALL: LargeBatchLimits = { ...LARGE_BATCH_LIMITS, users: 3, records: 9, claims: 4, sliceUsers: 1 };
describe.each(STORES)('a projector that is behind, on $name', ({ share, numRuns }) => {
  const database = share();
  const running: Projector[] = [];
  afterEach(() => Promise.all(running.splice(0).map((projector) => projector.stop())));

  test('a history yields one profile for each user, wherever the process dies while it catches up', async () => {
    const history = fc.array(drawnMessage, { minLength: 5, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(history, fc.array(drawnDeath, { maxLength: 4 }), async (drawn, deaths) => {
        const { log, projectId, project, caughtUp } = await scene();
        const messages = drawn.map((one, index) => messageOf(projectId, one, index));
        append(log, messages);
        for (const death of deaths) {
          const dying = project(dyingAt(store(), death));
          await Promise.race([dying.failed.catch(() => undefined), caughtUp()]);
          await dying.stop();
        }
        const last = project();

        await caughtUp();

        await last.stop();
        for (const user of ['user-0', 'user-1', 'user-2']) {
          const mine = messages.filter(({ userId }) => userId === user);
          const bounded = { database: database(), maxTraits: 10_000 };
          expect(await profileOf(bounded, mine)).toEqual(await naiveProfileOf(bounded, mine));
        }
        expect(await countedOf(database(), projectId)).toBe(messages.length);
      }),
      { numRuns },
    );
  });

  test('several messages of a user are written once, in a transaction without positions', async () => {
    const { log, projectId, project, caughtUp, calls } = await scene();
    append(log, people(projectId, 400, 20));

    project(counting(calls), { largeBatches: LARGE_BATCH_LIMITS });

    await caughtUp();
    expect(calls.merged).toBeLessThan(3 * 20);
    expect(await countedOf(database(), projectId)).toBe(400);
  });

  test('what waits is written, and what comes, though messages never cease to come', async () => {
    const { log, projectId, project } = await scene();
    append(log, people(projectId, 200, 20));
    let [said, all] = [0, 200];
    const talking = setInterval(() => {
      append(log, people(projectId, 2, 2));
      all += 2;
    }, 20);
    onTestFinished(() => clearInterval(talking));

    project(undefined, { maxRecords: () => 50, largeBatches: { ...LARGE_BATCH_LIMITS, ageMs: 600_000 } });

    for (let round = 0; round < 3; round++) {
      said = all;
      await expect.poll(() => countedOf(database(), projectId)).toBeGreaterThanOrEqual(said);
    }
  });

  test('a message that the store refuses becomes a dead letter, and every other one is written', async () => {
    const { log, projectId, project, caughtUp, reports, letters } = await scene();
    const messages = people(projectId, 60, 60).map((message, index) =>
      index === 33 || index === 51 ? { ...message, anonymousId: 'a\0b' } : message,
    );
    append(log, messages);

    const refused = { merges: 0 };
    const real = store();
    const watching = overriding(real, {
      merge: (changes) =>
        real.merge(changes).catch((error: unknown) => {
          refused.merges++;
          throw error;
        }),
    });

    project(watching, { largeBatches: { ...SMALL, users: 100, records: 100 } });

    await caughtUp();
    // What it was with is written with care from then on.
    expect(refused.merges).toBeLessThanOrEqual(2);
    await expect.poll(() => reports.reduce((sum, { messages: written }) => sum + written, 0)).toBe(58);
    expect(letters().map(({ offset }) => Number(offset))).toEqual(offsetsOf(log, messages, [33, 51]));
    expect(await usersOf(database(), projectId)).toBe(58);
    expect(await countedOf(database(), projectId)).toBe(58);
  });

  test('the second of two copies counts where the store refuses the first', async () => {
    const { log, projectId, project, caughtUp, letters } = await scene();
    const said = { projectId, userId: 'ada', messageId: 'm1', messageIdGiven: true };
    append(log, [
      ...people(projectId, 20, 20),
      identify({ ...said, anonymousId: 'a\0b', traits: '{"plan":"free"}' }),
      identify({ ...said, traits: '{"plan":"pro"}' }),
      ...people(projectId, 20, 20),
    ]);

    project(undefined, { largeBatches: { ...SMALL, users: 100, records: 100 } });

    await caughtUp();
    expect(letters()).toHaveLength(1);
    expect((await find(projectId))?.traits).toBe('{"plan": "pro"}');
  });

  test('the second of two copies does not count while the first is being written', async () => {
    const { log, projectId, project, caughtUp } = await scene();
    const said = (messageId: string, traits: string) =>
      identify({ projectId, userId: 'ada', messageId, messageIdGiven: true, traits });
    const others = Array.from({ length: 8 }, (_, index) => said(`other-${index}`, '{"seen":true}'));
    append(log, [
      ...others.slice(0, 3),
      said('m1', '{"plan":"free"}'),
      ...others.slice(3),
      said('m1', '{"plan":"pro"}'),
    ]);
    const isAskedAgain = Promise.withResolvers<void>();
    let asked = 0;
    const real = store();
    const has = (claims: readonly Claim[]) => claims.some(({ messageId }) => messageId === 'm1');
    const slow = overriding(real, {
      areRepeats: async (claims) => {
        const answer = await real.areRepeats(claims);
        if (has(claims) && ++asked === 2) isAskedAgain.resolve();
        return answer;
      },
      write: async (...args) => {
        if (has(args[1])) await isAskedAgain.promise;
        await real.write(...args);
      },
    });

    project(slow);

    await caughtUp();
    expect((await find(projectId))?.traits).toBe('{"plan": "free", "seen": true}');
  });

  test('a record that is not a message goes to the dead letters once', async () => {
    const { log, projectId, project, caughtUp, letters } = await scene();
    append(log, people(projectId, 10, 10));
    log.put('tidemark.track', 0, { key: Buffer.from('k'), value: Buffer.from('no avro') });
    append(log, people(projectId, 10, 10));

    project();

    await caughtUp();
    expect(letters()).toHaveLength(1);
    expect(await countedOf(database(), projectId)).toBe(20);
  });

  test('while the store is unavailable the projector retries the step, then goes on', async () => {
    const { log, projectId, project, caughtUp, letters } = await scene();
    append(log, people(projectId, 60, 30));
    const failures = { noteAhead: 2, merge: 2, write: 2 };
    const flaky = wrapped(store(), async (step, call) => {
      if (failures[step]-- > 0) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable');
      await call();
    });

    project(flaky);

    await caughtUp();
    expect(letters()).toEqual([]);
    expect(await countedOf(database(), projectId)).toBe(60);
  });

  test('the table of positions says how far profiles may be ahead before the positions move', async () => {
    const { log, projectId, project, caughtUp, ahead } = await scene();
    append(log, people(projectId, 30, 30));
    const seen: bigint[] = [];
    const watching = wrapped(store(), async (step, call) => {
      await call();
      if (step === 'merge') seen.push(await ahead());
    });

    project(watching);

    await caughtUp();
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every((offsets) => offsets > 0n)).toBe(true);
    expect(await ahead()).toBe(0n);
  });

  test('two that both think they own the partitions write each message once', async () => {
    const { log, projectId, project, caughtUp } = await scene();
    append(log, people(projectId, 300, 50));

    for (const _ of [1, 2]) project();

    await caughtUp();
    expect(await countedOf(database(), projectId)).toBe(300);
    expect(await usersOf(database(), projectId)).toBe(50);
  });

  test('a projector that is stopped amid a large batch writes no further transaction, and another one goes on', async () => {
    const { log, projectId, project, caughtUp, calls } = await scene();
    append(log, people(projectId, 200, 200));
    const first = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const slow = wrapped(store(), async (step, call) => {
      await call();
      if (step !== 'merge') return;
      calls.merged++;
      first.resolve();
      await release.promise;
    });
    const projector = project(slow);
    await first.promise;

    const stopped = projector.stop();
    release.resolve();
    await stopped;

    expect(calls.merged).toBe(1);
    project();
    await caughtUp();
    expect(await countedOf(database(), projectId)).toBe(200);
  });

  function store(): SqlProfileStore {
    return new SqlProfileStore(database());
  }

  function counting(calls: { merged: number }): SqlProfileStore {
    const real = store();
    return overriding(real, {
      merge: async (changes) => {
        calls.merged += changes.length;
        await real.merge(changes);
      },
    });
  }

  async function scene() {
    await database().script('delete from reader_positions; delete from applied');
    const log = new MemoryLog();
    const reports: BatchReport[] = [];
    const project = (over: SqlProfileStore = store(), options: Partial<ProjectorOptions> = {}): Projector => {
      const projector = new Projector({
        log,
        store: over,
        codec,
        logger: pino({ level: 'silent' }),
        repeatWindowMs: 60_000,
        maxRecords: () => FULL,
        largeBatches: SMALL,
        onBatch: (report) => void reports.push(report),
        ...options,
      });
      running.push(projector);
      onTestFinished(() => projector.stop());
      projector.start();
      return projector;
    };
    const caughtUp = () => expect.poll(() => isAtEnd(log, store()), { timeout: 30_000, interval: 5 }).toBe(true);
    const ahead = async (): Promise<bigint> => {
      const [row] = await database().query<{ ahead: bigint }>(
        'select coalesce(sum(ahead_to - next_offset), 0)::int8 as ahead from reader_positions',
      );
      return row!.ahead;
    };
    const letters = () => log.records(DEAD_LETTER_TOPIC, 0).map(({ value }) => codec.decodeDeadLetter(value));
    return { log, projectId: randomProjectId(), project, caughtUp, reports, letters, ahead, calls: { merged: 0 } };
  }

  const find = (projectId: string) => store().find(projectId, track({ projectId, userId: 'ada' }).userKey);
});
