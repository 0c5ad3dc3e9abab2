import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeOf, fold } from '../../services/consumers/projector/fold.ts';
import type { Message } from '../../services/messages/message.ts';
import { anonymousKeyOf, userKeyOf } from '../../services/messages/user-key.ts';
import { versionOf } from '../../services/messages/version.ts';
import type { Database } from '../../services/stores/database/database.ts';
import { SqlJoinDecisions } from '../../services/stores/profiles/sql-join-decisions.ts';
import { SqlProfileStore } from '../../services/stores/profiles/sql-profile-store.ts';
import { SqlProjectStore } from '../../services/stores/projects/sql-project-store.ts';
import { rewritten } from '../support/messages/joined-history.ts';
import { MessageMaker } from '../support/stores/analytics.ts';

const USERS = ['ada', 'bob'];
// Some have more bytes than characters.
const DEVICE_IDS = ['a', 'é:1', '\u{1f600}'];
const PATHS = [['x'], ['y'], ['z']];

const message = fc.record({
  user: fc.constantFrom(...USERS, null),
  id: fc.constantFrom(...DEVICE_IDS, null),
  traits: fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom(1, 2, null)),
});

/** What profiles say of persons, on a migrated database that other tests may share. */
export function testPersons(name: string, openDatabase: () => Database, generation = 1): void {
  describe(`SqlProfileStore of generation ${generation} on ${name}, with persons`, () => {
    test('a person has the traits and times of the same messages under the user id, by whichever id', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(message, { maxLength: 12 }), async (history) => {
          const { store, projectId, maker } = await project(openDatabase(), generation);
          const messages = messagesFrom(maker, history);
          await store.write([], [], () => fold(messages.map(changeOf)));

          const people = new Map(fold(rewritten(messages).map(changeOf)).map((one) => [one.userKey, one]));
          for (const [userKey, { firstSeen, lastSeen, traits, userId }] of people) {
            const set = [...traits].filter(([, { value }]) => value !== 'null' && value !== null);
            const values = Object.fromEntries(set.map(([trait, { value }]) => [trait, Number(value)]));
            const expected = { userKey, userId, firstSeen, lastSeen };
            const found = await store.find(projectId, userKey);
            expect(found).toMatchObject(expected);
            expect(JSON.parse(found?.traits ?? '')).toEqual(values);
            const chosen = PATHS.map(([trait = '']) => values[trait]?.toString() ?? null);
            expect(await store.traitsPage(projectId, [userKey], PATHS, 1000)).toEqual([chosen]);
            for (const { userKey: id } of found?.joinedIds ?? [])
              for (const whole of await store.findPage(projectId, [id], 1000))
                if (messages.some((one) => one.userKey === id)) expect(whole).toEqual(found);
          }
        }),
        { numRuns: 40 },
      );
    });

    test('what was decided of an anonymous id beats with whom it was seen', async () => {
      const database = openDatabase();
      const { store, projectId, maker } = await project(database, generation);
      const decisions = new SqlJoinDecisions(database);
      const [ada, bob] = USERS.map((id) => userKeyOf(projectId, id)) as [string, string];
      const messages = messagesFrom(maker, [
        { user: null, id: 'a', traits: { x: 1 } },
        { user: 'ada', id: 'a', traits: {} },
        { user: 'bob', id: null, traits: { y: 2 } },
      ]);
      await store.write([], [], () => fold(messages.map(changeOf)));
      const decide = (says: 'join' | 'apart' | 'rule', personKey: string | null = null) => {
        const userKey = anonymousKeyOf(projectId, 'a');
        return decisions.decide({ projectId, userKey, anonymousId: 'a', says, personKey, decidedBy: 'local' });
      };
      const traitsOf = async (userKey: string) => (await store.find(projectId, userKey))?.traits;

      expect([await traitsOf(ada), await traitsOf(bob)]).toEqual(['{"x": 1}', '{"y": 2}']);
      await decide('join', bob);
      expect([await traitsOf(ada), await traitsOf(bob)]).toEqual(['{}', '{"x": 1, "y": 2}']);
      const anonymous = anonymousKeyOf(projectId, 'a');
      expect((await store.find(projectId, anonymous))?.userKey).toBe(bob);
      const pages = async () => [
        (await store.findPage(projectId, [ada, anonymous], 1000)).map((one) => one?.userKey),
        await store.traitsPage(projectId, [ada, anonymous], [['x'], ['y']], 1000),
      ];
      const ofBob = ['1', '2'];
      expect(await pages()).toEqual([
        [ada, bob],
        [[null, null], ofBob],
      ]);
      await decide('apart');
      expect(await pages()).toEqual([
        [ada, anonymous],
        [
          [null, null],
          ['1', null],
        ],
      ]);
      expect([await traitsOf(ada), await traitsOf(bob)]).toEqual(['{}', '{"y": 2}']);
      await decide('rule');
      expect([await traitsOf(ada), await traitsOf(bob)]).toEqual(['{"x": 1}', '{"y": 2}']);
    });

    test('anonymous ids are counted by whose they are', async () => {
      const { store, projectId, maker } = await project(openDatabase(), generation);
      const seen = [
        ['ada', 'a'],
        ['ada', 'b'],
        ['bob', 'b'],
        [null, 'c'],
        [null, 'a'],
      ] as const;
      const messages = messagesFrom(
        maker,
        seen.map(([user, id]) => ({ user, id, traits: {} })),
      );
      await store.write([], [], () => fold(messages.map(changeOf)));

      expect(await store.countJoins(projectId)).toEqual({
        joined: 1,
        shared: 1,
        unseen: 1,
        usersAtLimit: 0,
        mostShared: [{ anonymousId: 'b', users: 2 }],
      });
      const ada = userKeyOf(projectId, 'ada');
      const since = messages[0]?.timestamp;
      expect(await store.sightedId(projectId, 'a')).toEqual({ users: 1, onlyUser: ada, since });
      expect(await store.sightedId(projectId, 'c')).toEqual({ users: 0, onlyUser: null, since: null });
    });
  });
}

async function project(database: Database, generation: number) {
  const made = await new SqlProjectStore(database).createProject({ name: 'Shop', timezone: 'UTC', rateLimit: null });
  await new SqlProjectStore(database).updateProject(made.id, { joinIds: true });
  const store = new SqlProfileStore(database, generation);
  return { store, projectId: made.id, maker: new MessageMaker(made.id) };
}

interface Heard {
  readonly user: string | null;
  readonly id: string | null;
  readonly traits: Readonly<Record<string, unknown>>;
}

function messagesFrom(maker: MessageMaker, history: readonly Heard[]): readonly Message[] {
  const { projectId } = maker;
  return history.flatMap(({ user, id, traits }, index) => {
    if (user === null && id === null) return [];
    const at = 1_000_000n * BigInt(index);
    const userKey = user === null ? anonymousKeyOf(projectId, id ?? '') : userKeyOf(projectId, user);
    const named = {
      userId: user,
      anonymousId: id,
      userKey,
      timestamp: at,
      receivedAt: at,
      version: versionOf(at, at, 1),
    };
    return maker.identify({ ...named, traits: JSON.stringify(traits) });
  });
}
