/** Bodies that the log encodes: whoever calls must not be able to tell. */
import { Writable } from 'node:stream';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { RecordEncoder } from '../../services/event-log/event-log.ts';
import { IngestClock } from '../../services/ingest/ingest-clock.ts';
import { encoderModuleOf } from '../../services/ingest/offload.ts';
import type { Message } from '../../services/messages/message.ts';
import { TidemarkError } from '../../services/runtime/errors.ts';
import { createLogger } from '../../services/runtime/logger.ts';
import { eventually } from '../support/eventually.ts';
import { IngestServer, type IngestServerOptions, type Reply } from '../support/http/ingest-server.ts';

const TRACK = { user_id: 'u', event: 'e' };
const BATCH = {
  batch: [
    { type: 'track', ...TRACK },
    { type: 'identify', user_id: 'u', traits: { a: 1 } },
  ],
};

async function start(options: IngestServerOptions = {}): Promise<IngestServer> {
  const server = await IngestServer.start({ offload: true, ...options });
  onTestFinished(() => server.stop());
  return server;
}

/** Batches enough at once that some are offloaded; none of them is answered before all have come. */
async function postBatches(server: IngestServer, count: number, body: unknown = BATCH): Promise<Reply[]> {
  server.faulty.hold();
  const replies = Array.from({ length: count }, () => server.post('/v1/batch', body));
  await eventually(() => expect(server.faulty.waiting).toBe(count));
  server.faulty.release();
  return Promise.all(replies);
}

describe('an offloaded body', () => {
  let here: IngestServer;
  let there: IngestServer;
  beforeAll(async () => {
    here = await IngestServer.start();
    there = await IngestServer.start({ offload: true });
  });
  afterAll(() => Promise.all([here.stop(), there.stop()]));

  const user = fc.record({ user_id: fc.string({ maxLength: 8 }) }, { requiredKeys: [] });
  const named = fc.record(
    {
      message_id: fc.constantFrom('given', '', 7),
      timestamp: fc.constantFrom('2026-01-02T03:04:05', '2026-03-29T02:30:00', 'soon', '2199-01-01T00:00:00Z'),
    },
    { requiredKeys: [] },
  );
  const event = fc.record({ event: fc.constantFrom('Bought', '', 'x'.repeat(300)), properties: fc.object() });
  const traits = fc.record({ traits: fc.oneof(fc.object(), fc.constantFrom(null, [])) }, { requiredKeys: [] });
  const track = fc.tuple(user, named, event).map(([a, b, c]) => ({ ...a, ...b, ...c }));
  const identify = fc.tuple(user, named, traits).map(([a, b, c]) => ({ ...a, ...b, ...c }));
  const text = fc.oneof(fc.constantFrom('', '{', '{"user_id":"u","event":"e","properties":{"n":1e400}}'), fc.json());
  const request = fc.oneof(
    fc.tuple(fc.constant('/v1/track'), fc.oneof({ weight: 4, arbitrary: track }, { weight: 1, arbitrary: text })),
    fc.tuple(fc.constant('/v1/identify'), fc.oneof({ weight: 4, arbitrary: identify }, { weight: 1, arbitrary: text })),
  );

  test('is answered and recorded as one that the thread that answers makes', { timeout: 60_000 }, async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(request, async ([path, body]) => {
        const [first, second] = [await seenOf(here, path, body), await seenOf(there, path, body)];
        expect(second).toEqual(first);
        if (first.status === 200) accepted++;
      }),
      { numRuns: 800 },
    );
    expect(accepted).toBeGreaterThan(30);
    expect(there.faulty.encoded).toBe(accepted);
    expect(here.faulty.encoded).toBe(0);
  });
});

/** All that a caller or a reader can see, without what is another's each time. */
async function seenOf(server: IngestServer, path: string, body: unknown): Promise<Record<string, unknown>> {
  server.faulty.records.length = 0;
  const { status, json } = await server.post(path, body);
  const messages = server.messages().map((message) => ({
    ...message,
    messageId: message.messageIdGiven ? message.messageId : 'new',
    timestamp: message.timestamp === message.receivedAt ? 'on arrival' : message.timestamp,
    receivedAt: 'now',
    version: message.version.length,
  }));
  const named = status === 200 ? { id: json.message_id === server.messages()[0]?.messageId } : { json };
  return { status, ...named, messages };
}

