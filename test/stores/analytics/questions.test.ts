import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Message } from '../../../services/messages/message.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { versionOf } from '../../../services/messages/version.ts';
import { insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedAnalytics } from '../../support/stores/analytics-stores.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const PAGE = readFileSync(new URL('../../../docs/clickhouse.md', import.meta.url), 'utf8');
const EXAMPLES = [...PAGE.matchAll(/```sql\n([^]*?)```/g)].map(([, sql = '']) => sql.trim());
const ADMIN = [...PAGE.matchAll(/```sql admin\n([^]*?)```/g)].flatMap(([, sql = '']) =>
  sql.split(/;\s*/).filter(Boolean),
);
const PROJECT = 'proj_1';
const DAY = 86_400_000_000n;
const NOW = BigInt(Date.now()) * 1000n;

/** Every table and view that the page describes, with the names and types of its columns. */
function described(): string[] {
  const sections = PAGE.split(/^### `(\w+)`$/m).slice(1);
  return sections.flatMap((text, index) => {
    if (index % 2 === 0) return [];
    const columns = [...text.matchAll(/^\| `(\w+)` +\| `([^`]+)` +\|/gm)].map(([, name, type]) => `${name} ${type}`);
    return columns.map((column) => `${sections[index - 1]} ${column}`);
  });
}

/** In the project of the page. Times lie before now: its examples ask about the last days. */
function messages(): Message[] {
  const make = new MessageMaker();
  const of = (userId: string) => ({ userId, userKey: userKeyOf(PROJECT, userId), receivedAt: NOW });
  const order = (userId: string, messageId: string, timestamp: bigint) =>
    make.track({ ...of(userId), event: 'Order Completed', messageId, timestamp, properties: '{"total":50}' });
  const trait = (userId: string, traits: string, timestamp: bigint) =>
    make.identify({ ...of(userId), traits, timestamp, version: versionOf(timestamp, NOW, 1) });
  const made = [
    ...['a', 'b', 'c'].map((id) => order('ada', id, NOW - DAY)),
    order('ada', 'c', NOW - DAY),
    // The same again, under another day.
    order('ada', 'a', NOW - 2n * DAY),
    ...['a', 'b'].map((id) => order("bob'", id, NOW - DAY)),
    trait('ada', '{"plan":"pro","n":9007199254740993}', NOW - 3n * DAY),
    trait('ada', '{"plan":"free"}', NOW - 4n * DAY),
    trait("bob'", '{"plan":"pro"}', NOW - 3n * DAY),
    trait("bob'", '{"plan":null}', NOW - DAY),
  ];
  return made.map((message) => ({ ...message, projectId: PROJECT }));
}

describe.each(await testedAnalytics())('asked by hand, $name', (tested) => {
  const analytics = sharedAnalytics(tested);
  const byHand = (sql: string) => analytics().byHand(sql);

  beforeAll(async () => {
    // In two inserts, and one of them twice: nothing is merged yet.
    await insert(analytics().store, messages());
    await insert(analytics().store, messages());
    const who = { userId: 'ada', anonymousId: null, userKey: userKeyOf(PROJECT, 'ada') };
    const of = { projectId: PROJECT, audienceId: 'aud_0123456789abcdefghij', version: 1, epoch: 1n };
    const entered = [{ ...who, ...of, at: NOW, change: 'entered', cause: 'live', person: null }] as const;
    await analytics().store.liveHistory.writeChanges(entered);
    await analytics().store.liveHistory.writeMembers(entered);
  });

  test('the database has the tables, views and columns that the page describes, and no others', async () => {
    const columns = await byHand(
      `SELECT concat(table, ' ', name, ' ', type) FROM system.columns
       WHERE database = currentDatabase()
         AND NOT match(table, '_of_(tracks|traits|users|members|sightings)$')
       ORDER BY table, position FORMAT TSVRaw`,
    );

    expect(described().toSorted()).toEqual(columns.toSorted());
  });

  test('every example of the page has an answer', async () => {
    expect(EXAMPLES.length).toBeGreaterThan(6);
    // Somebody ordered after the date that stands in an example.
    const today = EXAMPLES.map((sql) => sql.replace('2026-11-01 00:00:00', '2020-01-01 00:00:00'));
    for (const sql of today) expect([sql, (await byHand(sql)).length]).toEqual([sql, expect.toSatisfy((n) => n > 0)]);
  });

  test('the statements of the page that create a user are valid', async () => {
    expect(ADMIN.length).toBeGreaterThan(2);
    for (const sql of ADMIN) {
      const text = sql.replaceAll(/[\\']/g, '\\$&');
      expect(await byHand(`SELECT formatQuery('${text}') != ''`)).toEqual(['1']);
    }
  });

  test('users_who_did counts messages, however often each was sent or inserted', async () => {
    const did = (atLeast: number) =>
      byHand(
        `SELECT user_id, times, internal_id FROM users_who_did(project = '${PROJECT}', event = 'Order Completed',
         since = '2020-01-01 00:00:00', at_least = ${atLeast}) ORDER BY user_id FORMAT TSVRaw`,
      );

    expect(await did(2)).toEqual([`ada\t3\t${userKeyOf(PROJECT, 'ada')}`, `bob'\t2\t${userKeyOf(PROJECT, "bob'")}`]);
    expect(await did(3)).toHaveLength(1);
    expect(await did(4)).toEqual([]);
  });

  test('event_counts_by_day counts each event and each user once a day', async () => {
    const days = await byHand(
      `SELECT event, events, users FROM event_counts_by_day(project = '${PROJECT}', since = '2020-01-01 00:00:00') ORDER BY day`,
    );

    expect(days).toEqual(['Order Completed\t1\t1', 'Order Completed\t5\t2']);
  });

  test('users_with_trait and user_traits have the newest value of each trait, and no trait that was deleted', async () => {
    const time = new Date(Number((NOW - 3n * DAY) / 1000n)).toISOString().slice(0, 19).replace('T', ' ');
    const traits = await byHand(
      `SELECT user_id, text, substring(toString(set_at), 1, 19) FROM users_with_trait(project = '${PROJECT}', trait = 'plan')`,
    );
    const own = (userId: string) =>
      byHand(
        `SELECT trait, value FROM user_traits(project = '${PROJECT}', user_id = '${userId}') ORDER BY trait FORMAT TSVRaw`,
      );

    expect(traits).toEqual([`ada\tpro\t${time}`]);
    expect(await own('ada')).toEqual(['n\t9007199254740993', 'plan\t"pro"']);
    expect(await own("bob\\'")).toEqual([]);
  });

  test('user_timeline shows what one user did, each message once a day, and reads the rows of that user alone', async () => {
    const timeline = (userId: string) =>
      byHand(
        `SELECT message_id FROM user_timeline(project = '${PROJECT}', user_id = '${userId}') ORDER BY timestamp DESC, message_id`,
      );

    // The last is a copy of the first under the day before.
    expect(await timeline('ada')).toEqual(['a', 'b', 'c', 'a']);
    expect(await timeline("bob\\'")).toEqual(['a', 'b']);
    expect(await timeline('nobody')).toEqual([]);
  });
});
