/** What is read of one user, on a real database and a real ClickHouse. */
import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { compileMembership } from '../../../services/questions/sql/compile-members.ts';
import { changeOf, fold } from '../../../services/consumers/projector/fold.ts';
import type { Call } from '../../../services/http/call.ts';
import type { Refusal } from '../../../services/http/problems.ts';
import type { Answer } from '../../../services/http/route.ts';
import type { Message } from '../../../services/messages/message.ts';
import { formatMicros } from '../../../services/messages/timestamp.ts';
import { anonymousKeyOf, userKeyOf } from '../../../services/messages/user-key.ts';
import type { ExportParts } from '../../../services/api/users/export.ts';
import { userRoutes } from '../../../services/api/users/routes.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { serverUrl } from '../../servers/server.ts';
import { Catalog } from '../../../services/questions/catalog/catalog.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { sharedDatabase, sharedPostgres } from '../../support/stores/database.ts';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { insertAudience } from '../../support/http/inserted-rows.ts';
import { PROJECT } from '../../support/http/reading-server.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const postgres = await serverUrl('postgres');
const NOON = BigInt(Date.UTC(2026, 10, 20, 12)) * 1000n;
const DAY = 86_400_000_000n;
const AUDIENCE = { trait: 'plan', is: 'pro' };

/** Each ClickHouse with a database beside it: the embedded ones, and the servers. */
const forms = (await testedAnalytics()).map((tested) => ({ name: tested.name, tested }));