test('some batches are offloaded, and their messages are told apart and keep their order', async () => {
  const server = await start();
  const three = { batch: [{ type: 'track', ...TRACK }, ...BATCH.batch] };

  const replies = await postBatches(server, 16, three);
  await postBatches(server, 16, three);

  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  expect(server.faulty.encoded).toBeGreaterThan(4);
  expect(server.faulty.encoded).toBeLessThan(24);
  const messages = server.messages();
  const distinct = (of: (message: Message) => unknown): number => new Set(messages.map(of)).size;
  expect(messages).toHaveLength(32 * 3);
  expect([distinct(({ messageId }) => messageId), distinct(({ version }) => version)]).toEqual([96, 96]);
  expect(messages.map(({ messageId }) => messageId)).toEqual(
    expect.arrayContaining(replies.flatMap(({ json }) => json.message_ids)),
  );
  for (let i = 0; i < messages.length; i += 3) {
    const [first, second, third] = messages.slice(i, i + 3).map(({ version }) => version);
    expect([first! < second!, second! < third!]).toEqual([true, true]);
  }
  const { text } = await server.get('/metrics');
  expect(text).toMatch(/messages_accepted_total{topic="tidemark.track"} 64$/m);
  expect(text).toMatch(/messages_accepted_total{topic="tidemark.identify"} 32$/m);
});

test('few batches at once are not offloaded', async () => {
  const server = await start();

  for (let i = 0; i < 20; i++) await postBatches(server, 3);

  expect(server.faulty.encoded).toBe(0);
});

test('with an Idempotency-Key a message has the same id again, offloaded or not', async () => {
  const [here, there] = [await start({ offload: false }), await start()];

  const replies = [here, there, there].map((server) => server.post('/v1/track', TRACK, { 'idempotency-key': 'kéy' }));

  const ids = (await Promise.all(replies)).map(({ json }) => json.message_id);
  expect(new Set(ids).size).toBe(1);
  expect(there.messages().map(({ messageIdGiven }) => messageIdGiven)).toEqual([true, true]);
  expect(there.faulty.encoded).toBe(2);
});

test('of a lenient batch the problems and the ids are in place, offloaded or not', async () => {
  const server = await start();
  const mixed = { batch: [{ type: 'track', ...TRACK }, { type: 'track' }, { type: 'track', ...TRACK }] };
  server.faulty.hold();
  const posts = Array.from({ length: 16 }, () =>
    server.post('/v1/batch', mixed, { prefer: 'handling=lenient', 'idempotency-key': 'k' }),
  );
  await eventually(() => expect(server.faulty.waiting).toBe(16));
  server.faulty.release();

  const replies = await Promise.all(posts);

  expect(server.faulty.encoded).toBeGreaterThan(0);
  expect(server.faulty.encoded).toBeLessThan(16);
  const [first] = replies;
  expect(first!.json.message_ids).toEqual([expect.any(String), null, expect.any(String)]);
  for (const { status, json, headers } of replies) {
    expect([status, headers.get('preference-applied')]).toEqual([200, 'handling=lenient']);
    expect({ ...json, receipt: '' }).toEqual({ ...first!.json, receipt: '' });
  }
});

test('the two-step interface is offloaded', async () => {
  const server = await start();

  const user = await server.post('/legacy/project-user', { user_id: 'u', anonymous: false });
  const { user_id, session_id } = user.json.result as Record<string, unknown>;
  const event = await server.post('/legacy/add-event', { user_id, session_id, event: { name: 'e' } });
  const forged = await server.post('/legacy/add-event', { user_id: 'a'.repeat(64), session_id, event: { name: 'e' } });

  expect([user.status, event.status, forged.status]).toEqual([200, 200, 400]);
  expect(server.faulty.encoded).toBe(2);
});

