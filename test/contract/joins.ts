import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnalyticsStore } from '../../services/stores/analytics/analytics-store.ts';
import { userNumber } from '../../services/stores/analytics/columns.ts';
import { anonymousKeyOf, userKeyOf } from '../../services/messages/user-key.ts';
import { ask, insert, MessageMaker } from '../support/stores/analytics.ts';
import { version } from './profile-store.ts';

/** How many sightings of a user count, so that users are often at the bound. */
const MOST = 3;
const USERS = ['ada', 'bob', 'cid'];
// Some sort otherwise by UTF-16 than by bytes.
const DEVICE_IDS = ['a', 'b', 'c', 'd', '\uff5e', '\u{1f600}'];
const PROJECTS = 12;

interface Seen {
  readonly project: number;
  readonly user: string;
  readonly id: string;
  readonly at: number;
}

const seen: fc.Arbitrary<Seen> = fc.record({
  project: fc.nat(PROJECTS - 1),
  user: fc.constantFrom(...USERS),
  id: fc.constantFrom(...DEVICE_IDS),
  at: fc.nat(60),
});

/** What an AnalyticsStore on one shard knows of whose anonymous ids are. */
export function testJoins(name: string, open: () => Promise<AnalyticsStore>): void {
  describe(`${name}, with sightings`, () => {
    let store: AnalyticsStore;

    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    test('an id is that of the one user whom it was seen with, whatever the order of inserts', async () => {
      const inserts = fc.array(fc.array(seen, { minLength: 1, maxLength: 25 }), { minLength: 1, maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(inserts, fc.array(fc.nat(99), { minLength: 6, maxLength: 6 }), async (parts, order) => {
          const makers = Array.from({ length: PROJECTS }, () => new MessageMaker());
          // Several sinks: each takes its number after its insert, and what it does then may come much later.
          const waiting: (() => Promise<void>)[] = [];
          for (const [index, part] of parts.entries()) {
            await insertSightings(store, makers, part);
            waiting.push(() => keep(store, makers, part, BigInt(index + 1)));
            const due = waiting.splice((order[index] ?? 0) % (waiting.length + 1), 1);
            for (const one of due) await one();
          }
          for (const one of waiting) await one();

          for (const [project, { projectId }] of makers.entries()) {
            const pairs = parts.flat().filter((one) => one.project === project);
            expect(await ownersIn(store, projectId)).toEqual(ownersOf(projectId, pairs));
          }
        }),
        { numRuns: 8 },
      );
    });
  });
}

async function insertSightings(store: AnalyticsStore, makers: readonly MessageMaker[], part: readonly Seen[]) {
  const messages = part.flatMap(({ project, user, id, at }) => {
    const message = makers[project]?.track({ userId: user, anonymousId: id, version: version(at) });
    return message ?? [];
  });
  await insert(store, messages);
}

async function keep(store: AnalyticsStore, makers: readonly MessageMaker[], part: readonly Seen[], number: bigint) {
  for (const [project, { projectId }] of makers.entries()) {
    const ids = new Set(part.flatMap((one) => (one.project === project ? [anonymousNumber(projectId, one.id)] : [])));
    if (ids.size > 0) await store.keepJoins({ projectId, anonymous: [...ids], most: MOST }, number);
  }
}

function anonymousNumber(projectId: string, id: string): string {
  return userNumber(anonymousKeyOf(projectId, id));
}

async function ownersIn(store: AnalyticsStore, projectId: string): Promise<Readonly<Record<string, string>>> {
  const rows = await ask<{ readonly user: string; readonly person: string }>(
    store,
    'SELECT toString(user) AS user, toString(person) AS person FROM join_rows FINAL WHERE project_id = {p:String}',
    { p: projectId },
  );
  return Object.fromEntries(rows.map(({ user, person }) => [user, person]));
}

/** The rule, written out: the first sightings of each user, then the ids with one user alone. */
function ownersOf(projectId: string, pairs: readonly Seen[]): Readonly<Record<string, string>> {
  const counted = USERS.flatMap((user) => {
    const first = new Map<string, number>();
    for (const { id, at } of pairs.filter((one) => one.user === user)) first.set(id, Math.min(at, first.get(id) ?? at));
    const sorted = [...first].sort(([a, x], [b, y]) => x - y || Buffer.from(a).compare(Buffer.from(b)));
    return sorted.slice(0, MOST).map(([id]) => ({ id, user }));
  });
  return Object.fromEntries(
    [...new Set(pairs.map(({ id }) => id))].map((id) => {
      const users = counted.filter((one) => one.id === id).map(({ user }) => user);
      const [only, ...others] = users;
      const isOne = only !== undefined && others.length === 0;
      return [anonymousNumber(projectId, id), isOne ? userNumber(userKeyOf(projectId, only)) : '0'];
    }),
  );
}
