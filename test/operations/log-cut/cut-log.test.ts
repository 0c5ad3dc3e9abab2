import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blankRecord } from '../../../services/event-log/blank.ts';
import { Projector } from '../../../services/consumers/projector/projector.ts';
import { Sink } from '../../../services/consumers/sink/sink.ts';
import {
  DEAD_LETTER_TOPIC,
  type Message,
  MESSAGE_TOPICS,
  SNAPSHOT_TOPIC,
  topicOf,
} from '../../../services/messages/message.ts';
import { anonymousKeyOf, userKeyOf } from '../../../services/messages/user-key.ts';
import { cutLog } from '../../../services/operations/log-cut/cut-log.ts';
import { Replay } from '../../../services/operations/replay/replay.ts';
import { storesToVerify } from '../../../services/operations/verify/live-stores.ts';
import { verify } from '../../../services/operations/verify/verify.ts';
import { createLogger } from '../../../services/runtime/logger.ts';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { migrateDatabase } from '../../../services/stores/database/migrate.ts';
import { openDatabase } from '../../../services/stores/database/open.ts';
import { deletionsOf } from '../../../services/stores/erasures/left-out.ts';
import type { Generation } from '../../../services/stores/generations/generation.ts';
import { progressOf } from '../../../services/stores/profiles/progress-of.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { SqlSinkPlans } from '../../../services/stores/profiles/sql-sink-plans.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { MemoryLog } from '../../support/event-log/memory-log.ts';
import { codec, recordOf } from '../../support/messages/messages.ts';
import { newStores } from '../../support/stores/new-stores.ts';
import { AMPLE, MessageMaker } from '../../support/stores/analytics.ts';
import { WholeInstallation } from '../../support/service/whole-installation.ts';

const SILENT = { report: () => undefined, signal: new AbortController().signal };
const log = new MemoryLog();
let installation: WholeInstallation;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  const urls = await newStores(folder);
  const database = await openDatabase(urls.PROFILES_URL);
  await migrateDatabase(database);
  for (const topic of [...MESSAGE_TOPICS, SNAPSHOT_TOPIC, DEAD_LETTER_TOPIC]) log.records(topic, 0);
  const analytics = await openAnalytics(urls.ANALYTICS_URL);
  installation = new WholeInstallation({ log, database, analytics, alterAnalytics: () => Promise.resolve() });
});
afterAll(async () => {
  await installation.close();
  await rm(folder, { recursive: true, force: true });
});

/** Messages of some users, of every kind, in an order that has nothing to do with their times. */
function history(shop: MessageMaker, count: number, seed: number): readonly Message[] {
  let state = seed;
  const next = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  return Array.from({ length: count }, () => {
    const anonymousId = `a${next(9)}`;
    const [user, both] = [{ userId: `u${next(7)}` }, next(3) === 0 && { anonymousId }];
    const nobody = { userId: null, anonymousId, userKey: anonymousKeyOf(shop.projectId, anonymousId) };
    const at = {
      ...(next(5) === 0 ? nobody : { ...user, ...both }),
      timestamp: 1_700_000_000_000_000n + BigInt(next(1_000_000)) * 1_000_000n,
    };
    if (next(3) === 0) return shop.track(at);
    const traits = JSON.stringify({ [`t${next(6)}`]: next(4) === 0 ? null : next(1_000), plan: 'pro' });
    return next(4) === 0 ? shop.session({ ...at, traits }) : shop.identify({ ...at, traits });
  });
}

async function append(messages: readonly Message[]): Promise<void> {
  await log.append(messages.map((message) => ({ topic: topicOf(message), ...recordOf(message) })));
}

/** Everything on the log is older, unless more is to be kept. */
function cutNow(keepMs = -86_400_000, backupFolder?: string) {
  const { database } = installation;
  return cutLog({ log, codec, database, backupFolder }, { keep_ms: keepMs }, SILENT);
}

/** Reads what is on the log into a generation that begins now. */
async function replayed(kind: Generation['kind'], from: MemoryLog = log): Promise<Generation> {
  const { database, analytics } = installation;
  const replay = new Replay(installation);
  const made = await replay.make({ kind, projectId: null }, undefined);
  await replay.takeDeleted(made, SILENT.signal, () => undefined);
  const common = { log: from, codec, logger: createLogger('silent', process.stderr), group: `g${kind}${made.number}` };
  const options = { ...common, ...deletionsOf(database) };
  const reader =
    kind === 'profiles'
      ? new Projector({ ...options, store: new SqlProfileStore(database, made.number), repeatWindowMs: 2 ** 40 })
      : new Sink({
          ...options,
          plans: new SqlSinkPlans(database, made.number),
          analytics: await analytics.ofGeneration(made.number),
        });
  reader.start();
  const ends = await from.ends(MESSAGE_TOPICS);
  const isThere = async (): Promise<boolean> => {
    const positions = await progressOf(database, kind, made.number);
    return ends.every(({ topic, offset }) => (positions.find((one) => one.topic === topic)?.offset ?? 0n) >= offset);
  };
  while (!(await isThere())) await delay(20);
  await reader.stop();
  return made;
}

