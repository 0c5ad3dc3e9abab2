import { describe, expect, test } from 'vitest';
import type { Database } from '../../services/stores/database/database.ts';
import { beginningOf } from '../../services/event-log/identity.ts';
import type { ProfileChange, TraitState } from '../../services/stores/profiles/profile.ts';
import type { Claim, ReaderStep } from '../../services/stores/profiles/profile-store.ts';
import { tableOf } from '../../services/stores/generations/generation.ts';
import { SqlProfileStore } from '../../services/stores/profiles/sql-profile-store.ts';
import { randomIdentity, randomProjectId, randomTopic, randomUserKey } from '../support/messages/random-project.ts';

/** What any SqlProfileStore must do, on a migrated database that other tests may share. */
export function testProfileStore(name: string, openDatabase: () => Database, generation = 1): void {
  describe(`SqlProfileStore of generation ${generation} on ${name}, as a SqlProfileStore`, () => {
    test('a user of whom nothing was said has no profile', async () => {
      const store = new SqlProfileStore(openDatabase(), generation);

      expect(await store.find(randomProjectId(), randomUserKey())).toBeUndefined();
    });

    test('a probe asks for the same and leaves nothing behind', async () => {
      const store = new SqlProfileStore(openDatabase(), generation);
      const from = beginningOf({ topic: randomTopic(), partition: 0 });
      const to = { ...from, offset: 1n, identity: randomIdentity() };

      await store.probe([{ from, to }]);

      expect(await store.positions([from])).toEqual([]);
      for (const table of ['users', 'profiles', 'applied_counts', 'sightings']) {
        const sql = `select 1 from ${tableOf('profiles', generation, table)} where project_id like 'probe-%'`;
        expect(await openDatabase().query(sql)).toEqual([]);
      }
      await expect(store.probe([{ from: to, to }])).rejects.toMatchObject({ code: 'POSITION_MOVED' });
    });

    test('a change is found again, whole', async () => {
      const { write, find } = someone(openDatabase(), generation);

      await write({ userId: 'ada', firstSeen: -5n, lastSeen: 7n, anonymous: { value: false, version: version(1) } });

      expect(await find()).toMatchObject({
        userId: 'ada',
        anonymous: false,
        traits: '{}',
        firstSeen: -5n,
        lastSeen: 7n,
      });
    });

    test('trait values keep their digits, nested nulls and awkward keys', async () => {
      const { write, traits } = someone(openDatabase(), generation);
      const awkward = ['a.b', '', '__proto__', 'say "hi"\\', '🌊'].map(
        (key) => [key, set('{"deep": [null]}', 1)] as const,
      );

      await write({ traits: new Map([...awkward, ['n', set('9007199254740993.10', 1)]]) });

      const found = await traits();
      expect(found).toContain('"n": 9007199254740993.10');
      const parsed = JSON.parse(found) as Record<string, unknown>;
      expect(Object.keys(parsed)).toEqual(expect.arrayContaining(awkward.map(([key]) => key)));
      expect(parsed['a.b']).toEqual({ deep: [null] });
    });

    test('of two values of a trait the one with the higher version stays, whichever comes first', async () => {
      const { write, traits } = someone(openDatabase(), generation);
      await write({
        traits: new Map([
          ['plan', set('"pro"', 2)],
          ['city', set('"Rome"', 1)],
        ]),
      });

      await write({
        traits: new Map([
          ['plan', set('"free"', 1)],
          ['city', set('"Oslo"', 3)],
        ]),
      });

      expect(JSON.parse(await traits())).toEqual({ plan: 'pro', city: 'Oslo' });
    });

    test('a deletion is remembered: an older value that comes later stays dead', async () => {
      const { write, traits } = someone(openDatabase(), generation);
      await write({
        traits: new Map([
          ['plan', set('"pro"', 1)],
          ['age', deleted(5)],
        ]),
      });
      await write({ traits: new Map([['plan', deleted(3)]]) });

      await write({
        traits: new Map([
          ['plan', set('"free"', 2)],
          ['age', set('30', 4)],
        ]),
      });

      expect(await traits()).toBe('{}');
    });

    test('a value newer than its deletion lives again', async () => {
      const { write, traits } = someone(openDatabase(), generation);
      await write({ traits: new Map([['plan', deleted(1)]]) });

      await write({ traits: new Map([['plan', set('"pro"', 2)]]) });

      expect(JSON.parse(await traits())).toEqual({ plan: 'pro' });
    });

    test('times widen, a user id once known stays, anonymous follows the newest', async () => {
      const { write, find } = someone(openDatabase(), generation);
      await write({ firstSeen: 10n, lastSeen: 20n, userId: 'ada', anonymous: { value: true, version: version(2) } });

      await write({ firstSeen: 5n, lastSeen: 15n, userId: null, anonymous: { value: false, version: version(1) } });

      expect(await find()).toMatchObject({ firstSeen: 5n, lastSeen: 20n, userId: 'ada', anonymous: true });
    });

    test('positions move with the changes', async () => {
      const store = new SqlProfileStore(openDatabase(), generation);
      const steps = [stepFrom(randomTopic(), 0n, 5n), stepFrom(randomTopic(), 0n, 7n)];
      const untouched = beginningOf({ topic: randomTopic(), partition: 0 });

      await store.write(steps, [], () => []);

      const ends = steps.map(({ to }) => to);
      expect(await store.positions([...ends, untouched])).toEqual(expect.arrayContaining(ends));
      expect(await store.positions([untouched])).toEqual([]);
    });

    test('a step from where the partition does not stand changes nothing', async () => {
      const { store, change, find } = someone(openDatabase(), generation);
      const first = stepFrom(randomTopic(), 0n, 5n);
      await store.write([first], [], () => []);
      const other = stepFrom(randomTopic(), 0n, 1n);
      const wrong = [
        first,
        { from: { ...first.to, identity: randomIdentity() }, to: { ...first.to, offset: 9n } },
        { from: { ...first.to, offset: 4n }, to: { ...first.to, offset: 9n } },
        { from: { ...first.to, partition: 1 }, to: { ...first.to, partition: 1, offset: 9n } },
      ];

      for (const step of wrong) {
        const attempt = store.write([other, step], [], () => [change({})]);
        await expect(attempt).rejects.toMatchObject({ code: 'POSITION_MOVED' });
      }
      expect(await find()).toBeUndefined();
      expect(await store.positions([first.to, other.to])).toEqual([first.to]);
    });

    test('an exception of fold leaves the store unchanged', async () => {
      const store = new SqlProfileStore(openDatabase(), generation);
      const step = stepFrom(randomTopic(), 0n, 5n);
      const wrong = new Error('cannot fold');

      const attempt = store.write([step], [claimAt(1n)], () => {
        throw wrong;
      });

      await expect(attempt).rejects.toBe(wrong);
      expect(await store.positions([step.to])).toEqual([]);
    });

    test('the first claim of an identity counts, in this batch and in later ones', async () => {
      const store = new SqlProfileStore(openDatabase(), generation);
      const claim = claimAt(3n);
      const another = { ...claim, messageId: 'another', offset: 4n };

      const first = await countsOf(store, [claim, another, { ...claim, offset: 5n }]);
      const later = await countsOf(store, [{ ...claim, offset: 9n }, claim]);

      expect(first).toEqual([true, true, false]);
      expect(later).toEqual([false, true]);
    });

    test('repeat claims differ by project, topic, user and message id', async () => {
      const store = new SqlProfileStore(openDatabase(), generation);
      const claim = claimAt(3n);
      const others = [
        { ...claim, projectId: randomProjectId() },
        { ...claim, topic: randomTopic() },
        { ...claim, userKey: randomUserKey() },
        { ...claim, messageId: 'm2' },
      ].map((other, index) => ({ ...other, offset: BigInt(index) }));

      expect(await countsOf(store, [claim, ...others])).toEqual([true, true, true, true, true]);
    });

    test('a claim that was forgotten can be made again', async () => {
      const store = new SqlProfileStore(openDatabase(), generation);
      const claim = claimAt(3n);
      await countsOf(store, [claim]);

      expect(await store.forgetRepeats(3_600_000, Date.now())).toBe(0);
      expect(await countsOf(store, [{ ...claim, offset: 4n }])).toEqual([false]);
      expect(await store.forgetRepeats(-1_000, Date.now() - 60_000)).toBe(0);
      expect(await store.forgetRepeats(-1_000, Date.now() + 60_000)).toBeGreaterThan(0);
      expect(await countsOf(store, [{ ...claim, offset: 4n }])).toEqual([true]);
    });

    test('a claim is remembered from when the log stored its message, whatever the clock of the store says', async () => {
      const store = new SqlProfileStore(openDatabase(), generation);
      const inAYearMs = Date.now() + 365 * 86_400_000;
      const claim = { ...claimAt(3n), appendedAtMs: inAYearMs };
      await countsOf(store, [claim]);

      await store.forgetRepeats(-10_000, inAYearMs);

      expect(await countsOf(store, [{ ...claim, offset: 4n }])).toEqual([false]);
    });

    test('a write of thousands of users and claims is one', async () => {
      const store = new SqlProfileStore(openDatabase(), generation);
      const projectId = randomProjectId();
      const people = Array.from({ length: 2_500 }, () => ({
        ...emptyChange(projectId),
        traits: new Map([['n', set('1', 1)]]),
      }));
      const claims = people.map((_, index) => ({ ...claimAt(BigInt(index)), messageId: `m${index}` }));
      let counted = 0;

      await store.write([], claims, (counts) => {
        counted = counts.filter(Boolean).length;
        return people;
      });

      expect(counted).toBe(2_500);
      expect(await store.find(projectId, people.at(-1)?.userKey ?? '')).toMatchObject({ traits: '{"n": 1}' });
    });

    test('what no jsonb can hold is STORE_REJECTED, and nothing is written', async () => {
      const { store, change, find } = someone(openDatabase(), generation);
      const step = stepFrom(randomTopic(), 0n, 5n);

      const attempt = store.write([step], [], () => [change({ traits: new Map([['a', set('"\\u0000"', 1)]]) })]);

      await expect(attempt).rejects.toMatchObject({ code: 'STORE_REJECTED' });
      expect(await find()).toBeUndefined();
      expect(await store.positions([step.to])).toEqual([]);
    });
  });
}

