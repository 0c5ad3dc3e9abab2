import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../support/service/program.ts';
import { readersPassed } from '../support/service/readers-passed.ts';
import { READ_KEY, ServiceProcess, WRITE_KEY } from '../support/service/service.ts';

let folder: string;
let service: ServiceProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-flow-'));
  service = await ServiceProcess.start(folder, { LOG_LEVEL: 'debug' });
});

afterAll(async () => {
  await service?.stop('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

interface Accepted {
  readonly receipt: string;
  readonly message_ids: string[];
}

async function post<T = Accepted>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<T> {
  const response = await service.request(path, body, headers);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

async function read<T>(path: string): Promise<T> {
  const response = await service.request(path);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

async function caughtUp(receipt: string): Promise<void> {
  await readersPassed(service, receipt);
}

async function preview(definition: unknown): Promise<{ count: number; sample: string[] }> {
  return post('/v1/audiences/preview', { definition, sample: 10 });
}

describe('what is posted can be read back', () => {
  test('a profile has what was posted: newer traits win, null deletes, digits stay', async () => {
    const traits = '{"plan":"pro","big":9007199254740993,"gone":1,"nested":{"a":[1,null]}}';
    const body = `{"user_id":"ada/1","traits":${traits},"timestamp":"2026-01-02T00:00:00Z"}`;
    const sent = await fetch(`${service.url}/v1/identify`, {
      method: 'POST',
      headers: { api_key: WRITE_KEY, 'content-type': 'application/json' },
      body,
    });
    const older = { plan: 'free', since: 2020 };
    await post('/v1/identify', { user_id: 'ada/1', traits: older, timestamp: '2026-01-01T00:00:00Z' });
    const last = await post('/v1/identify', { user_id: 'ada/1', traits: { gone: null } });
    await caughtUp(last.receipt);

    const profile = await (await service.request('/v1/users/ada%2F1')).text();

    expect(sent.status).toBe(200);
    expect(profile).toContain('9007199254740993');
    expect(JSON.parse(profile)).toMatchObject({
      user_id: 'ada/1',
      anonymous: null,
      first_seen: '2026-01-01T00:00:00.000000Z',
      traits: { plan: 'pro', since: 2020, nested: { a: [1, null] } },
    });
    expect(profile).not.toContain('gone');
  });

  test('events are read newest first', async () => {
    const batch = [3, 1, 2].map((day) => ({
      type: 'track',
      user_id: 'grace',
      event: 'Signed In',
      properties: { day },
      timestamp: `2026-02-0${day}T08:00:00+01:00`,
    }));
    const { receipt, message_ids } = await post('/v1/batch', { batch });
    await caughtUp(receipt);

    const first = await read<{ events: object[]; next_cursor: string }>('/v1/users/grace/events?limit=2');
    const second = await read<{ events: object[]; next_cursor: null }>(
      `/v1/users/grace/events?limit=2&cursor=${first.next_cursor}`,
    );

    expect(first.events).toMatchObject([
      { message_id: message_ids[0], event: 'Signed In', timestamp: '2026-02-03T07:00:00.000000Z' },
      { message_id: message_ids[2], properties: { day: 2 }, session_id: null },
    ]);
    expect(second).toMatchObject({ events: [{ message_id: message_ids[1] }], next_cursor: null });
  });

  test('an anonymous id is read with the user id it was sent beside: they are one person', async () => {
    const timestamp = '2026-03-01T00:00:00Z';
    await post('/v1/track', { anonymousId: 'cookie-1', userId: null, event: 'Landed', timestamp });
    await post('/v1/track', { anonymousId: 'cookie-1', userId: 'hedy', event: 'Signed Up', messageId: 'both' });
    const { receipt } = await post('/v1/identify', { anonymousId: 'cookie-2', userId: 'hedy', traits: { a: 1 } });
    await caughtUp(receipt);

    const listed = await read<{ users: { internal_id: string }[] }>('/v1/users?anonymous_id=cookie-1');
    const internalId = listed.users[0]?.internal_id ?? '';

    expect(listed).toMatchObject({
      users: [
        {
          user_id: 'hedy',
          anonymous_ids: ['cookie-2', 'cookie-1'],
          joined_ids: [{ anonymous_id: 'cookie-1' }, { anonymous_id: 'cookie-2' }],
          traits: { a: 1 },
          first_seen: '2026-03-01T00:00:00.000000Z',
        },
      ],
      next_cursor: null,
    });
    const events = [
      { event: 'Signed Up', message_id: 'both', anonymous_id: 'cookie-1' },
      { event: 'Landed', anonymous_id: 'cookie-1' },
    ];
    for (const query of ['anonymous_id=cookie-1', `internal_id=${internalId}`])
      expect(await read(`/v1/events?${query}`)).toMatchObject({ events });
    expect(await read('/v1/users/hedy/events')).toMatchObject({ events });
  });

  test('the two-step interface writes to the same user', async () => {
    const made = await post<{ success: number; result: { user_id: string; session_id: string } }>(
      '/legacy/project-user',
      { user_id: 'alan', anonymous: false, custom_parameters: { plan: 'team' } },
      { service_key: WRITE_KEY },
    );
    const { user_id, session_id } = made.result;
    const event = { name: 'Opened', parameters: { page: 7 } };
    const added = await post<{ result: { insertedEvent: { insertedId: string }; receipt: string } }>(
      '/legacy/add-event',
      { user_id, session_id, event },
      { service_key: WRITE_KEY },
    );
    await caughtUp(added.result.receipt);

    const profile = await read('/v1/users/alan');
    const { events } = await read<{ events: object[] }>('/v1/users/alan/events');

    expect(profile).toMatchObject({ internal_id: user_id, anonymous: false, traits: { plan: 'team' } });
    expect(events).toMatchObject([
      { message_id: added.result.insertedEvent.insertedId, event: 'Opened', session_id, properties: { page: 7 } },
    ]);
  });

  test('an audience of traits and events counts what was posted', async () => {
    const people = ['a', 'b', 'c'].map((name, index) => ({
      type: 'identify',
      user_id: `buyer ${name}`,
      traits: { tier: index === 2 ? 'silver' : 'gold' },
    }));
    const orders = [50, 150, 250].flatMap((total, index) => [
      { type: 'track', user_id: `buyer ${'abc'[index]}`, event: 'Bought', properties: { total } },
    ]);
    const { receipt } = await post('/v1/batch', { batch: [...people, ...orders] });
    await caughtUp(receipt);
    const big = { event: 'Bought', where: [{ property: 'total', gt: 100 }], within: { last: '1d' } };
    const gold = { trait: 'tier', is: 'gold' };

    expect(await preview(big)).toMatchObject({ count: 2 });
    expect(await preview({ all: [big, gold] })).toMatchObject({ count: 1, sample: ['buyer b'] });
    expect((await preview({ any: [{ all: [big, gold] }, { trait: 'tier', is: 'silver' }] })).sample.sort()).toEqual([
      'buyer b',
      'buyer c',
    ]);
    expect(await preview({ all: [gold, { not: big }] })).toMatchObject({ count: 1, sample: ['buyer a'] });
  });
});

describe('projects made by the command line while the service runs', () => {
  async function tidemark(...args: string[]): Promise<string> {
    const { code, stdout } = await runProgram(['services/cli/tidemark.ts', ...args], { DATA_DIR: folder });
    expect(code).toBe(0);
    return stdout.trim();
  }

  test('projects see only what is theirs, and a key works from the moment it is made until it is revoked', async () => {
    const { id } = JSON.parse(await tidemark('project', 'create', 'Second', '--json')) as { id: string };
    const write = await tidemark('key', 'create', id, '--scope', 'write');
    const read = await tidemark('key', 'create', id, '--scope', 'read');
    const first = await post('/v1/identify', { user_id: 'shared name', traits: { of: 'first' } });
    const second = await post('/v1/identify', { user_id: 'shared name', traits: { of: 'second' } }, { api_key: write });
    await caughtUp(first.receipt);
    const foreign = await service.request(`/v1/receipts/${second.receipt}?wait=10`);
    await service.request(`/v1/receipts/${second.receipt}?wait=10`, undefined, { api_key: read });

    const mine = await service.request('/v1/users/shared%20name', undefined, { api_key: read });
    const theirs = await service.request('/v1/users/shared%20name');

    expect(foreign.status).toBe(404);
    expect(await mine.json()).toMatchObject({ traits: { of: 'second' } });
    expect(await theirs.json()).toMatchObject({ traits: { of: 'first' } });

    const listening = await fetch(`${service.url}/v1/events/live`, { headers: { api_key: read } });
    const { keys } = JSON.parse(await tidemark('key', 'list', id, '--json')) as {
      keys: { id: string; scope: string }[];
    };
    await tidemark('key', 'revoke', keys.find(({ scope }) => scope === 'read')?.id ?? '');
    const status = async (): Promise<number> =>
      (await service.request('/v1/users/shared%20name', undefined, { api_key: read })).status;
    await expect.poll(status, { timeout: 20_000, interval: 250 }).toBe(401);
    expect(await listening.text()).toMatch(/event: end\ndata: .*unauthorized.*\n\n$/);
  });
});

test('a log at debug has a line for each request and no key, user, event or trait', () => {
  const lines = service.output.join('\n');

  expect(lines).toContain('"route":"/v1/users/:user_id/events"');
  for (const secret of [WRITE_KEY, READ_KEY, 'grace', 'Signed In', 'silver', 'tm_w_'])
    expect(lines).not.toContain(secret);
});

test(
  'it stops in the middle of everything, cleanly, and starts again with all it had',
  { timeout: 180_000 },
  async () => {
    const batch = Array.from({ length: 500 }, (_, n) => ({
      type: 'track',
      user_id: `u${n}`,
      event: 'Ran',
      properties: { n },
    }));
    const accepted = await Promise.all(Array.from({ length: 20 }, () => post('/v1/batch', { batch })));
    const heavy = service
      .request('/v1/audiences/preview', { definition: { event: 'Ran', count: { at_least: 20 } } })
      .catch(() => undefined);

    const code = await service.stop('SIGTERM');

    await heavy;
    expect(code).toBe(0);
    service = await ServiceProcess.start(folder);
    for (const { receipt } of accepted) await caughtUp(receipt);
    expect(await preview({ event: 'Ran', count: { at_least: 20, at_most: 20 } })).toMatchObject({ count: 500 });
  },
);
