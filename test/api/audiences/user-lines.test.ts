import { afterEach, beforeEach, expect, test } from 'vitest';
import { operation } from '../../../schemas/operations.ts';
import { linesTogether } from '../../../services/cli/client/ask.ts';
import { ServiceClient } from '../../../services/cli/client/service-client.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { PROJECT, READ_KEY, ReadingServer } from '../../support/http/reading-server.ts';

const AUDIENCE = 'aud_00000000000000000001';
const NOBODYS_KEY = 'f'.repeat(64);

let api: ReadingServer;

beforeEach(async () => {
  api = await ReadingServer.start();
  await api.addAudience(AUDIENCE);
});

afterEach(() => api.stop());

async function memberWith(userId: string, traits: string): Promise<object> {
  const { userKey } = await api.addProfile(userId, { traits });
  return { user_id: userId, anonymous_id: null, internal_id: userKey };
}

async function ask(path: string, init: RequestInit = {}) {
  const headers = { api_key: READ_KEY, 'content-type': 'application/json' };
  const response = await fetch(`${api.url}/v1/audiences/${path}`, { ...init, headers });
  const [type = null, ...kept] = ['content-type', 'content-disposition', 'x-content-type-options'].map((name) =>
    response.headers.get(name),
  );
  return { status: response.status, type, asFile: kept, text: await response.text() };
}

const members = (query: string) => ask(`${AUDIENCE}/members?${query}`);

test('members have the traits that were asked for, every digit of theirs, in the same stream', async () => {
  const ada = await memberWith('ada', '{"email":"a@b.c","n":9007199254740993,"a.b":true,"more":[1]}');
  const stranger = { user_id: 'new', anonymous_id: null, internal_id: NOBODYS_KEY };
  api.analytics.lines = [ada, stranger];

  const { text } = await members('traits=n,a%5C.b,plan');
  const all = await members('traits=*');

  const line = (user: object, traits: string): string => `${JSON.stringify(user).slice(0, -1)},"traits":${traits}}`;
  const end = '{"next_cursor":null}\n';
  expect(text.split('\n')).toEqual([
    line(ada, '{"n":9007199254740993,"a\\\\.b":true,"plan":null}'),
    line(stranger, '{"n":null,"a\\\\.b":null,"plan":null}'),
    ...end.split('\n'),
  ]);
  expect(all.text).toBe(
    `${line(ada, '{"n": 9007199254740993, "a.b": true, "more": [1], "email": "a@b.c"}')}\n${line(stranger, '{}')}\n${end}`,
  );
});

test('members as CSV have a column each trait, without a formula and without a last line', async () => {
  const ada = await memberWith('=ada', '{"email":"a,\\"b\\"\\nc","score":-1.5,"list":[1,"x"],"on":false,"nick":"@me"}');
  api.analytics.lines = [ada];
  const key = userKeyOf(PROJECT.id, '=ada');

  const { type, asFile, text } = await members('traits=email,score,list,on,nick,gone&format=csv');
  const ids = await members('format=csv');
  api.analytics.lines = [];
  const none = await members('format=csv&traits=*');

  expect([type, ...asFile]).toEqual(['text/csv; charset=utf-8', 'attachment', 'nosniff']);
  expect(text).toBe(
    'user_id,anonymous_id,internal_id,email,score,list,on,nick,gone\n' +
      `'=ada,,${key},"a,""b""\nc",-1.5,"[1, ""x""]",false,'@me,\n`,
  );
  expect(ids.text).toBe(`user_id,anonymous_id,internal_id\n'=ada,,${key}\n`);
  expect(none.text).toBe('user_id,anonymous_id,internal_id,traits\n');
});

