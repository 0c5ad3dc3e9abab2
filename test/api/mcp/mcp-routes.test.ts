import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { mcpClient, useTool } from '../../support/http/mcp-client.ts';
import {
  ADMIN_KEY,
  OTHER_READ_KEY,
  PROJECT,
  READ_KEY,
  ReadingServer,
  WRITE_KEY,
} from '../../support/http/reading-server.ts';

const ON_PRO = { trait: 'plan', is: 'pro' };
const LIST_TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

let reading: ReadingServer;

beforeEach(async () => {
  reading = await ReadingServer.start();
  onTestFinished(() => reading.stop());
  reading.analytics.answer = () => ({ rows: [{ count: '2', users: [] }], tookMs: 1, rowsRead: 1, bytesRead: 1 });
});

function postMessage(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${reading.url}/mcp`, {
    method: 'POST',
    headers: { api_key: READ_KEY, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

function callOf(name: string, given: object): object {
  return { ...LIST_TOOLS, method: 'tools/call', params: { name, arguments: given } };
}

describe('the protocol', () => {
  test.each([
    ['auto', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ] as const)('the public client lists and uses tools (%s, %s)', async (mode, revision) => {
    const client = await mcpClient(reading.url, READ_KEY, mode);

    const { tools } = await client.listTools();
    const { value, text } = await useTool(client, 'previewAudience', { definition: ON_PRO });

    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getServerVersion()).toMatchObject({ name: 'tidemark' });
    expect(client.getInstructions()).toContain('listCatalogEvents');
    expect(tools.map(({ name }) => name)).toContain('countEvents');
    expect(value.answer).toMatchObject({ count: 2 });
    expect(value.question).toEqual({ definition: ON_PRO, description: 'whose "plan" is "pro"' });
    expect(JSON.parse(text)).toEqual(value);
  });

  test('a message is answered without a session, with JSON whatever is accepted, and a notification with 202', async () => {
    const response = await postMessage(LIST_TOOLS, { accept: '*/*' });

    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('mcp-session-id')).toBeNull();
    expect(((await response.json()) as { result: { tools: object[] } }).result.tools).toHaveLength(19);
    expect((await postMessage({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
  });

  test('several messages in one body, and what is no message, are refused', async () => {
    expect((await postMessage([LIST_TOOLS, LIST_TOOLS])).status).toBe(400);
    expect((await postMessage({ ...LIST_TOOLS, jsonrpc: '1.0' })).status).toBe(400);
    expect((await fetch(`${reading.url}/mcp`, { headers: { api_key: READ_KEY } })).status).toBe(405);
  });

  test('a tool that is not there is an error of the protocol', async () => {
    const response = await postMessage(callOf('deleteProject', {}));

    expect(await response.json()).toMatchObject({ error: { code: -32602, message: 'There is no such tool.' } });
  });
});

describe('who may ask', () => {
  test('a write key and no key are refused 401, by the public client too', async () => {
    expect((await postMessage(LIST_TOOLS, { api_key: WRITE_KEY })).status).toBe(401);
    expect((await postMessage(LIST_TOOLS, { api_key: '' })).status).toBe(401);
    await expect(mcpClient(reading.url, WRITE_KEY)).rejects.toThrow('401');
  });

  test('a key answers of its own project, and an admin key of the one that the address names', async () => {
    await reading.addAudience('aud_00000000000000000001', { name: 'Ours' });
    const named = async (key: string, path = '') => {
      const headers = { api_key: key, 'content-type': 'application/json' };
      const body = JSON.stringify(callOf('listAudiences', {}));
      return (await fetch(`${reading.url}/mcp${path}`, { method: 'POST', headers, body })).text();
    };

    expect(await named(READ_KEY)).toContain('Ours');
    expect(await named(OTHER_READ_KEY)).not.toContain('Ours');
    expect(await named(ADMIN_KEY, `?project=${PROJECT.id}`)).toContain('Ours');
  });

  test('a page of another origin is refused, and one of this service is not', async () => {
    expect((await postMessage(LIST_TOOLS, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await postMessage(LIST_TOOLS, { origin: reading.url })).status).toBe(200);
  });
});

describe('limits', () => {
  test('a message counts as a request of its project', async () => {
    const key = reading.addLimitedKey('read', 0.001);

    expect((await postMessage(LIST_TOOLS, { api_key: key })).status).toBe(200);
    expect((await postMessage(LIST_TOOLS, { api_key: key })).status).toBe(429);
  });

  test('tools and requests of one project have half of the permits for questions together', async () => {
    const client = await mcpClient(reading.url, READ_KEY);
    const other = await mcpClient(reading.url, OTHER_READ_KEY);
    const answered = Promise.withResolvers<void>();
    reading.analytics.gate = answered.promise;
    const waiting = Array.from({ length: 32 }, () => useTool(client, 'previewAudience', { definition: ON_PRO }));
    await eventually(() => expect(reading.http.openRequests).toBe(32));

    const overloaded = await useTool(client, 'countEvents', { measure: 'count' });
    const body = JSON.stringify({ definition: ON_PRO });
    const beside = await reading.request('/v1/audiences/preview', { method: 'POST', body }, READ_KEY);

    expect(overloaded).toMatchObject({ isError: true, text: expect.stringContaining('"code":"overloaded"') as string });
    expect(beside.status).toBe(429);
    reading.analytics.gate = undefined;
    expect(await useTool(other, 'previewAudience', { definition: ON_PRO })).toMatchObject({ isError: false });
    answered.resolve();
    expect((await Promise.all(waiting)).filter(({ isError }) => isError)).toEqual([]);
    expect(await useTool(client, 'previewAudience', { definition: ON_PRO })).toMatchObject({ isError: false });
  });
});

describe('what a tool answers', () => {
  test('what is wrong with arguments is said with its place, as by the operation', async () => {
    const client = await mcpClient(reading.url, READ_KEY);

    const { isError, text } = await useTool(client, 'previewAudience', { definition: { trait: 'plan', iz: 'pro' } });

    expect(isError).toBe(true);
    expect(JSON.parse(text)).toMatchObject({
      code: 'invalid-body',
      errors: [{ path: '/definition/iz' }, { path: '/definition' }],
    });
  });

  test('a store that cannot be reached is said, and the next question is answered', async () => {
    const client = await mcpClient(reading.url, READ_KEY);
    reading.analytics.unreachable = true;
    const unreachable = await useTool(client, 'previewAudience', { definition: ON_PRO });
    reading.analytics.unreachable = false;

    expect(unreachable).toMatchObject({ isError: true, text: expect.stringContaining('STORE_UNAVAILABLE') as string });
    expect(await useTool(client, 'previewAudience', { definition: ON_PRO })).toMatchObject({ isError: false });
  });

  test('questions about saved audiences, events and users say what was counted', async () => {
    await reading.addAudience('aud_00000000000000000001');
    reading.analytics.answer = () => ({ rows: [], tookMs: 1, rowsRead: 1, bytesRead: 1 });
    const client = await mcpClient(reading.url, READ_KEY);
    const questionOf = async (name: string, given: Record<string, unknown>) => {
      const { value, text } = await useTool(client, name, given);
      return value?.question ?? text;
    };
    const events = { event: 'Signed In', within: { last: '7d' } };

    expect(await questionOf('queryEvents', events)).toEqual({
      definition: events,
      description: 'the times that users did "Signed In" in the last 7 days',
    });
    expect(await questionOf('queryUsers', { users: ON_PRO })).toMatchObject({ description: 'whose "plan" is "pro"' });
    expect(await questionOf('explainSavedAudience', { id: 'aud_00000000000000000001' })).toEqual({
      definition: { trait: 'tier', is: 'gold' },
      description: 'whose "tier" is "gold"',
    });
  });

  test('the digits of a definition reach the question', async () => {
    const sent: unknown[] = [];
    reading.analytics.answer = ({ params }) => {
      sent.push(...Object.values(params));
      return { rows: [{ count: '0', users: [] }], tookMs: 1, rowsRead: 1, bytesRead: 1 };
    };
    const body = '{"trait":"n","is":1234567890123456789}';
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"previewAudience","arguments":{"definition":${body}}}}`;
    const response = await reading.request('/mcp', { method: 'POST', body: message }, READ_KEY);

    expect(await response.text()).toContain(`"definition":${body}`);
    expect(sent.map(String)).toContain('1234567890123456789');
  });
});