export function someone(database: Database, generation: number) {
  const store: SqlProfileStore = new SqlProfileStore(database, generation);
  const nobody = emptyChange(randomProjectId());
  const change = (said: Partial<ProfileChange>): ProfileChange => ({ ...nobody, ...said });
  const find = () => store.find(nobody.projectId, nobody.userKey);
  return {
    store,
    change,
    find,
    write: (said: Partial<ProfileChange>) => store.write([], [], () => [change(said)]),
    traits: async () => (await find())?.traits ?? '',
  };
}

function emptyChange(projectId: string): ProfileChange {
  const ids = { userKey: randomUserKey(), userId: null, anonymousId: null, sightings: new Map() };
  return { projectId, ...ids, firstSeen: 1n, lastSeen: 1n, anonymous: null, traits: new Map() };
}

/** A version that is later the higher the number is. */
export function version(number: number): string {
  return number.toString(16).padStart(32, '0');
}

function set(value: string, number: number): TraitState {
  return { value, version: version(number) };
}

function deleted(number: number): TraitState {
  return { value: null, version: version(number) };
}

function stepFrom(topic: string, from: bigint, to: bigint): ReaderStep {
  const partition = { topic, partition: 0 };
  return {
    from: { ...partition, offset: from, identity: '' },
    to: { ...partition, offset: to, identity: randomIdentity() },
  };
}

function claimAt(offset: bigint): Claim {
  const who = { projectId: randomProjectId(), userKey: randomUserKey(), messageId: 'm1' };
  return { topic: 'tidemark.identify', partition: 0, offset, appendedAtMs: 0, ...who };
}

async function countsOf(store: SqlProfileStore, claims: readonly Claim[]): Promise<readonly boolean[]> {
  let seen: readonly boolean[] = [];
  await store.write([], claims, (counts) => {
    seen = counts;
    return [];
  });
  return seen;
}