test('a log that fails is 503 under the names that its records have, should they be there after all', async () => {
  const server = await start();
  const { faulty } = server;
  const replies = await postBatches(server, 16);
  faulty.records.length = 0;
  const append = faulty.append.bind(faulty);
  faulty.append = async (records) => {
    await append(records);
    throw new TidemarkError('LOG_UNAVAILABLE', 'too late, as ordered');
  };
  // Else the probe, which asks every few milliseconds, finds a log that is well.
  faulty.isProbeRefused = true;

  const given = { ...TRACK, message_id: 'mine' };
  replies.splice(0, 16, ...(await postBatches(server, 16)));
  replies.push(await server.post('/v1/track', TRACK), await server.post('/v1/track', given));

  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([503]));
  const named = replies.flatMap(({ json }) => json.message_ids);
  expect(named.sort()).toEqual(
    server
      .messages()
      .map(({ messageId }) => messageId)
      .sort(),
  );
  expect(named).toContain('mine');
  expect(faulty.encoded).toBeGreaterThan(4 + 2);
  expect([server.ingestor.state, server.ingestor.unacknowledgedBytes]).toEqual(['log away', 0]);
});

test('a body that is wrong is 400 also while the log is unreachable', async () => {
  const server = await start();
  server.faulty.unreachable = true;

  expect((await server.post('/v1/track', { event: 'e' })).status).toBe(400);
});

test("a clock off the log's is 503, and then nothing is offloaded", async () => {
  const server = await start({ clock: new IngestClock({ maxSkewMs: 5_000 }) });
  server.faulty.clockOffsetMs = 6_000;

  const replies = [await server.post('/v1/track', TRACK), await server.post('/v1/track', TRACK)];

  expect(replies.map(({ status, json }) => [status, json.message_ids.length])).toEqual([
    [503, 1],
    [503, 1],
  ]);
  expect(server.faulty.encoded).toBe(1);
});

test('what is on its way to the log is bounded', async () => {
  const server = await start({ maxUnacknowledgedBytes: 2_000 });
  server.faulty.hold();
  const big = { ...TRACK, properties: { pad: 'x'.repeat(2_500) } };
  const waiting = server.post('/v1/track', big);
  await eventually(() => expect(server.faulty.waiting).toBe(1));

  const refused = await server.post('/v1/track', TRACK);
  server.faulty.release();

  expect([refused.status, (await waiting).status]).toEqual([429, 200]);
  expect(server.ingestor.unacknowledgedBytes).toBe(0);
});

test('an error that will not pass is 500', async () => {
  const server = await start();
  server.faulty.append = () => Promise.reject(new TidemarkError('LOG_DAMAGED', 'as ordered'));

  expect((await server.post('/v1/track', TRACK)).status).toBe(500);
});

test('an encoder that cannot be loaded is logged, and this thread makes the records', async () => {
  const lines: string[] = [];
  const output = new Writable({ write: (chunk: Buffer, _, done) => (lines.push(chunk.toString()), done()) });
  const server = await start({
    encoder: new URL('no-such-encoder.ts', import.meta.url),
    logger: createLogger('warn', output),
  });

  expect((await server.post('/v1/track', TRACK)).status).toBe(200);
  expect(server.faulty.encoded).toBe(0);
  expect(lines.join()).toContain('cannot make records itself');
});

const EMBEDDED = { eventLogUrl: 'log:/data/event-log', spoolDir: undefined, schemaRegistryUrl: undefined };

test('an embedded log encodes bodies itself, by a module that exists', async () => {
  const encoder = encoderModuleOf(EMBEDDED);

  const { encodeRecords } = (await import(encoder!.href)) as { encodeRecords: RecordEncoder };
  expect(encodeRecords).toBeTypeOf('function');
});

test.each([
  ['on a server', { eventLogUrl: 'kafka://localhost:9092' }],
  ["with a registry's schemas", { schemaRegistryUrl: 'http://localhost:8081' }],
  ['behind a spool', { spoolDir: '/spool' }],
])('a log %s does not', (_, changes) => {
  expect(encoderModuleOf({ ...EMBEDDED, ...changes })).toBeUndefined();
});
