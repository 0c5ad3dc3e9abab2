import { expect, test } from 'vitest';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { decideAll } from '../../../services/questions/live/decide.ts';
import { Followed } from '../../../services/questions/live/followed.ts';
import type { Query } from '../../../services/stores/analytics/analytics-store.ts';
import { userNumber } from '../../../services/stores/analytics/columns.ts';
import { exactly } from '../../support/messages/random-history.ts';

const PROJECT = 'proj_shards';
const KEYS = Array.from({ length: 1_200 }, (_, index) => userKeyOf(PROJECT, `user ${index}`));
const DEFINITION = '{"any":[{"event":"Bought","where":[{"property":"a","is":1}]},{"trait":"plan","is":"pro"}]}';

/** What is asked of users while these are decided, nobody of whom has any rows but that of the id. */
async function queriesOf(shards: number, joins: boolean): Promise<readonly Query[]> {
  const read = readDefinition(exactly(DEFINITION), { timezone: 'UTC' });
  if (!read.ok) throw new Error('the definition is invalid');
  const followed = new Followed('audience', PROJECT, 1);
  const by = { definition: read.definition, version: 1, timezone: 'UTC', joins, eventsFrom: null };
  followed.follow(by, 0n, (audience) => audience);
  const queries: Query[] = [];
  const ask = async (query: Query) => {
    queries.push(query);
    if (!query.sql.includes('join_rows')) return [];
    return usersIn(query).map((user) => ({ user, person: user, internal_id: keyOf(user) }));
  };
  const parts = { ask, askHistory: async () => [], unwritten: new Map(), shards };
  await decideAll(parts, PROJECT, new Map(KEYS.map((key) => [key, new Set([followed])])), 1n);
  return queries.filter(({ sql }) => !sql.includes('join_rows'));
}

const byNumber = new Map(KEYS.map((key) => [userNumber(key), key]));

function keyOf(user: string): string {
  return byNumber.get(user) ?? '';
}

function usersIn({ params }: Query): readonly string[] {
  return Object.values(params)
    .flatMap((value) => (Array.isArray(value) ? (value as string[]) : []))
    .filter(keyOf);
}

test('a shard is asked about its own users alone, and about all of them', async () => {
  const queries = await queriesOf(3, false);

  expect(new Set(queries.map(({ shard }) => shard?.index))).toEqual(new Set([0, 1, 2]));
  for (const query of queries) {
    const remainders = new Set(usersIn(query).map((user) => Number(BigInt(user) % 3n)));
    expect([query.shard, remainders]).toEqual([{ index: query.shard?.index, of: 3 }, new Set([query.shard?.index])]);
  }
  for (const table of ['user_track_rows', 'user_trait_rows']) {
    const users = queries.filter(({ sql }) => sql.includes(table)).flatMap(usersIn);
    expect([table, users.length, new Set(users)]).toEqual([table, KEYS.length, new Set(byNumber.keys())]);
  }
});

test('users whose ids are joined are asked about wherever their rows are', async () => {
  const queries = await queriesOf(3, true);

  expect(new Set(queries.map(({ shard }) => shard?.of))).toEqual(new Set([1]));
  expect(new Set(queries.flatMap(usersIn))).toEqual(new Set(byNumber.keys()));
});