describe.each(forms)('read from $name', ({ tested }) => {
  const onServers = tested.name !== 'chDB' && postgres !== undefined;
  const database = onServers ? sharedPostgres(postgres) : sharedDatabase();
  const analytics = sharedStore(tested);
  const make = new MessageMaker();
  const project = { ...PROJECT, id: make.projectId };
  const userKey = userKeyOf(project.id, 'ada');
  let parts: ExportParts & { nowMs: () => number };

  const wide = `{${Array.from({ length: 3_000 }, (_, n) => `"wide ${n}":${n}`).join(',')}}`;
  const messages: readonly Message[] = [
    make.identify({
      traits: '{"plan":"pro","n":9007199254740993}',
      timestamp: NOON - DAY,
      receivedAt: NOON,
      anonymousId: 'cookie',
    }),
    make.identify({ traits: '{"plan":"free","":[1e400]}', timestamp: NOON - 2n * DAY, receivedAt: NOON + 1n }),
    make.session({ traits: '{"n":null}', sessionId: 's"1', receivedAt: NOON + 2n }),
    make.identify({ traits: wide, timestamp: NOON - 3n * DAY, receivedAt: NOON + 3n }),
    ...Array.from({ length: 1_200 }, (_, n) =>
      make.track({ messageId: `m${n}`, timestamp: NOON - BigInt(n), properties: '{"total":1.10}' }),
    ),
    make.track({
      messageId: 'anonymous',
      userId: null,
      userKey: anonymousKeyOf(project.id, 'cookie'),
      anonymousId: 'cookie',
    }),
    make.identify({ userId: 'bob', userKey: userKeyOf(project.id, 'bob'), traits: '{"plan":"pro","n":true}' }),
  ];

  beforeAll(async () => {
    await new SqlProjectStore(database()).addLostProject(project);
    const saved = new SqlAudienceStore(database(), 100);
    const profiles = new SqlProfileStore(database());
    await profiles.write([], [], () => fold(messages.map(changeOf)));
    await insert(analytics(), messages);
    const limitsOf = () => AMPLE;
    parts = { profiles, analytics: analytics(), limitsOf, saved, nowMs: () => Number((NOON + DAY) / 1000n) };
    await saved.create(project.id, {
      name: 'Never evaluated',
      definition: JSON.stringify({ not: AUDIENCE }),
      refreshMs: null,
    });
    const made = await saved.create(project.id, { name: 'Pro', definition: JSON.stringify(AUDIENCE), refreshMs: null });
    const evaluation = { projectId: project.id, audienceId: made.id, at: NOON, version: 1, cause: 'first' } as const;
    const read = readDefinition(AUDIENCE, { timezone: 'UTC' });
    if (!read.ok) throw new Error('not a definition');
    const members = compileMembership(read.definition, { projectId: project.id, now: NOON });
    const difference = await analytics().difference(evaluation, members, AMPLE);
    await analytics().finalize(evaluation);
    const evaluated = { ...difference, at: NOON, version: 1, cause: 'first' } as const;
    await insertAudience(database(), { ...made, evaluation: evaluated });
  });

  function callOf(search: string, params: Record<string, string> = { user_id: 'ada' }, of = project): Call {
    return { project: of, params, query: new URLSearchParams(search), text: '' } as unknown as Call;
  }

  /** What the route of this path answers. */
  async function answer(path: string, call: Call, stores = parts): Promise<Answer | Refusal> {
    const unlimited = { admitWhole: () => undefined };
    const route = userRoutes({ ...stores, catalog: new Catalog(stores) }, unlimited, unlimited).find(
      (one) => one.path === `/v1/users${path}`,
    );
    return (await route?.handle(call)) as Answer | Refusal;
  }

  async function bodyOf(...asked: Parameters<typeof answer>): Promise<string> {
    const answered = await answer(...asked);
    if ('refused' in answered) throw new Error(answered.detail);
    return answered.body instanceof Readable ? text(answered.body) : String(answered.body);
  }

  const exported = async (search = '', params?: Record<string, string>) =>
    (await bodyOf('/:user_id/export', callOf(search, params))).trimEnd().split('\n');

  test('an export has everything about one person, every digit of it, and says that it is complete', async () => {
    const lines = await exported();

    const types = Object.entries(Object.groupBy(lines, (line) => (JSON.parse(line) as { type: string }).type));
    expect(types.map(([type, { length } = []]) => [type, length])).toEqual([
      ['profile', 1],
      ['anonymous_id', 1],
      ['identify', 3],
      ['session', 1],
      ['track', 1_200],
      ['audience', 1],
      ['end', 1],
    ]);
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ type: 'end', lines: lines.length - 1 });
    expect(lines.filter((line) => line.includes('9007199254740993'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('"total":1.10'))).toHaveLength(1_200);
    const [profile] = lines.map((line) => JSON.parse(line) as { versions: Record<string, string>; traits: object });
    expect(profile?.traits).toMatchObject({ plan: 'pro', 'wide 2999': 2_999 });
    expect(profile?.versions).toMatchObject({ plan: messages[0]?.type === 'identify' && messages[0].version });
    expect(Object.keys(profile?.versions ?? {})).toContain('n');
  });

  test('an export shows what each message said, and when an audience was entered', async () => {
    const lines = await exported();
    const find = (type: string) =>
      lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line['type'] === type);

    const [first] = messages;
    expect(find('identify').find(({ message_id: id }) => id === first?.messageId)).toEqual({
      type: 'identify',
      anonymous_id: 'cookie',
      message_id: first?.messageId,
      timestamp: formatMicros(NOON - DAY),
      received_at: formatMicros(NOON),
      version: first?.type === 'identify' && first.version,
      traits: { plan: 'pro', n: Number('9007199254740993') },
    });
    expect(find('session')).toMatchObject([{ session_id: 's"1', anonymous: false, traits: { n: null } }]);
    expect(find('anonymous_id')).toEqual([
      { type: 'anonymous_id', anonymous_id: 'cookie', first_seen: formatMicros(NOON - DAY) },
    ]);
    expect(find('audience')).toEqual([
      expect.objectContaining({ name: 'Pro', change: 'entered', at: formatMicros(NOON), version: 1, cause: 'first' }),
    ]);
  });

  test('an export of an anonymous user has that user alone', async () => {
    const byName = await exported('by=anonymous_id', { user_id: 'cookie' });
    const byKey = await exported('by=internal_id', { user_id: anonymousKeyOf(project.id, 'cookie') });

    expect(byName.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(['profile', 'track', 'end']);
    expect(byKey).toEqual(byName);
  });

  test('pages of the events of a user have each of them once, newest first', async () => {
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const body = await bodyOf('/:user_id/events', callOf(`limit=500${cursor && `&cursor=${cursor}`}`));
      const page = JSON.parse(body) as { events: { message_id: string }[]; next_cursor: string | null };
      ids.push(...page.events.map(({ message_id: id }) => id));
      cursor = page.next_cursor;
    }

    expect(ids).toEqual(Array.from({ length: 1_200 }, (_, n) => `m${n}`));
  });

  test('the audiences of a user are evaluated now, with the evaluation that found them', async () => {
    const body = JSON.parse(await bodyOf('/:user_id/audiences', callOf(''))) as unknown;

    expect(body).toEqual({
      evaluated_at: formatMicros(NOON + DAY),
      audiences: [
        {
          id: expect.any(String) as string,
          name: 'Pro',
          version: 1,
          is_member: true,
          since: formatMicros(NOON),
          changes_at: null,
          evaluation: { at: formatMicros(NOON), version: 1, is_member: true },
        },
        expect.objectContaining({ name: 'Never evaluated', is_member: false, since: null, evaluation: null }) as object,
      ],
      next_cursor: null,
    });
  });

  test('the history of a trait names the messages that set it, and which lost', async () => {
    const body = await bodyOf('/:user_id/traits/:name/history', callOf('', { user_id: 'ada', name: 'plan' }));
    const n = await bodyOf('/:user_id/traits/:name/history', callOf('', { user_id: 'ada', name: 'n' }));

    const unnamed = await bodyOf('/:user_id/traits/:name/history', callOf('', { user_id: 'ada' }));

    const [pro, free] = messages;
    expect(unnamed).toContain('"value":[1e400],"state":"current"');
    expect(JSON.parse(body)).toMatchObject({
      trait: 'plan',
      values: [
        { value: 'pro', state: 'current', message_id: pro?.messageId, newer: null },
        { value: 'free', state: 'lost', message_id: free?.messageId, newer: { message_id: pro?.messageId } },
      ],
    });
    expect(n).toContain('"value":9007199254740993,"state":"replaced"');
    expect(JSON.parse(n)).toMatchObject({ values: [{ value: null, type: 'session' }, { type: 'identify' }] });
  });

  test.each([
    ['plan:pro', ['ada', 'bob']],
    ['plan:free', []],
    ['n:true', ['bob']],
    ['wide 7:7', ['ada']],
    ['wide 7:7.0', ['ada']],
    ['wide 7:"7"', []],
    ["plan:pro' OR 1", []],
    [':1', []],
  ])('the trait %s is that of %j', async (trait, names) => {
    expect((await namesOf({ trait, limit: '1' })).toSorted()).toEqual(names);
  });

  /** The users of all pages of a search. */
  async function namesOf(query: Record<string, string>, of = project): Promise<string[]> {
    const search = new URLSearchParams(query);
    const found: string[] = [];
    for (;;) {
      const body = await bodyOf('', callOf(search.toString(), {}, of));
      const page = JSON.parse(body) as { users: { user_id: string }[]; next_cursor: string | null };
      expect(page.users.length).toBeLessThanOrEqual(Number(query['limit']));
      found.push(...page.users.map(({ user_id: id }) => id));
      if (page.next_cursor === null) return found;
      search.set('cursor', page.next_cursor);
    }
  }

  test('a prefix finds the users whose ids begin with it, in the order of bytes, page by page', async () => {
    const some = new MessageMaker();
    const names = ['ada', 'adam', 'ad%', 'ad_', 'bob', '\u{ffff}', '😀', '😀/?#'];
    const known = names.map((userId) => some.identify({ userId, traits: '{"n":1}' }));
    await new SqlProfileStore(database()).write([], [], () => fold(known.map(changeOf)));
    await insert(analytics(), known);
    const of = { ...PROJECT, id: some.projectId };

    for (const limit of ['1', '2', '50']) {
      expect(await namesOf({ prefix: 'ad', limit }, of)).toEqual(['ad%', 'ad_', 'ada', 'adam']);
      expect(await namesOf({ prefix: '😀', limit }, of)).toEqual(['😀', '😀/?#']);
      expect(await namesOf({ prefix: '', limit }, of)).toEqual(
        ['ad%', 'ad_', 'ada', 'adam', 'bob', '\u{ffff}'].concat('😀', '😀/?#'),
      );
      expect(await namesOf({ prefix: 'zoe', limit }, of)).toEqual([]);
    }
  });

  test('a page of users is one question to the database, in the order of the search', async () => {
    const crowd = new MessageMaker();
    const names = Array.from({ length: 1_000 }, (_, n) => `user ${String(n).padStart(4, '0')}`);
    const known = names.map((userId) => crowd.identify({ userId, traits: `{"is":"${userId}"}` }));
    const profiles = new SqlProfileStore(database());
    await profiles.write([], [], () => fold(known.slice(1).map(changeOf)));
    await insert(analytics(), known);
    const asked = vi.spyOn(database(), 'query');
    onTestFinished(() => asked.mockRestore());

    const call = callOf('prefix=user&limit=1000', {}, { ...PROJECT, id: crowd.projectId });
    const body = await bodyOf('', call, { ...parts, profiles });

    const page = JSON.parse(body) as { users: { user_id: string; traits: object }[]; next_cursor: string | null };
    expect(page.users.map(({ user_id: name, traits }) => [name, traits])).toEqual(
      names.slice(1).map((name) => [name, { is: name }]),
    );
    expect(page.next_cursor).toBeNull();
    expect(asked).toHaveBeenCalledOnce();
  });

  test('a stranger and a user of another project are not found', async () => {
    const other = { ...PROJECT, id: 'proj_of_others' };
    for (const call of [
      callOf('', { user_id: 'nobody', name: 'plan' }),
      callOf('', { user_id: 'ada', name: 'plan' }, other),
    ])
      for (const path of ['/:user_id/export', '/:user_id/traits/:name/history', '/:user_id/audiences'])
        expect(await answer(path, call)).toMatchObject({ refused: 'not-found' });
    expect(userKeyOf(other.id, 'ada')).not.toBe(userKey);
  });
});
