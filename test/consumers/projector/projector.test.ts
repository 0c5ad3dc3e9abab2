import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hourOf } from '../../../services/messages/day-and-hour.ts';
import { IMPORT_TOPICS, importTopicOf, LIVE_TOPICS, type Message } from '../../../services/messages/message.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { Projector, type ProjectorOptions } from '../../../services/consumers/projector/projector.ts';
import type { BatchReport } from '../../../services/consumers/reader-metrics.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';
import { MemoryLog } from '../../support/event-log/memory-log.ts';
import { unreachableFor, codec, identify, recordOf, session, TODAY, track } from '../../support/messages/messages.ts';
import { append, overriding } from '../../support/service/projector.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';

describe.each(DATABASES)('the projector on $name', ({ share }) => {
  const database = share();

  test('messages of the log are folded into profiles', async () => {
    const { log, project, profile, ada } = await scene();
    append(log, [
      session({ ...ada, anonymous: true, traits: '{"plan":"free"}' }),
      track(ada),
      identify({ ...ada, traits: '{"plan":"pro"}' }),
    ]);

    project();

    await expect.poll(profile).toMatchObject({ userId: 'ada', anonymous: true, traits: '{"plan": "pro"}' });
    await expect.poll(async () => (await log.committed()).length).toBe(3);
  });

  test('a repeat under the same given id changes nothing', async () => {
    const { log, project, profile, ada } = await scene();
    const first = identify({ ...ada, messageId: 'm1', messageIdGiven: true, traits: '{"plan":"pro"}' });
    append(log, [first, identify({ ...ada, messageId: 'm1', messageIdGiven: true, traits: '{"plan":"free"}' })]);
    append(log, [identify({ ...ada, messageId: 'm2', messageIdGiven: true, traits: '{"seen":true}' })]);

    project();

    await expect.poll(async () => (await profile())?.traits).toBe('{"plan": "pro", "seen": true}');
  });

  test.each([
    { order: 'the live one first', lanes: [LIVE_TOPICS, IMPORT_TOPICS] },
    { order: 'the import first', lanes: [IMPORT_TOPICS, LIVE_TOPICS] },
  ])('of a message on both lanes the version decides, as of any two: $order', async ({ lanes }) => {
    const { log, project, profile, ada, reports } = await scene();
    const common = { ...ada, messageId: 'm1', messageIdGiven: true };
    append(log, [identify({ ...common, timestamp: TODAY, traits: '{"plan":"pro"}' })]);
    const old = identify({ ...common, timestamp: TODAY - 1n, traits: '{"plan":"free","since":2020}' });
    for (const copy of [old, { ...old, traits: '{"since":1999}' }]) {
      log.put(importTopicOf(copy), 0, { ...recordOf(copy), value: codec.encode(copy, importTopicOf(copy)) });
    }

    for (const [index, topics] of lanes.entries()) {
      project(undefined, log, { topics, group: `lane-${index}` });
      await expect.poll(() => reports.length).toBe(index + 1);
    }

    await expect.poll(async () => (await profile())?.traits).toBe('{"plan": "pro", "since": 2020}');
  });

  test('what it applies is counted by project and hour of arrival: messages, repeats, and no dead letters', async () => {
    const { log, project, profile, ada, reports } = await scene();
    const given = identify({ ...ada, messageId: 'm1', messageIdGiven: true });
    const late = track({ ...ada, timestamp: TODAY, receivedAt: TODAY + 7_200_000_000n });
    append(log, [given, given, late, track({ ...ada, receivedAt: TODAY })]);
    append(log, [track({ ...ada, anonymousId: 'a\0b' })]);
    log.put('tidemark.track', 0, { key: Buffer.from('k'), value: Buffer.from('no avro') });

    project();
    await expect.poll(profile).toBeDefined();
    await expect.poll(() => reports.reduce((sum, { messages }) => sum + messages, 0)).toBe(4);

    const sql = 'select topic, hour, messages, repeats from applied_counts where project_id = $1 order by topic, hour';
    expect(await database().query(sql, [ada.projectId])).toEqual([
      { topic: 'tidemark.identify', hour: hourOf(given.receivedAt), messages: 1n, repeats: 1n },
      { topic: 'tidemark.track', hour: hourOf(TODAY), messages: 1n, repeats: 0n },
      { topic: 'tidemark.track', hour: hourOf(TODAY) + 2, messages: 1n, repeats: 0n },
    ]);
  });

  test('a projector that starts again goes on from the position in the store', async () => {
    const { log, project, profile, ada, reports } = await scene();
    append(log, [identify({ ...ada, traits: '{"a":1}' })]);
    const first = project();
    await expect.poll(profile).toBeDefined();
    await first.stop();
    append(log, [identify({ ...ada, traits: '{"b":2}' })]);

    project();

    await expect.poll(async () => (await profile())?.traits).toBe('{"a": 1, "b": 2}');
    await expect.poll(() => reports.map(({ messages }) => messages)).toEqual([1, 1]);
  });

  test('a record that is not a message goes whole to the dead letters, and the rest is written', async () => {
    const { log, project, profile, ada } = await scene();
    const broken = { key: Buffer.from('k'), value: Buffer.from('no avro') };
    log.put('tidemark.track', 0, broken);
    append(log, [track(ada)]);

    project();

    await expect.poll(profile).toBeDefined();
    const letters = log.records('tidemark.dead-letter', 0).map(({ value }) => codec.decodeDeadLetter(value));
    expect(letters).toMatchObject([{ topic: 'tidemark.track', partition: 0, offset: 0n, reader: 'projector' }]);
    expect(Buffer.from(letters[0]!.value)).toEqual(broken.value);
  });

  test('messages that the store refuses become dead letters, and every other one is written', async () => {
    const { log, project, ada, find, reports } = await scene();
    const people = Array.from({ length: 20 }, (_, index) => ({ ...ada, userId: `user-${index}` }));
    const messages = people.map((person, index) =>
      track(index === 3 || index === 17 ? { ...person, anonymousId: 'a\0b' } : person),
    );
    append(log, messages);

    project();

    await expect.poll(() => reports.length).toBe(1);
    expect(reports).toMatchObject([{ messages: 18, deadLetters: 2 }]);
    expect(await find(messages[3]!)).toBeUndefined();
    expect(await find(messages[4]!)).toBeDefined();
    expect(await find(messages[18]!)).toBeDefined();
    const letters = log.records('tidemark.dead-letter', 0).map(({ value }) => codec.decodeDeadLetter(value));
    expect(letters.map(({ offset }) => offset)).toEqual([3n, 17n]);
  });

  test('a repeat changes nothing where the store refuses the message that follows it', async () => {
    const { log, project, profile, ada } = await scene();
    const said = (traits: string) => identify({ ...ada, messageId: 'm1', messageIdGiven: true, traits });
    const refused = identify({ ...ada, anonymousId: 'a\0b' });
    append(log, [said('{"plan":"pro"}')]);
    project();
    await expect.poll(profile).toMatchObject({ traits: '{"plan": "pro"}' });
    append(log, [said('{"plan":"free"}'), refused, identify({ ...ada, traits: '{"seen":true}' })]);
    await expect.poll(async () => (await profile())?.traits).toBe('{"plan": "pro", "seen": true}');
  });

  test('while the store is unavailable the projector retries, then goes on, and nothing is a dead letter', async () => {
    const { log, project, profile, ada, store } = await scene();
    append(log, [track(ada)]);
    let failures = 3;
    const flaky = overriding(store, {
      write: async (...args) => {
        if (failures-- > 0) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable');
        await store.write(...args);
      },
    });

    project(flaky);

    await expect.poll(profile).toBeDefined();
    expect(failures).toBe(-1);
    expect(log.records('tidemark.dead-letter', 0)).toEqual([]);
  });

  test('while the schemas cannot be loaded the projector retries, then goes on, and nothing is a dead letter', async () => {
    const { log, project, profile, ada } = await scene();
    append(log, [track(ada)]);
    const unreachable = unreachableFor(3);

    project(undefined, log, { codec: unreachable.codec });

    await expect.poll(profile).toBeDefined();
    expect(unreachable.failuresLeft()).toBe(0);
    expect(log.records('tidemark.dead-letter', 0)).toEqual([]);
  });

  test('if the store refuses what it accepted before, no message is to blame: the projector retries', async () => {
    const { log, project, profile, ada, store } = await scene();
    let refusals = 0;
    let isBroken = false;
    const broken = overriding(store, {
      write: async (...args) => {
        if (isBroken && ++refusals) throw new TidemarkError('STORE_REJECTED', 'refused, as ordered');
        await store.write(...args);
      },
    });
    append(log, [identify({ ...ada, traits: '{"a":1}' })]);
    project(broken);
    await expect.poll(profile).toBeDefined();
    isBroken = true;
    append(log, [identify({ ...ada, traits: '{"b":2}' }), identify({ ...ada, traits: '{"c":3}' })]);
    await expect.poll(() => refusals).toBeGreaterThan(6);
    expect(log.records('tidemark.dead-letter', 0)).toEqual([]);

    isBroken = false;

    await expect.poll(async () => (await profile())?.traits).toBe('{"a": 1, "b": 2, "c": 3}');
    expect(log.records('tidemark.dead-letter', 0)).toEqual([]);
  });

  test('a projector whose partition another one took restarts from the position of that one', async () => {
    const { log, project, profile, ada, store, reports } = await scene();
    append(log, [identify({ ...ada, traits: '{"a":1}' })]);
    let taken = false;
    const contested = overriding(store, {
      write: async (...args) => {
        if (!taken) {
          taken = true;
          await store.write(...args);
        }
        await store.write(...args);
      },
    });

    project(contested);
    await expect.poll(() => taken).toBe(true);
    append(log, [identify({ ...ada, traits: '{"b":2}' })]);

    await expect.poll(async () => (await profile())?.traits).toBe('{"a": 1, "b": 2}');
    await expect.poll(() => reports.map(({ messages }) => messages)).toEqual([1]);
  });

  test('a log that was replaced stops the projector permanently', async () => {
    const { log, project, profile, ada } = await scene();
    append(log, [track(ada)]);
    const first = project();
    await expect.poll(profile).toBeDefined();
    await first.stop();
    const another = new MemoryLog();
    append(another, [track({ ...ada, userId: 'bob' })]);

    const { failed } = project(undefined, another);

    await expect(failed).rejects.toMatchObject({ code: 'LOG_REPLACED' });
  });

  test('a projector that waits for a store stops at once', async () => {
    const { log, project, ada, store } = await scene();
    append(log, [track(ada)]);
    const tried = Promise.withResolvers<void>();
    const unreachable = overriding(store, {
      write: async () => {
        tried.resolve();
        throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable');
      },
    });
    const projector = project(unreachable);
    await tried.promise;

    await projector.stop();
    await projector.stop();

    expect(log.records('tidemark.dead-letter', 0)).toEqual([]);
  });

  test('two that both think they own the partitions write each message once', async () => {
    const { log, project, profile, ada, reports } = await scene();
    const count = 300;
    const messages = Array.from({ length: count }, (_, n) => identify({ ...ada, traits: `{"n":${n}}` }));

    for (const _ of [1, 2]) project();
    for (let at = 0; at < count; at += 10) {
      append(log, messages.slice(at, at + 10));
      await nextTurn();
    }

    await expect.poll(async () => (await profile())?.traits).toBe(`{"n": ${count - 1}}`);
    await expect.poll(() => reports.reduce((sum, report) => sum + report.messages, 0)).toBe(count);
  });

  /** A log of its own, and a store that is at its beginning: the topics are the same for all tests. */
  async function scene() {
    await database().script('delete from reader_positions');
    const log = new MemoryLog();
    const store = new SqlProfileStore(database());
    const ada = { projectId: randomProjectId(), userId: 'ada' };
    const reports: BatchReport[] = [];
    const project = (over: SqlProfileStore = store, on = log, lane: Partial<ProjectorOptions> = {}): Projector => {
      const logger = pino({ level: 'silent' });
      const onBatch = (report: BatchReport) => void reports.push(report);
      const projector = new Projector({
        log: on,
        store: over,
        codec,
        logger,
        repeatWindowMs: 60_000,
        onBatch,
        ...lane,
      });
      onTestFinished(() => projector.stop());
      projector.start();
      return projector;
    };
    const find = ({ projectId, userKey }: Message) => store.find(projectId, userKey);
    return { log, store, ada, reports, project, find, profile: () => find(track(ada)) };
  }
});
