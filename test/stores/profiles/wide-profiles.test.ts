import { describe, expect, test } from 'vitest';
import type { Database } from '../../../services/stores/database/database.ts';
import { MAX_TRAITS } from '../../../services/messages/message.ts';
import type { DroppedTraits } from '../../../services/stores/profiles/newest-traits.ts';
import type { ProfileChange, TraitState } from '../../../services/stores/profiles/profile.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { randomProjectId, randomUserKey } from '../../support/messages/random-project.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';

// On Postgres a statement may take 30 s.
describe.each(DATABASES)('on $name', ({ share }) => testWideProfiles(share()));

function testWideProfiles(database: () => Database): void {
  test('of more traits than a profile keeps the newest stay, deletions too, and the others are told', async () => {
    const { write, traits, versions, dropped } = someone(database(), 3);
    const at = (number: number, ...names: string[]) => names.map((name) => [name, set('1', number)] as const);
    await write({ traits: new Map([...at(1, 'b', 'a', '\u{1f600}', '\uff5e'), ['gone', deleted(3)]]) });
    expect(await versions()).toEqual({ gone: version(3), a: version(1), b: version(1) });

    await write({ traits: new Map([...at(2, 'c'), ['older', set('1', 0)]]) });
    await write({ traits: new Map(at(2, 'gone')) });

    expect(await versions()).toEqual({ gone: version(3), c: version(2), a: version(1) });
    expect(JSON.parse(await traits())).toEqual({ a: 1, c: 1 });
    expect(dropped.map((one) => one.traits)).toEqual([2, 2]);
  });

  test('what was written before there was a bound is trimmed when it is next merged into, and only then', async () => {
    const before = someone(database());
    await before.write({
      traits: new Map([1, 2, 3, 4, 5].map((n) => [`t${n}`, n === 4 ? deleted(n) : set('1', n)])),
    });
    const { write, traits, versions, dropped } = someone(database(), 3, before.user);

    await write({});
    expect(Object.keys(await versions())).toHaveLength(5);
    await write({ traits: new Map([['t1', set('2', 1)]]) });

    expect(await versions()).toEqual({ t5: version(5), t4: version(4), t3: version(3) });
    expect(JSON.parse(await traits())).toEqual({ t3: 1, t5: 1 });
    expect(dropped.map((one) => one.traits)).toEqual([2]);
  });

  test('a thousand deletions at once leave what they do not name, and what is newer', async () => {
    const { write, traits } = someone(database());
    const names = Array.from({ length: 1_000 }, (_, n) => `t${n}`);
    await write({ traits: new Map([...names, 'other'].map((name) => [name, set('1', name === 't7' ? 9 : 1)])) });

    await write({ traits: new Map([...names.map((name) => [name, deleted(2)] as const), ['new', set('2', 2)]]) });

    expect(JSON.parse(await traits())).toEqual({ t7: 1, other: 1, new: 2 });
  });

  test('46,000 traits merge into 55,000 of before, and the newest 10,000 stay', async () => {
    const user = { projectId: randomProjectId(), userKey: randomUserKey() };
    const before = new SqlProfileStore(database(), 1, { maxTraits: 60_000 });
    await before.write([], [], () => [change(user, 0, 55_000, 1)]);
    const dropped: number[] = [];
    const store = new SqlProfileStore(database(), 1, {
      onDropped: (some) => dropped.push(...some.map(({ traits }) => traits)),
    });

    await store.write([], [], () => [change(user, 32_000, 46_000, 3, 55_000)]);

    const found = JSON.parse((await store.find(user.projectId, user.userKey))?.traits ?? '') as object;
    const names = Object.keys(found).toSorted();
    expect(names).toHaveLength(10_000);
    expect([names[0], names.at(-1)]).toEqual(['trait 055000', 'trait 064999']);
    expect(dropped).toEqual([78_000 - 10_000]);
  });
}

/** The traits from number `first` on; those below `setFrom` are deleted, by an earlier message. */
function change(
  user: Pick<ProfileChange, 'projectId' | 'userKey'>,
  first: number,
  count: number,
  version: number,
  setFrom = 0,
): ProfileChange {
  const numbers = Array.from({ length: count }, (_, index) => first + index);
  const traits = numbers.map((number) => {
    const isSet = number >= setFrom;
    const state = { value: isSet ? '"v"' : null, version: String(isSet ? version : version - 1).padStart(32, '0') };
    return [`trait ${String(number).padStart(6, '0')}`, state] as const;
  });
  return { ...NOTHING, ...user, traits: new Map(traits) };
}

const NOTHING = {
  userId: null,
  anonymousId: null,
  sightings: new Map(),
  anonymous: null,
  firstSeen: 1n,
  lastSeen: 1n,
  traits: new Map(),
};

function someone(
  database: Database,
  maxTraits = MAX_TRAITS,
  user = { projectId: randomProjectId(), userKey: randomUserKey() },
) {
  const dropped: DroppedTraits[] = [];
  const onDropped = (some: readonly DroppedTraits[]): void => void dropped.push(...some);
  const store = new SqlProfileStore(database, 1, { maxTraits, onDropped });
  return {
    user,
    dropped,
    write: (said: Partial<ProfileChange>) => store.write([], [], () => [{ ...NOTHING, ...user, ...said }]),
    traits: async () => (await store.find(user.projectId, user.userKey))?.traits ?? '',
    versions: async (): Promise<object> => {
      const sql = 'select versions::text from profiles where project_id = $1 and user_key = $2';
      const [row] = await database.query<{ versions: string }>(sql, [user.projectId, user.userKey]);
      return JSON.parse(row?.versions ?? '{}') as object;
    },
  };
}

function version(number: number): string {
  return number.toString(16).padStart(32, '0');
}

function set(value: string, number: number): TraitState {
  return { value, version: version(number) };
}

function deleted(number: number): TraitState {
  return { value: null, version: version(number) };
}
