/** The list of users, what one did, and messages by their ids, on a real ClickHouse. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type UserRouteParts, userRoutes } from '../../../services/api/users/routes.ts';
import type { Call } from '../../../services/http/call.ts';
import type { Message } from '../../../services/messages/message.ts';
import { decodeReceipt } from '../../../services/messages/receipt/receipt.ts';
import { receiptSignerOf } from '../../../services/messages/receipt/receipt-signer.ts';
import { anonymousKeyOf, userKeyOf } from '../../../services/messages/user-key.ts';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { compileMembership } from '../../../services/questions/sql/compile-members.ts';
import { insertProfile } from '../../support/http/inserted-rows.ts';
import { PROJECT } from '../../support/http/reading-server.ts';
import { Catalog } from '../../../services/questions/catalog/catalog.ts';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { sharedDatabase } from '../../support/stores/database.ts';
import { testedAnalytics, testedShards } from '../../support/stores/tested-analytics.ts';

const NOON = BigInt(Date.UTC(2026, 10, 20, 12)) * 1000n;
const DAY = 86_400_000_000n;
const HOUR = DAY / 24n;

interface Listed {
  readonly total: number | null;
  readonly users: readonly Readonly<Record<string, unknown>>[];
  readonly next_cursor: string | null;
}

describe.each([...(await testedAnalytics()), ...(await testedShards(0.1))])('users in $name', (tested) => {
  const analytics = sharedStore(tested);
  const make = new MessageMaker();
  const project = { ...PROJECT, id: make.projectId, timezone: 'Europe/Berlin', searchTraits: ['name'] };
  const database = sharedDatabase();
  let parts: UserRouteParts;

  const messages: readonly Message[] = [
    make.identify({
      userId: 'ada',
      messageId: 'i1',
      traits: '{"name":"Ada","plan":"free"}',
      timestamp: NOON - 3n * DAY,
    }),
    make.identify({ userId: 'ada', messageId: 'i2', traits: '{"plan":"pro","n":1.10}', timestamp: NOON - 2n * DAY }),
    make.session({ userId: 'ada', messageId: 's1', traits: '{"n":null}', timestamp: NOON - DAY }),
    make.track({
      userId: 'ada',
      messageId: 't1',
      event: 'Bought',
      timestamp: NOON - DAY,
      properties: '{"total":1.10}',
    }),
    // A copy, which counts once, and one of the same time under another name.
    make.track({ userId: 'ada', messageId: 't1', event: 'Bought', timestamp: NOON - DAY, properties: '{"total":2}' }),
    make.track({ userId: 'ada', messageId: 't1', event: 'Paid', timestamp: NOON - DAY }),
    make.track({ userId: 'ada', messageId: 't2', event: 'Bought', timestamp: NOON - 2n * DAY + 11n * HOUR }),
    make.identify({ userId: 'bob', traits: '{"name":"Bob Lovelace","plan":"pro"}', timestamp: NOON - 4n * DAY }),
    make.identify({ userId: 'bob', traits: '{"name":"Bob"}', timestamp: NOON - 3n * DAY }),
    make.track({ userId: 'eve', messageId: 't1', timestamp: NOON, event: 'Bought' }),
    make.track({
      userId: null,
      userKey: anonymousKeyOf(make.projectId, 'cookie'),
      anonymousId: 'cookie',
      timestamp: NOON - 9n * DAY,
    }),
    make.identify({
      userId: 'wide',
      messageId: 'i9',
      traits: JSON.stringify({ text: 'x'.repeat(9_000) }),
      timestamp: NOON - 8n * DAY,
    }),
  ];

  beforeAll(async () => {
    await insert(analytics(), messages);
    await insert(analytics(), [new MessageMaker().track({ userId: 'of another project', messageId: 't1' })]);
    await new SqlProjectStore(database()).addLostProject(project);
    const saved = new SqlAudienceStore(database(), 100);
    const profiles = new SqlProfileStore(database(), 1);
    const stores = { profiles, analytics: analytics(), limitsOf: () => AMPLE, saved };
    parts = { ...stores, catalog: new Catalog(stores) };
    for (const [userId, traits] of [
      ['ada', '{"name":"Ada","plan":"pro"}'],
      ['bob', '{"name":"Bob","plan":"pro"}'],
    ] as const) {
      const userKey = userKeyOf(project.id, userId);
      const known = { projectId: project.id, userKey, userId, anonymous: null, anonymousIds: [], joinedIds: null };
      await insertProfile(database(), { ...known, traits, firstSeen: 0n, lastSeen: 0n });
    }
    const pro = { trait: 'plan', is: 'pro' };
    const { id } = await saved.create(project.id, { name: 'Pro', definition: JSON.stringify(pro), refreshMs: null });
    const at = NOON - DAY;
    const evaluation = { projectId: project.id, audienceId: id, at, version: 1, cause: 'first' } as const;
    const read = readDefinition(pro, { timezone: 'UTC' });
    if (!read.ok) throw new Error('not a definition');
    const members = compileMembership(read.definition, { projectId: project.id, now: NOON });
    await analytics().difference(evaluation, members, AMPLE);
    await analytics().finalize(evaluation);
  });

  async function answerOf(path: string, call: Partial<Record<'search' | 'text', string>>, params = {}) {
    const unlimited = { admitWhole: () => undefined };
    const route = userRoutes(parts, unlimited, unlimited).find((one) => one.path === path);
    const query = new URLSearchParams(call.search ?? '');
    return route?.handle({ project, params, query, text: call.text ?? '' } as unknown as Call);
  }

  async function jsonOf<T>(...asked: Parameters<typeof answerOf>): Promise<T> {
    const answer = await answerOf(...asked);
    if (answer === undefined || 'refused' in answer) throw new Error(answer?.detail ?? 'no route');
    if (typeof answer.body !== 'string') throw new Error('no text');
    return JSON.parse(answer.body) as T;
  }

  const list = (body: object = {}): Promise<Listed> =>
    jsonOf<Listed>('/v1/users/query', { text: JSON.stringify(body) });

  const idsOf = ({ users }: Listed) => users.map(({ user_id: id, anonymous_id: anonymous }) => id ?? anonymous);

  test('users are listed as they were seen last, a page after the other, with how many there are', async () => {
    const all = await list();
    const first = await list({ limit: 2 });
    const second = await list({ limit: 2, cursor: first.next_cursor });
    const third = await list({ limit: 2, cursor: second.next_cursor });

    expect([all.total, idsOf(all), all.next_cursor]).toEqual([5, ['eve', 'ada', 'bob', 'wide', 'cookie'], null]);
    expect([first, second, third].flatMap(idsOf)).toEqual(idsOf(all));
    expect([first.total, second.total, third.total, third.next_cursor]).toEqual([5, 5, 5, null]);
    expect(idsOf(await list({ sort: 'first_seen', limit: 3 }))).toEqual(['eve', 'ada', 'bob']);
  });

  test('the list takes an audience and a text, both of which hold, of values that users have now', async () => {
    const users = { trait: 'plan', is: 'pro' };

    expect(await list({ users })).toMatchObject({ total: 2, next_cursor: null });
    expect(idsOf(await list({ users }))).toEqual(['ada', 'bob']);
    expect(idsOf(await list({ users, search: 'BO' }))).toEqual(['bob']);
    expect(idsOf(await list({ search: 'e' }))).toEqual(['eve', 'wide']);
    expect(await list({ search: 'Lovelace' })).toMatchObject({ total: 0, users: [], next_cursor: null });
    expect(idsOf(await list({ users: { not: users }, search: 'v' }))).toEqual(['eve']);
  });

  test('a listed user has the events and the traits that were asked for', async () => {
    const { users } = await list({ traits: 'name,plan', count_events: true, limit: 3 });

    expect(users).toMatchObject([
      { user_id: 'eve', events: 1, traits: { name: null, plan: null } },
      { user_id: 'ada', events: 3, traits: { name: 'Ada', plan: 'pro' }, last_seen: '2026-11-19T12:00:00.000000Z' },
      { user_id: 'bob', events: 0, traits: { name: 'Bob', plan: 'pro' }, first_seen: '2026-11-16T12:00:00.000000Z' },
    ]);
    expect((await list()).users.every((user) => !('events' in user) && !('traits' in user))).toBe(true);
  });

  test('a list is refused with the place of what is wrong with it', async () => {
    for (const [path, wrong] of [
      ['/users', { users: { nobody: 1 } }],
      ['/sort', { sort: 'name' }],
      ['/cursor', { cursor: 'elsewhere' }],
      ['/traits', { traits: 'a,a' }],
      ['/color', { color: 1 }],
    ] as const) {
      const answer = await answerOf('/v1/users/query', { text: JSON.stringify(wrong) });
      expect(answer).toMatchObject({ refused: 'invalid-body', errors: [{ path }] });
    }
  });

  const ada = { user_id: 'ada' };

  interface Activity {
    readonly days: readonly { readonly day: string; readonly count: number }[];
  }

  test('the activity of a user has each message once a day, in days of the time zone of the project', async () => {
    const days = Number((BigInt(Date.now()) * 1000n - NOON) / DAY) + 10;
    const { days: each, ...activity } = await jsonOf<Activity>(
      '/v1/users/:user_id/activity',
      { search: `days=${days}` },
      ada,
    );
    const none = await jsonOf<object>('/v1/users/:user_id/activity', {}, { user_id: 'bob' });

    expect(activity).toEqual({
      events: 3,
      first_event: '2026-11-18T23:00:00.000000Z',
      last_event: '2026-11-19T12:00:00.000000Z',
      top_events: [
        { name: 'Bought', count: 2 },
        { name: 'Paid', count: 1 },
      ],
      timezone: 'Europe/Berlin',
    });
    expect(each).toHaveLength(days);
    expect(each.filter(({ count }) => count > 0)).toEqual([{ day: '2026-11-19', count: 3 }]);
    expect(none).toMatchObject({ events: 0, first_event: null, top_events: [] });
    expect(await answerOf('/v1/users/:user_id/activity', {}, { user_id: 'nobody' })).toMatchObject({
      refused: 'not-found',
    });
  });

  interface Timeline {
    readonly timeline: readonly Readonly<Record<string, unknown>>[];
    readonly next_cursor: string | null;
  }

  const timeline = (search: string, params: object = ada) =>
    jsonOf<Timeline>('/v1/users/:user_id/timeline', { search }, params);

  const namesOf = ({ timeline: entries }: Timeline) =>
    entries.map(({ type, event, message_id: id, change }) => String(event ?? (type === 'audience' ? change : id)));

  const ALL = ['Paid', 'Bought', 's1', 'entered', 'Bought', 'i2', 'i1'];

  test('a timeline has every kind of what happened once, newest first, however it is paged', async () => {
    expect(namesOf(await timeline(''))).toEqual(ALL);
    for (const limit of [1, 2, 3, 200]) {
      const names: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: Timeline = await timeline(`limit=${limit}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
        expect(page.timeline.length).toBeLessThanOrEqual(limit);
        names.push(...namesOf(page));
        cursor = page.next_cursor;
      }
      expect(names).toEqual(ALL);
    }
  });

  test('a timeline takes types, the name of an event and a period', async () => {
    expect(namesOf(await timeline('types=identify,session'))).toEqual(['s1', 'i2', 'i1']);
    expect(namesOf(await timeline('types=track&event=Paid'))).toEqual(['Paid']);
    expect(namesOf(await timeline('since=2026-11-18&until=2026-11-19T12:00:00Z'))).toEqual(['Bought', 'i2']);
    for (const wrong of ['types=tracks', 'types=', 'cursor=elsewhere', 'since=yesterday', 'limit=201'])
      expect(await answerOf('/v1/users/:user_id/timeline', { search: wrong }, ada)).toMatchObject({
        refused: 'invalid-parameter',
      });
  });

  test('entries of a timeline have what they say, and large traits are left out', async () => {
    const { timeline: entries } = await timeline('');
    const wide = await timeline('', { user_id: 'wide' });

    expect(entries[1]).toMatchObject({ type: 'track', message_id: 't1', properties: { total: 1.1 } });
    expect(entries[2]).toMatchObject({ type: 'session', session_id: 's-1', traits: { n: null } });
    expect(entries[3]).toMatchObject({ type: 'audience', name: 'Pro', change: 'entered', version: 1 });
    expect(entries[5]).toMatchObject({ type: 'identify', traits: { n: 1.1, plan: 'pro' } });
    expect(wide.timeline).toMatchObject([{ message_id: 'i9', traits: {}, cut: true }]);
    expect(await answerOf('/v1/users/:user_id/timeline', {}, { user_id: 'nobody' })).toMatchObject({
      refused: 'not-found',
    });
  });

  interface Messages {
    readonly messages: readonly (Readonly<Record<string, unknown>> & { readonly receipt: string })[];
  }

  const messagesOf = (id: string) => jsonOf<Messages>('/v1/messages/:message_id', {}, { message_id: id });

  test('a message is found by its id, with its user, its place and the receipt of that place', async () => {
    const { messages: tracks } = await messagesOf('t1');
    const { messages: identifies } = await messagesOf('i2');

    expect(tracks.map(({ user_id: user, event }) => [user, event])).toEqual([
      ['eve', 'Bought'],
      ['ada', 'Paid'],
      ['ada', 'Bought'],
    ]);
    expect(identifies).toMatchObject([{ type: 'identify', user_id: 'ada', traits: { plan: 'pro', n: 1.1 } }]);
    const [{ receipt, log }] = identifies as unknown as readonly [{ receipt: string; log: { offset: string } }];
    expect(decodeReceipt(receipt, receiptSignerOf(project))).toMatchObject({
      places: [{ topic: 'tidemark.identify', partition: 0, offset: BigInt(log.offset) + 1n }],
    });
    expect((await messagesOf('s1')).messages).toMatchObject([{ type: 'session', traits: { n: null } }]);
    expect((await messagesOf('i9')).messages).toMatchObject([{ cut: true, traits: {} }]);
    expect(await answerOf('/v1/messages/:message_id', {}, { message_id: 'none' })).toMatchObject({
      refused: 'not-found',
    });
  });

  test('traits of its user stand in a message where they are asked for', async () => {
    const read = (search: string) => jsonOf<Messages>('/v1/messages/:message_id', { search }, { message_id: 'i2' });

    expect((await read('traits=name,none')).messages).toMatchObject([
      { user_id: 'ada', user_traits: { name: 'Ada', none: null }, traits: { plan: 'pro' } },
    ]);
    expect((await read('')).messages[0]).not.toHaveProperty('user_traits');
    expect(await answerOf('/v1/messages/:message_id', { search: 'traits=,' }, { message_id: 'i2' })).toMatchObject({
      refused: 'invalid-parameter',
    });
  });
});
