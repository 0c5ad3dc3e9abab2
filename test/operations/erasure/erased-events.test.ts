/** Events that are erased by a condition: nothing of them stays, nothing else is another, and nothing brings them back. */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { importTopicOf, type Message, type Track } from '../../../services/messages/message.ts';
import { formatMicros } from '../../../services/messages/timestamp.ts';
import { certificateHash } from '../../../services/operations/erasure/certificate.ts';
import { SqlAuditLog } from '../../../services/stores/service-state/sql-audit-log.ts';
import { addLetters, type LetterRow } from '../../../services/stores/profiles/dead-letter-rows.ts';
import { QueryBudget } from '../../../services/questions/query-budget.ts';
import { eventsToErase, readErasureQuestion } from '../../../services/questions/events/events-to-erase.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { verify } from '../../../services/operations/verify/verify.ts';
import { storesToVerify } from '../../../services/operations/verify/live-stores.ts';
import { SqlErasures } from '../../../services/stores/erasures/sql-erasures.ts';
import { searchFiles } from '../../support/search-files.ts';
import { testedForms } from '../../support/service/tested-forms.ts';
import { openEmbedded, sharedInstallation, type WholeInstallation } from '../../support/service/whole-installation.ts';
import { AMPLE, MessageMaker } from '../../support/stores/analytics.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ForgettingScene } from './forgetting-scene.ts';

const SECRET = 'SECRET-of-the-erased-events';
const WITH_SECRET = { where: [{ property: 'note', contains: 'SECRET-of' }] };
const DAY = 86_400_000_000n;

/** Some events of three people, of which six have the secret: one is a copy of an event that counts without it. */
function traffic(shop: MessageMaker): readonly Message[] {
  const secret = (given: Partial<Track>): Track => shop.track({ properties: `{"note":"${SECRET}"}`, ...given });
  const plain = (given: Partial<Track>): Track => shop.track({ properties: '{"note":"plain"}', ...given });
  const base = shop.track({}).timestamp;
  return [
    ...['ada', 'ben'].flatMap((userId) => [
      plain({ userId, messageId: 'same', timestamp: base }),
      secret({ userId, messageId: '1', timestamp: base + 5n }),
      secret({ userId, messageId: '2', event: 'Paid', timestamp: base - 3n * DAY }),
      plain({ userId, messageId: '2', event: 'Bought', timestamp: base }),
      shop.identify({ userId, traits: '{"plan":"pro"}' }),
    ]),
    // Nothing else is known of this one, whose ids others have too.
    secret({ userId: 'cat', messageId: '1', anonymousId: 'a-cat', timestamp: base - DAY }),
    plain({ userId: 'dan', messageId: '1', timestamp: base }),
    plain({ userId: 'dan', messageId: 'copied', timestamp: base }),
    secret({ userId: 'dan', messageId: 'copied', timestamp: base }),
  ];
}

async function countsOf({ analytics }: WholeInstallation, projectId: string) {
  const sql = `SELECT event, internal_id, toString(count()) AS n FROM events
               INNER JOIN (SELECT user, max(internal_id) AS internal_id FROM user_rows WHERE project_id = {p:String} GROUP BY user) AS u USING user
               WHERE project_id = {p:String} GROUP BY event, internal_id`;
  const { rows } = await analytics.ask({ projectId, sql, params: { p: projectId } }, AMPLE);
  const names = new Map(['ada', 'ben', 'cat', 'dan'].map((name) => [userKeyOf(projectId, name), name]));
  return Object.fromEntries(
    rows.map((row) => [`${names.get(row['internal_id'] as string)} ${String(row['event'])}`, row['n']]),
  );
}

const profilesOf = ({ database }: WholeInstallation, projectId: string) =>
  database.query(
    `select user_id, anonymous_id, first_seen, last_seen, traits::text as traits from users left join profiles using (project_id, user_key)
     where project_id = $1 order by user_id`,
    [projectId],
  );

async function verified(installation: WholeInstallation, projectId: string) {
  const {
    equal,
    profiles,
    missing,
    surplus,
    blank_unlisted: unlisted,
  } = await verify(await storesToVerify(installation), { projectId }, { deep: true, repeatWindowMs: 2 ** 40 });
  return { equal, profiles, missing, surplus, unlisted };
}

async function readAgain(installation: WholeInstallation): Promise<void> {
  const { database, analytics } = installation;
  await database.query('truncate users, profiles, sightings, applied_counts, reader_positions, sink_plans, applied');
  await analytics.dropGeneration(1);
  await installation.readAll();
}

const LEFT = {
  'ada Bought': '1',
  'ada Order Completed': '1',
  'ben Bought': '1',
  'ben Order Completed': '1',
  'dan Order Completed': '1',
};
const BEFORE = {
  ...LEFT,
  'ada Order Completed': '2',
  'ada Paid': '1',
  'ben Order Completed': '2',
  'ben Paid': '1',
  'cat Order Completed': '1',
  'dan Order Completed': '2',
};

/** Asks for it, has it done, and holds what is left against what was. Returns what was asked to be left. */
async function eraseIn(installation: WholeInstallation, scene: ForgettingScene) {
  const shop = new MessageMaker();
  const messages = traffic(shop);
  await installation.append(messages);
  await installation.readAll();
  const { projectId } = shop;
  expect(await countsOf(installation, projectId)).toEqual(BEFORE);
  const profiles = await profilesOf(installation, projectId);

  expect(await scene.requestEvents(projectId, WITH_SECRET)).toBe(6);

  expect(await countsOf(installation, projectId)).toEqual(LEFT);
  expect(await scene.requestEvents(projectId, WITH_SECRET)).toBe(0);
  expect(await verified(installation, projectId)).toMatchObject({ equal: true });
  await scene.forget();
  expect(await countsOf(installation, projectId)).toEqual(LEFT);
  expect(await profilesOf(installation, projectId)).toEqual(profiles);
  expect(await verified(installation, projectId)).toMatchObject({ equal: true });
  return { projectId, messages, profiles };
}