test('the changes of an audience have traits as its members do, and as CSV what became of the user', async () => {
  const change = {
    ...(await memberWith('ada', '{"plan":"pro"}')),
    change: 'entered',
    at: '1970-01-01T00:00:00.000009Z',
  };
  api.analytics.settled = 9n;
  api.analytics.lines = [{ ...change, version: 1, cause: 'refresh' }];

  const { text } = await ask(`${AUDIENCE}/changes?traits=plan`);
  const csv = await ask(`${AUDIENCE}/changes?traits=plan&format=csv`);

  expect(JSON.parse(text.split('\n')[0] ?? '')).toEqual({
    ...change,
    version: 1,
    cause: 'refresh',
    traits: { plan: 'pro' },
  });
  expect(csv.asFile).toEqual(['attachment', 'nosniff']);
  expect(csv.text).toBe(
    'user_id,anonymous_id,internal_id,change,at,version,cause,person,plan\n' +
      `ada,,${userKeyOf(PROJECT.id, 'ada')},entered,1970-01-01T00:00:00.000009Z,1,refresh,,pro\n`,
  );
});

test('a page of members with wide traits has its limit, all of them, and the cursor of the next', async () => {
  const wide = JSON.stringify({ bio: 'x'.repeat(3_000_000) });
  const users: object[] = [];
  for (const userId of ['ada', 'bob', 'cyd', 'dan']) users.push(await memberWith(userId, wide));
  api.analytics.lines = users;

  const { text } = await members('traits=bio&limit=4');

  const lines = text.trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>); // prettier-ignore
  expect(lines.slice(0, 4).map(({ user_id: id }) => id)).toEqual(['ada', 'bob', 'cyd', 'dan']);
  expect(lines[4]?.['next_cursor']).toEqual(expect.any(String));
});

test('the sample of a preview has traits as the members have', async () => {
  await memberWith('ada', '{"plan":"pro","n":9007199254740993}');
  api.analytics.answer = ({ sql }) => {
    const ada = { user_number: '5', user_id: 'ada', anonymous_id: '', internal_id: userKeyOf(PROJECT.id, 'ada') };
    const rows = sql.includes('AS user_number') ? [{ ...ada, first: '0', last: '0' }] : [{ count: '1', users: ['5'] }];
    return { rows, tookMs: 1, rowsRead: 1, bytesRead: 1 };
  };
  const body = JSON.stringify({ definition: { trait: 'tier', is: 'gold' }, traits: 'n,plan' });

  const unsaved = await ask('preview', { method: 'POST', body });
  const saved = await ask(`${AUDIENCE}/preview?traits=*`);

  expect(unsaved.text).toContain('"traits":{"n":9007199254740993,"plan":"pro"}}]');
  expect(saved.text).toContain('"traits":{"n": 9007199254740993, "plan": "pro"}}]');
});

test.each(['', ',', 'a,a', 'a..b', Array.from({ length: 51 }, (_, index) => `t${index}`).join()])(
  'the traits %j are a bad request that names the parameter',
  async (traits) => {
    const { status, text } = await members(`traits=${traits}`);

    expect([status, text]).toEqual([400, expect.stringContaining('traits ')]);
  },
);

test('members whose profiles cannot be reached are refused and not cut, and the stream of analytics is ended', async () => {
  api.analytics.lines = [await memberWith('ada', '{}')];
  api.database.unreachable = /profiles/;

  const { status } = await members('traits=email');

  expect(status).toBe(503);
  expect(api.analytics.ended).toBe(1);
  expect((await members('')).status).toBe(200);
});

test('a failure on the way cuts the CSV, so that half of it is not taken for the whole', async () => {
  const ada = await memberWith('ada', '{}');
  api.analytics.lines = [...Array.from({ length: 1_000 }, () => ada), new Error('as ordered')];

  const client = new ServiceClient({ url: api.url, key: READ_KEY }, undefined);
  const lines: string[] = [];
  const command = async (): Promise<void> => {
    const request = operation('GET /v1/audiences/{id}/members', { path: { id: AUDIENCE }, query: { format: 'csv' } });
    for await (const some of linesTogether(client, request, {})) lines.push(...some);
  };

  await expect(members('format=csv')).rejects.toThrow();
  await expect(command()).rejects.toMatchObject({ code: 'CONTROL_LOST' });
});
