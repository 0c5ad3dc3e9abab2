import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { anonymousKeyOf, userKeyOf } from '../../../services/messages/user-key.ts';
import { MAX_SIGHTINGS } from '../../../services/stores/profiles/sightings.ts';
import { type JoinSays, SqlJoinDecisions } from '../../../services/stores/profiles/sql-join-decisions.ts';
import { sharedDatabase } from '../../support/stores/database.ts';

const database = sharedDatabase();

function scene() {
  const projectId = `proj_${randomUUID()}`;
  const decisions = new SqlJoinDecisions(database());
  const keyOf = (id: string) => anonymousKeyOf(projectId, id);
  const decide = (id: string, says: JoinSays, user?: string) => {
    const personKey = user === undefined ? null : userKeyOf(projectId, user);
    return decisions.decide({ projectId, userKey: keyOf(id), anonymousId: id, says, personKey, decidedBy: 'local' });
  };
  return { projectId, decisions, keyOf, decide };
}

test('decisions are read by their numbers, the last of an id alone', async () => {
  const { projectId, decisions, keyOf, decide } = scene();
  const from = await decisions.nextNumber();
  await decide('a', 'join', 'ada');
  await decide('b', 'apart');
  const last = await decide('a', 'rule');

  const found = await decisions.after(from, 10);

  expect(found.map(({ userKey, says }) => [userKey, says])).toEqual([
    [keyOf('b'), 'apart'],
    [keyOf('a'), 'rule'],
  ]);
  expect(await decisions.after(last.number, 10)).toEqual([]);
  expect(await decisions.nextNumber()).toBeGreaterThan(last.number);
  expect(await decisions.count(projectId)).toBe(1);
});

test('no more ids are joined to a user by hand than count of one', async () => {
  const { decide } = scene();
  for (let id = 0; id < MAX_SIGHTINGS; id++) await decide(`id-${id}`, 'join', 'ada');

  await expect(decide('one more', 'join', 'ada')).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
  await decide('id-0', 'join', 'ada');
  await decide('one more', 'join', 'bob');
});

test('who is forgotten leaves no decision, and what they shared stays apart unless it was decided', async () => {
  const { projectId, decisions, keyOf, decide } = scene();
  await decide('own', 'join', 'ada');
  await decide('decided', 'join', 'bob');
  await decide('by the rule', 'rule');
  const shared = ['decided', 'by the rule', 'undecided'].map(keyOf);

  await database().transaction((transaction) =>
    SqlJoinDecisions.forget(transaction, projectId, [userKeyOf(projectId, 'ada')], shared),
  );

  const left = await decisions.about(projectId, ['own', 'decided', 'by the rule', 'undecided'].map(keyOf), []);
  const byKey = new Map(left.map((one) => [one.userKey, one]));
  expect(byKey.get(keyOf('own'))).toBeUndefined();
  expect(byKey.get(keyOf('decided'))).toMatchObject({ says: 'join', decidedBy: 'local' });
  expect(byKey.get(keyOf('by the rule'))).toMatchObject({ says: 'apart', decidedBy: 'forgetting' });
  expect(byKey.get(keyOf('undecided'))).toMatchObject({ says: 'apart', anonymousId: null });
});
