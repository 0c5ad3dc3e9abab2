import { describe, expect, test } from 'vitest';
import type { Database } from '../../../services/stores/database/database.ts';
import { beginningOf } from '../../../services/event-log/identity.ts';
import type { ProfileChange } from '../../../services/stores/profiles/profile.ts';
import type { Claim, ReaderStep } from '../../../services/stores/profiles/profile-store.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { SqlSinkPlans } from '../../../services/stores/profiles/sql-sink-plans.ts';
import { serverUrl } from '../../servers/server.ts';
import { sharedPostgres } from '../../support/stores/database.ts';
import { pausedDatabase } from '../../support/stores/paused-database.ts';
import { randomIdentity, randomProjectId, randomTopic, randomUserKey } from '../../support/messages/random-project.ts';

/** What PGlite cannot show, having one connection: transactions of several projectors and sinks at the same time. */
const server = await serverUrl('postgres');

describe.skipIf(server === undefined)('several writers on Postgres', () => {
  const database = sharedPostgres(server);
  const store = () => new SqlProfileStore(database());

  /** How many statements wait for a lock that another transaction holds. */
  async function waiting(): Promise<number> {
    const [row] = await database().query<{ n: number }>(
      `select count(*)::int4 as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return row?.n ?? 0;
  }

  describe.each(['a new partition', 'a partition that was read before'])('two projectors that hold %s', (which) => {
    async function scene() {
      const first = step();
      if (which !== 'a new partition') await store().write([first], [], () => []);
      const contested = which === 'a new partition' ? first : step({ from: first.to });
      const [mine, others] = [change(), change()];
      const paused = pausedDatabase(database());
      const one = new SqlProfileStore(paused.database).write([contested], [], () => [mine]);
      await paused.reached;
      const two = store().write([contested], [claim()], () => [others]);
      await expect.poll(waiting).toBe(1);
      const found = () => Promise.all([mine, others].map(({ projectId, userKey }) => store().find(projectId, userKey)));
      return { paused, one, two, found };
    }

    test('the second waits, and changes nothing once the first has committed', async () => {
      const { paused, one, two, found } = await scene();

      paused.goOn();

      await expect(two).rejects.toMatchObject({ code: 'POSITION_MOVED' });
      await one;
      expect(await found()).toEqual([expect.anything(), undefined]);
    });

    test('the second goes on in place of a first that failed', async () => {
      const { paused, one, two, found } = await scene();

      paused.goOn(new Error('crash'));

      await expect(one).rejects.toThrow('crash');
      await two;
      expect(await found()).toEqual([undefined, expect.anything()]);
    });
  });

  test.each([
    ['commits', undefined, [false]],
    ['fails', new Error('crash'), [true]],
  ])('a claim waits for an earlier one of the same message, which %s', async (_, failure, expected) => {
    const paused = pausedDatabase(database());
    const early = claim();
    const one = new SqlProfileStore(paused.database).write([], [early], () => []).catch(() => undefined);
    await paused.reached;
    let counts: readonly boolean[] = [];
    const two = store().write([], [{ ...early, offset: early.offset + 1n }], (given) => {
      counts = given;
      return [];
    });
    await expect.poll(waiting).toBe(1);

    paused.goOn(failure);

    await Promise.all([one, two]);
    expect(counts).toEqual(expected);
  });

  test('a partition that two sinks plan at the same time goes to one of them', async () => {
    const first = step();
    const plans = new SqlSinkPlans(database());
    await plans.fix([first], []);
    await plans.finish([first.to]);
    const [mine, others] = [step({ from: first.to }), step({ from: first.to, length: 7n })];
    const paused = pausedDatabase(database());
    const one = new SqlSinkPlans(paused.database).fix([mine], []);
    await paused.reached;
    const two = plans.fix([others], []);
    await expect.poll(waiting).toBe(1);

    paused.goOn();

    await expect(two).rejects.toMatchObject({ code: 'POSITION_MOVED' });
    await one;
    expect(await plans.last([first.to])).toEqual([{ ...mine, inserted: false }]);
  });

  test('a plan cannot be finished by one sink while another sets it back', async () => {
    const first = step();
    const plans = new SqlSinkPlans(database());
    await plans.fix([first], []);
    const paused = pausedDatabase(database());
    const one = new SqlSinkPlans(paused.database).rewind(first.from, first.from, 0n);
    await paused.reached;
    const two = plans.finish([first.to]);
    await expect.poll(waiting).toBe(1);

    paused.goOn();

    await expect(two).rejects.toMatchObject({ code: 'POSITION_MOVED' });
    await one;
  });

  test('many who write the same users at once, each in an order of its own, never deadlock', async () => {
    const projectId = randomProjectId();
    const people = Array.from({ length: 1_500 }, () => ({ ...change(), projectId }));
    const writers = Array.from({ length: 6 }, (_, index) => {
      const version = index.toString(16).padStart(32, '0');
      const said = people.map((one) => ({ ...one, traits: new Map([['n', { value: String(index), version }]]) }));
      return store().write([step()], claimsOf(projectId), () => shuffled(said));
    });

    await Promise.all(writers);

    const found = await Promise.all(people.slice(0, 20).map(({ userKey }) => store().find(projectId, userKey)));
    expect(new Set(found.map((profile) => profile?.traits))).toEqual(new Set(['{"n": 5}']));
  });

  test('many who move the same partitions at once, each in an order of its own, never deadlock', async () => {
    const steps = Array.from({ length: 40 }, () => step());
    await store().write(steps, [], () => []);
    await new SqlSinkPlans(database()).fix(steps, []);
    const next = steps.map(({ to }) => step({ from: to }));
    const asGiven = takingRowsAsGiven(database());

    const sixTimes = <T>(call: () => Promise<T>) => Promise.allSettled(Array.from({ length: 6 }, call));

    const ends = await sixTimes(() => new SqlSinkPlans(asGiven).finish(shuffled(steps.map(({ to }) => to))));
    const moves = await sixTimes(() => new SqlProfileStore(asGiven).write(shuffled(next), [], () => []));

    expect(ends.map(({ status }) => status)).toEqual(Array(6).fill('fulfilled'));
    const refused = moves.filter((move) => move.status === 'rejected');
    expect(refused.map(({ reason }) => (reason as { code: string }).code)).toEqual(Array(5).fill('POSITION_MOVED'));
  });

  test('repeat claims can be deleted by several processes at once, while others are added', async () => {
    const projectId = randomProjectId();
    const claims = claimsOf(projectId);
    await store().write([], claims, () => []);

    const all = [
      ...Array.from({ length: 3 }, () => store().forgetRepeats(-1_000, Date.now() + 60_000)),
      ...Array.from({ length: 3 }, () => store().write([], shuffled(claims), () => [])),
    ];

    await expect(Promise.all(all)).resolves.toHaveLength(6);
  });
});

/** Has Postgres look rows up one by one in the order of the parameters, which it does of itself in a large table. */
function takingRowsAsGiven(database: Database): Database {
  const settings = ['hashjoin', 'mergejoin', 'seqscan'].map((way) => `set_config('enable_${way}', 'off', true)`);
  const transaction: Database['transaction'] = (run, options) =>
    database.transaction(async (opened) => {
      await opened.query(`select ${settings.join()}`);
      return run(opened);
    }, options);
  return { ...pausedDatabase(database).database, transaction };
}

function step({ from = beginningOf({ topic: randomTopic(), partition: 0 }), length = 5n } = {}): ReaderStep {
  return { from, to: { ...from, offset: from.offset + length, identity: randomIdentity() } };
}

function change(): ProfileChange {
  const nothing = { userId: null, anonymousId: null, sightings: new Map(), anonymous: null, traits: new Map() };
  return { projectId: randomProjectId(), userKey: randomUserKey(), firstSeen: 1n, lastSeen: 1n, ...nothing };
}

function claim(): Claim {
  const who = { projectId: randomProjectId(), userKey: randomUserKey(), messageId: 'm1' };
  return { topic: 'tidemark.identify', partition: 0, offset: 1n, appendedAtMs: 0, ...who };
}

function claimsOf(projectId: string): readonly Claim[] {
  return Array.from({ length: 1_500 }, (_, index) => ({
    ...claim(),
    projectId,
    userKey: 'the same',
    messageId: `m${index}`,
  }));
}

function shuffled<T>(list: readonly T[]): readonly T[] {
  return list
    .map((item) => [Math.random(), item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item);
}
