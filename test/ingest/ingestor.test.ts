import { expect, onTestFinished, test } from 'vitest';
import { IngestClock } from '../../services/ingest/ingest-clock.ts';
import { TidemarkError } from '../../services/runtime/errors.ts';
import { eventually } from '../support/eventually.ts';
import { IngestServer, type IngestServerOptions } from '../support/http/ingest-server.ts';

const TEN_YEARS_MS = 3_650 * 86_400_000;
const TRACK = { user_id: 'u', event: 'e' };

async function start(options: IngestServerOptions = {}): Promise<IngestServer> {
  const server = await IngestServer.start(options);
  onTestFinished(() => server.stop());
  return server;
}

test('the answer leaves only when the log has the message safe', async () => {
  const server = await start();
  let answered = false;
  server.faulty.hold();
  const answer = server.post('/v1/track', TRACK).then((reply) => {
    answered = true;
    return reply;
  });
  await eventually(() => expect(server.faulty.waiting).toBe(1));
  await server.get('/healthz');
  expect(answered).toBe(false);

  server.faulty.release();

  expect((await answer).status).toBe(200);
});

test('unacknowledged bytes are bounded, and free again once the log has them', async () => {
  const server = await start({ maxUnacknowledgedBytes: 2_000 });
  server.faulty.hold();
  const big = { ...TRACK, properties: { pad: 'x'.repeat(1_500) } };
  const waiting = [server.post('/v1/track', big)];
  await eventually(() => expect(server.faulty.waiting).toBe(1));
  waiting.push(server.post('/v1/track', big));
  await eventually(() => expect(server.faulty.waiting).toBe(2));

  const refused = await server.post('/v1/track', TRACK);
  const { text } = await server.get('/metrics');
  server.faulty.release();
  const accepted = await Promise.all(waiting);

  expect(refused.status).toBe(429);
  expect(Number(/unacknowledged_bytes (\d+)/.exec(text)?.[1])).toBeGreaterThan(3_000);
  expect(accepted.map(({ status }) => status)).toEqual([200, 200]);
  expect(server.ingestor.unacknowledgedBytes).toBe(0);
  expect((await server.post('/v1/track', TRACK)).status).toBe(200);
});

test('a log that goes away makes ingest unready until it is back', async () => {
  const server = await start();
  server.faulty.unreachable = true;

  const refused = await server.post('/v1/track', TRACK);

  expect([refused.status, server.ingestor.state]).toEqual([503, 'log away']);
  expect(server.ingestor.unacknowledgedBytes).toBe(0);
  server.faulty.unreachable = false;
  await eventually(() => expect(server.ingestor.state).toBe('ready'));
  expect((await server.post('/v1/track', TRACK)).status).toBe(200);
});

test('what waits on local disk is answered 200 with no receipt, in both interfaces', async () => {
  const waits = { append: () => Promise.resolve(null), check: () => Promise.resolve() };
  const server = await start({ log: waits });

  const track = await server.post('/v1/track', TRACK);
  const batch = await server.post('/v1/batch', { batch: [{ type: 'track', ...TRACK }] });
  const user = await server.post('/legacy/project-user', { user_id: 'u', anonymous: false });
  const { text } = await server.get('/metrics');

  expect([track.status, track.json.receipt, track.json.message_id]).toEqual([200, null, expect.any(String)]);
  expect([batch.status, batch.json.receipt, batch.json.message_ids]).toEqual([200, null, [expect.any(String)]]);
  expect([user.status, user.json]).toMatchObject([200, { success: 200, result: { receipt: null } }]);
  expect(text).toMatch(/messages_accepted_total{topic="tidemark.track"} 2$/m);
});

test('an error that will not pass is 500, and holds nothing', async () => {
  const broken = (): Promise<never> => Promise.reject(new TidemarkError('LOG_DAMAGED', 'as ordered'));
  const server = await start({ log: { append: broken, check: broken } });

  expect((await server.post('/v1/track', TRACK)).status).toBe(500);
  expect(server.ingestor.unacknowledgedBytes).toBe(0);
});

test.each([-6_000, 6_000])("a clock %i ms off the log's is 503, and so is everything for a while", async (offsetMs) => {
  const server = await start();
  server.faulty.clockOffsetMs = offsetMs;

  const first = await server.post('/v1/track', TRACK);
  const recorded = server.faulty.records.length;
  const second = await server.post('/v1/track', TRACK);

  expect([first.status, second.status, server.ingestor.state]).toEqual([503, 503, 'clock skewed']);
  expect(second.json.message_ids).toHaveLength(1);
  expect(server.faulty.records.length).toBe(recorded);
});

test('a clock that was off is tried again after a while', async () => {
  const server = await start({ clock: new IngestClock({ maxSkewMs: 5_000, trustAfterMs: 20 }) });
  server.faulty.clockOffsetMs = 6_000;
  await server.post('/v1/track', TRACK);
  server.faulty.clockOffsetMs = 0;

  await eventually(() => expect(server.ingestor.state).toBe('ready'));

  expect((await server.post('/v1/track', TRACK)).status).toBe(200);
});

test('nothing is recorded while the clock is in doubt, and the ids to send it again under are told', async () => {
  let offsetMs = 0;
  const server = await start({ clock: new IngestClock({ maxSkewMs: 5_000, nowMs: () => Date.now() + offsetMs }) });

  offsetMs = TEN_YEARS_MS;
  const refused = await server.post('/v1/track', TRACK);
  const recorded = server.faulty.records.length;
  offsetMs = 0;
  const accepted = await server.post('/v1/track', { ...TRACK, message_id: refused.json.message_ids[0] });

  expect([refused.status, refused.json.message_ids, recorded]).toEqual([503, [expect.any(String)], 0]);
  expect(accepted.status).toBe(200);
  expect(Number(server.messages()[0]?.receivedAt)).toBeLessThan((Date.now() + 60_000) * 1000);
});