describe.each(await testedForms())('events that are erased, $form', ({ form }) => {
  const installation = sharedInstallation(form);
  const scene = new ForgettingScene(installation);

  test('events that are erased are in no answer at once, and a replay and an import of the same bring none back', async () => {
    const { projectId, messages, profiles } = await eraseIn(installation(), scene);

    await readAgain(installation());

    expect(await countsOf(installation(), projectId)).toEqual(LEFT);
    expect(await profilesOf(installation(), projectId)).toEqual(profiles);
    expect(await verified(installation(), projectId)).toMatchObject({ equal: true });
    const tracks = messages.filter((one) => one.type === 'track');
    await installation().append(tracks, (one) => importTopicOf(one as Track));
    await installation().readAll();
    expect(await countsOf(installation(), projectId)).toEqual(LEFT);
    expect(await profilesOf(installation(), projectId)).toEqual(profiles);
  }, 240_000);

  test('an erasure of events is one of the name, the time and the user that were named', async () => {
    const shop = new MessageMaker();
    const messages = traffic(shop);
    await installation().append(messages);
    await installation().readAll();
    const counted = async (condition: object) => {
      const question = readErasureQuestion({ text: JSON.stringify(condition), project: { timezone: 'UTC' } });
      if (!question.ok) return question.problems.map(({ path }) => path);
      const { projectId } = shop;
      const budget = new QueryBudget(installation().analytics, AMPLE);
      const context = { projectId, now: BigInt(Date.now()) * 1_000n };
      return [...(await eventsToErase(budget, context, question.value)).values()].flat().length;
    };
    const [first] = messages;
    const at = (days: number) => formatMicros((first?.timestamp ?? 0n) + BigInt(days) * DAY);

    expect(await counted({ name: 'Paid' })).toBe(2);
    expect(await counted({ name: ['Paid', 'Bought'], user_id: 'ada' })).toBe(2);
    expect(await counted({ user_id: 'dan' })).toBe(2);
    expect(await counted({ user_id: 'nobody' })).toBe(0);
    expect(await counted({ between: [at(-4), at(0)] })).toBe(3);
    expect(await counted({ between: [at(-4), at(0)], ...WITH_SECRET, user_id: 'cat' })).toBe(1);
    expect(await counted({ between: [at(-9), at(9)] })).toBe(11);
    expect(await counted({})).toEqual(['']);
    expect(await counted({ where: [{ property: 'note', like: 1 }], between: ['then'], name: 7 })).toEqual(
      expect.arrayContaining(['/between', '/name']),
    );
  }, 120_000);
});

test('no file has a value of erased events, and their certificate says what was deleted', async () => {
  const folder = await temporaryFolder();
  const installation = await openEmbedded(folder);
  onTestFinished(() => installation.close());
  const { database } = installation;
  const scene = new ForgettingScene(() => installation, folder);
  const shop = new MessageMaker();
  await installation.append(traffic(shop));
  await installation.readAll();
  await database.query('checkpoint');
  const before = await searchFiles(folder, { SECRET });
  for (const part of ['event-log', 'analytics/store'])
    expect(before.map(({ file }) => file).filter((file) => file.startsWith(join(folder, part)))).not.toEqual([]);
  const letters = ['1', 'copied', 'another'].map((messageId, index) =>
    letterOf(shop.track({ userId: 'dan', messageId }), BigInt(index)),
  );
  await addLetters(database, 999, { offset: 0n, appendedAtMs: 0 }, letters);

  await scene.requestEvents(shop.projectId, WITH_SECRET);
  await scene.forget();

  expect(await searchFiles(folder, { SECRET })).toEqual([]);
  // That of the copy alone was erased.
  const listed = await database.query('select message_id from dead_letters where reader = $1 order by log_offset', [
    'sink',
  ]);
  expect(listed).toEqual([{ message_id: '1' }, { message_id: null }, { message_id: 'another' }]);
  const [erasure] = await new SqlErasures(database).list({}, 1);
  expect(JSON.parse(erasure?.report ?? '{}')).toMatchObject({
    postgres: {},
    clickhouse: { track_rows: 7, user_track_rows: 7 },
    log: { 'tidemark.track': 7 },
    condition_sha256: 'c'.repeat(64),
    found_at_end: { postgres: 0, clickhouse: 0 },
  });
  const [entry] = await new SqlAuditLog(database).list({ action: 'events.erased' }, 1);
  expect(JSON.parse(entry?.after ?? '')).toEqual({ report_sha256: certificateHash(erasure?.report ?? '') });
}, 240_000);

function letterOf({ projectId, userKey, messageId, event }: Track, offset: bigint): LetterRow {
  const at = { topic: 'tidemark.track', partition: 0, log_offset: 2n ** 40n + offset, reader: 'sink' };
  const letter = {
    ...at,
    letter_offset: offset,
    appended_at_ms: 0,
    failed_at_us: 0n,
    error: messageId === 'copied' ? SECRET : 'no',
    code: null,
  };
  const message = { project_id: projectId, user_key: userKey, message_id: messageId, received_at_us: 0n };
  return { ...letter, ...message, bytes: 1, user_id: 'dan', event };
}