async function comparedWithLive(kind: Generation['kind']) {
  const made = await replayed(kind);
  const compared = await new Replay(installation).compare(made, SILENT.signal, () => undefined);
  await new Replay(installation).drop(kind, made.number, SILENT.signal);
  return compared.map(({ what, equal, missing, extra, different }) => ({
    what,
    equal,
    differ: missing + extra + different,
  }));
}

async function beginnings(): Promise<number> {
  return (await log.beginnings(MESSAGE_TOPICS)).reduce((sum, { offset }) => sum + Number(offset), 0);
}

describe('a log that is cut behind a snapshot', { timeout: 300_000 }, () => {
  const made = async (name: string): Promise<MessageMaker> => {
    const project = { name, timezone: 'UTC', rateLimit: null, joinIds: true };
    return new MessageMaker((await new SqlProjectStore(installation.database).createProject(project)).id);
  };

  test('profiles and analytics of a replay are the same as before, however often it is cut, with messages in between', async () => {
    const shop = await made('Cut');
    for (let round = 1; round <= 2; round++) {
      await append(history(shop, 120, round));
      await installation.readAll();
      const before = await beginnings();

      const done = await cutNow();

      expect(done.users).toBeGreaterThan(5);
      expect(await beginnings()).toBe(before + done.messages);
      await append(history(shop, 60, 100 + round));
      await installation.readAll();
      const profiles = await comparedWithLive('profiles');
      expect(profiles).toMatchObject([{ differ: 0 }]);
      expect(profiles[0]?.equal).toBeGreaterThan(5);
      expect((await comparedWithLive('analytics')).filter(({ differ }) => differ > 0)).toEqual([]);
    }
    const report = await verify(await storesToVerify(installation), {}, { deep: true, repeatWindowMs: 2 ** 40 });
    expect(report).toMatchObject({ equal: true, profiles: { different: { count: 0 } } });
    expect(report.profiles?.users).toBeGreaterThan(5);
    expect(report.deleted_from_log.records).toBe(await beginnings());
  });

  test('a replay without the snapshot would differ', async () => {
    const shop = await made('Without');
    await append(history(shop, 100, 77));
    await installation.readAll();
    await cutNow();
    await log.cut(await log.ends([SNAPSHOT_TOPIC]));

    const [profiles] = await comparedWithLive('profiles');

    expect(profiles?.differ).toBeGreaterThan(0);
    // The next snapshot mends that: the live profiles have everything.
    await append(history(shop, 100, 78));
    await installation.readAll();
    await cutNow();
    expect(await comparedWithLive('profiles')).toMatchObject([{ differ: 0 }]);
  });

  test('a log that was restored begins at 0 without what was cut, and gives the same profiles', async () => {
    const { database } = installation;
    const shop = await made('Restored');
    await append(history(shop, 100, 13));
    await installation.readAll();
    await cutNow();
    const restored = new MemoryLog();
    for (const { topic, offset: first } of await log.beginnings([...MESSAGE_TOPICS, SNAPSHOT_TOPIC]))
      for (const record of log.records(topic, 0))
        if (record.offset >= first) restored.put(topic, 0, record);
        else if (topic !== SNAPSHOT_TOPIC) restored.put(topic, 0, blankRecord(record));
    const generation = await replayed('profiles', restored);

    const [live, fresh] = [undefined, generation.number].map((number) => new SqlProfileStore(database, number));
    for (const id of ['u0', 'u1', 'u2', 'u3']) {
      const key = userKeyOf(shop.projectId, id);
      const profile = await live!.find(shop.projectId, key);
      expect(profile).toMatchObject({ userId: id });
      expect(await fresh!.find(shop.projectId, key)).toEqual(profile);
    }
    await new Replay(installation).drop('profiles', generation.number, SILENT.signal);
  });

  test('nothing is cut that a reader has not passed, that is too new, or that waits as a dead letter', async () => {
    const shop = await made('Needed');
    await append(history(shop, 100, 5));
    const at = await beginnings();
    expect(await cutNow()).toEqual({ users: 0, messages: 0 });
    await installation.readAll({ sink: false });
    expect(await cutNow()).toEqual({ users: 0, messages: 0 });
    await installation.readAll();
    expect(await cutNow(Date.now())).toEqual({ users: 0, messages: 0 });
    expect(await beginnings()).toBe(at);
    expect(await cutNow()).toMatchObject({ messages: 100 });
  });

  test('a dead letter goes with the log, unless it waits', async () => {
    const shop = await made('Letters');
    const messages = history(shop, 100, 6);
    await append(messages);
    await installation.readAll();
    const tracks = (await log.ends(['tidemark.track']))[0]!.offset;
    const letGo = async (offset: bigint): Promise<void> => {
      await installation.database.query(
        `insert into settled_dead_letters (topic, partition, log_offset, state, settled_at_ms)
         values ('tidemark.track', 0, $1, 'dropped', 0)`,
        [offset],
      );
    };
    for (const offset of [tracks - 2n, tracks - 1n]) {
      const { key, value } = log.records('tidemark.track', 0)[Number(offset)]!;
      const about = { topic: 'tidemark.track', partition: 0, offset, key, value } as const;
      const letter = { ...about, error: 'MESSAGE_UNDECODABLE: no', failedAt: 1n, reader: 'sink' } as const;
      log.put(DEAD_LETTER_TOPIC, 0, { key, value: codec.encodeDeadLetter(letter) });
    }
    await letGo(tracks - 2n);

    await cutNow();

    const first = async () => (await log.beginnings([DEAD_LETTER_TOPIC])).map(({ offset }) => offset);
    expect(await first()).toEqual([1n]);
    expect((await log.beginnings(['tidemark.track']))[0]?.offset).toBe(tracks - 1n);

    await letGo(tracks - 1n);
    await append(history(shop, 100, 7));
    await installation.readAll();
    await cutNow();
    expect(await first()).toEqual([2n]);
  });

  test('somebody who is forgotten is in no later snapshot, and comes back from none of before', async () => {
    const { database } = installation;
    const shop = await made('Forgotten');
    const wanted = userKeyOf(shop.projectId, 'u1');
    const known = async () => {
      const generation = await replayed('profiles');
      const store = new SqlProfileStore(database, generation.number);
      const found = await Promise.all(
        ['u1', 'u2'].map(async (id) => store.find(shop.projectId, userKeyOf(shop.projectId, id))),
      );
      await new Replay(installation).drop('profiles', generation.number, SILENT.signal);
      return found.map((profile) => profile?.userId ?? null);
    };
    await append(history(shop, 100, 11));
    await installation.readAll();
    await cutNow();
    expect(await known()).toEqual(['u1', 'u2']);

    await database.query(
      `insert into erasures (id, project_id, user_key, suppress, state, requested_at_us, due_at_us, actor)
       values ('e1', $1, $2, true, 'pending', 1, 1, 'local')`,
      [shop.projectId, wanted],
    );
    expect(await known()).toEqual([null, 'u2']);
    await append(history(shop, 100, 12));
    await installation.readAll();
    await cutNow();

    const ranges = (await log.ends([SNAPSHOT_TOPIC])).map(({ offset, ...at }) => ({ ...at, from: 0n, to: offset }));
    const keys: string[] = [];
    for await (const { records } of log.scan(ranges))
      keys.push(...records.map(({ key }) => Buffer.from(key).toString()));
    expect(keys).toContain(`${shop.projectId}/${userKeyOf(shop.projectId, 'u2')}`);
    expect(keys).not.toContain(`${shop.projectId}/${wanted}`);
  });

  test('questions are answered from the copied events of a replay as before', async () => {
    const shop = await made('Asked');
    await append(history(shop, 80, 9));
    await installation.readAll();
    const count = `SELECT count() AS n, uniqExact(user) AS users FROM events WHERE project_id = {p:String}`;
    const params = { p: shop.projectId };
    const before = (await installation.analytics.ask({ sql: count, params }, AMPLE)).rows;
    await cutNow();

    const { number } = await replayed('analytics');

    const fresh = await installation.analytics.ofGeneration(number);
    expect((await fresh.ask({ sql: count, params }, AMPLE)).rows).toEqual(before);
    expect(Number(before[0]?.['n'])).toBeGreaterThan(10);
    const values = `SELECT count() AS n FROM trait_value_rows FINAL WHERE project_id = {p:String}`;
    expect((await fresh.ask({ sql: values, params }, AMPLE)).rows).toEqual(
      (await installation.analytics.ask({ sql: values, params }, AMPLE)).rows,
    );
    await new Replay(installation).drop('analytics', number, SILENT.signal);
  });
});
