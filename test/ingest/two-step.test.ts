import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isSessionOf, newSessionId } from '../../services/ingest/record-encoder.ts';
import { userKeyOf } from '../../services/messages/user-key.ts';
import { IngestServer, OTHER_KEY, OTHER_PROJECT, PROJECT, projectNamed } from '../support/http/ingest-server.ts';
import { readReceipt } from '../support/http/receipts.ts';

const USER = { user_id: 'jane', anonymous: false };

interface Pair {
  readonly user_id: string;
  readonly session_id: string;
}

let server: IngestServer;

beforeAll(async () => {
  server = await IngestServer.start();
});
beforeEach(() => {
  server.faulty.records.length = 0;
});
afterAll(() => server.stop());

async function getUser(body: object = USER, headers: Record<string, string> = {}): Promise<Pair> {
  const { json } = await server.post('/legacy/project-user', body, headers);
  return { user_id: json.result.user_id, session_id: json.result.session_id };
}

const addEvent = (pair: object, headers: Record<string, string> = {}) =>
  server.post('/legacy/add-event', { event: { name: 'e' }, ...pair }, headers);

describe.each(['project-user', 'create-project-user'])('%s', (segment) => {
  test('answers with the internal id and a session, and records both with the traits', async () => {
    const body = { ...USER, anonymous: true, custom_parameters: { plan: 'pro', old: null } };

    const { status, json } = await server.post(`/legacy/${segment}`, body);

    const [message] = server.messages();
    expect(status).toBe(200);
    expect(json).toEqual({
      success: 200,
      message: expect.any(String),
      result: { user_id: userKeyOf(PROJECT.id, 'jane'), session_id: expect.any(String), receipt: expect.any(String) },
    });
    expect(message).toMatchObject({
      type: 'session',
      projectId: PROJECT.id,
      userId: 'jane',
      userKey: json.result.user_id,
      sessionId: json.result.session_id,
      anonymous: true,
      traits: '{"plan":"pro","old":null}',
      source: 'project-user',
    });
    expect(readReceipt(json.result.receipt, PROJECT).places).toMatchObject([{ topic: 'tidemark.session' }]);
  });
});

describe('project-user', () => {
  test('gives the same user the same id and a new session at every call', async () => {
    const pairs = [await getUser(), await getUser(), await getUser()];
    expect(new Set(pairs.map(({ user_id }) => user_id)).size).toBe(1);
    expect(new Set(pairs.map(({ session_id }) => session_id)).size).toBe(3);
  });

  test.each([
    [{ anonymous: false }],
    [{ user_id: 'u' }],
    [{ user_id: 'u', anonymous: 'no' }],
    [{ user_id: 1, anonymous: false }],
    [{ user_id: 'u'.repeat(513), anonymous: false }],
    [{ ...USER, custom_parameters: null }],
    [{ ...USER, custom_parameters: [] }],
  ])('with %o is 400', async (body) => {
    const { status, json } = await server.post('/legacy/project-user', body);
    expect([status, json]).toEqual([400, { success: 400, message: expect.any(String) }]);
  });
});

describe('add-event', () => {
  test('records a track of that user and session, and answers with its id', async () => {
    const pair = await getUser();

    const event = { name: 'Bought', parameters: { total: 5 } };
    const { status, json } = await server.post('/legacy/add-event', { ...pair, event });

    const message = server.messages()[1];
    expect(status).toBe(200);
    expect(json).toEqual({
      success: 200,
      message: expect.any(String),
      result: { insertedEvent: { insertedId: message?.messageId }, receipt: expect.any(String) },
    });
    expect(message).toMatchObject({
      type: 'track',
      userKey: pair.user_id,
      userId: null,
      sessionId: pair.session_id,
      event: 'Bought',
      properties: '{"total":5}',
      source: 'add-event',
    });
  });

  test('takes a pair again and again, from any process', async () => {
    const pair = await getUser();
    const other = await IngestServer.start();

    const replies = [
      await addEvent(pair),
      await addEvent(pair),
      await other.post('/legacy/add-event', { ...pair, event: { name: 'e' } }),
    ];
    await other.stop();

    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('refuses a pair that does not belong together, or to this project', async () => {
    const jane = await getUser();
    const john = await getUser({ user_id: 'john', anonymous: false });
    const other = await getUser(USER, { api_key: OTHER_KEY });
    server.faulty.records.length = 0;

    const replies = [
      await addEvent({ user_id: jane.user_id, session_id: john.session_id }),
      await addEvent({ user_id: jane.user_id, session_id: other.session_id }),
      await addEvent(other),
      await addEvent(jane, { api_key: OTHER_KEY }),
      await addEvent({ ...jane, session_id: 'made-up' }),
      await addEvent({ ...jane, session_id: `${jane.session_id}A` }),
      await addEvent({ ...jane, user_id: 'jane' }),
      await addEvent({ ...jane, user_id: jane.user_id.toUpperCase() }),
      await addEvent({ user_id: jane.user_id }),
    ];

    expect(replies.map(({ status, json }) => [status, json.success])).toEqual(
      Array.from({ length: 9 }, () => [400, 400]),
    );
    expect(server.faulty.records).toEqual([]);
  });

  test.each([
    [{ event: {} }],
    [{ event: { name: '' } }],
    [{ event: 'e' }],
    [{ event: { name: 'e', parameters: null } }],
  ])('with %o is 400', async (body) => {
    expect((await addEvent({ ...(await getUser()), ...body })).status).toBe(400);
  });

  test('is named by message_id or Idempotency-Key', async () => {
    const pair = await getUser();
    const idOf = async (body: object, headers = {}): Promise<string> =>
      (await addEvent({ ...pair, ...body }, headers)).json.result.insertedEvent.insertedId;

    expect(await idOf({ message_id: 'mine' })).toBe('mine');
    expect(await idOf({}, { 'idempotency-key': 'k' })).toBe(await idOf({}, { 'idempotency-key': 'k' }));
  });

  test('while the log is unreachable is 503 with the id to send it again under', async () => {
    const pair = await getUser();
    server.faulty.unreachable = true;
    const { json } = await addEvent({ ...pair, message_id: 'mine' });
    server.faulty.unreachable = false;
    expect(json).toEqual({ success: 503, message: expect.any(String), message_ids: ['mine'] });
  });
});

describe('a session id', () => {
  const userKey = userKeyOf(PROJECT.id, 'jane');

  test('changed in any character is not valid', () => {
    const id = newSessionId(PROJECT, userKey);
    expect(isSessionOf(PROJECT, userKey, id)).toBe(true);
    for (let i = 0; i < id.length; i++) {
      const changed = id.slice(0, i) + (id[i] === 'A' ? 'B' : 'A') + id.slice(i + 1);
      expect(isSessionOf(PROJECT, userKey, changed)).toBe(false);
    }
  });

  test('is bound to the project, not to its secret alone', () => {
    const id = newSessionId(PROJECT, userKey);
    const sameSecret = projectNamed(OTHER_PROJECT.id, { sessionSecret: PROJECT.sessionSecret });
    const newSecret = { ...PROJECT, sessionSecret: Buffer.alloc(32, 'new') };
    expect([isSessionOf(sameSecret, userKey, id), isSessionOf(newSecret, userKey, id)]).toEqual([false, false]);
  });
});
