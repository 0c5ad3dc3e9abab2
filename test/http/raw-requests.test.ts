import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { IngestServer, WRITE_KEY } from '../support/http/ingest-server.ts';
import { jsonRequest, RawClient, request } from '../support/http/raw-client.ts';

const TRACK = { user_id: 'u', event: 'e' };
const good = jsonRequest('/v1/track', WRITE_KEY, TRACK);
const HEADERS = { api_key: WRITE_KEY, 'content-type': 'application/json' };

let server: IngestServer;

beforeAll(async () => {
  server = await IngestServer.start();
});
afterAll(() => server.stop());

/** Whatever a client did, the server answers the next one and holds nothing of the last. */
afterEach(async () => {
  server.faulty.release();
  await eventually(() => expect(server.http.openRequests).toBe(0));
  await eventually(() => expect(server.ingestor.unacknowledgedBytes).toBe(0));
  expect((await server.post('/v1/track', TRACK)).status).toBe(200);
});

async function leftOpen(): Promise<void> {
  await eventually(() => expect(server.http.openConnections).toBeLessThanOrEqual(1));
}

describe('bytes that are no request', () => {
  test.each([
    ['garbage', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['no HTTP', 'HELLO SERVER\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a broken header', 'GET / HTTP/1.1\r\nhost localhost\r\n\r\n'],
    ['a length that is no number', request('/v1/track', { ...HEADERS, 'content-length': '5x' }, 'hello')],
    ['two lengths', `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx`],
    [
      'a length and chunks',
      request('/', { ...HEADERS, 'content-length': '3', 'transfer-encoding': 'chunked' }, '0\r\n\r\n'),
    ],
    ['a broken chunk', request('/v1/track', { ...HEADERS, 'transfer-encoding': 'chunked' }, 'zz\r\nhello\r\n')],
  ])('%s: 400 and closed', async (_, bytes) => {
    const client = await RawClient.connect(server.port);

    const answers = await client.send(bytes).closed();

    expect(answers.map(({ status, json }) => [status, json?.type])).toEqual([
      [400, 'urn:tidemark:problem:malformed-request'],
    ]);
    await leftOpen();
  });

  test('a broken chunk on a two-step path is refused in its style', async () => {
    const client = await RawClient.connect(server.port);
    const headers = { ...HEADERS, 'transfer-encoding': 'chunked' };

    const [answer] = await client.send(request('/legacy/add-event', headers, 'zz\r\n')).closed();

    expect(answer?.json).toMatchObject({ success: 400 });
  });

  test.each([
    ['one huge header', request('/v1/track', { ...HEADERS, 'x-huge': 'x'.repeat(20_000) })],
    [
      'many headers',
      request('/v1/track', Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`x-${i}`, 'xxxx']))),
    ],
    ['a huge path', request(`/${'x'.repeat(20_000)}`, HEADERS)],
  ])('%s: 431 and closed', async (_, bytes) => {
    const client = await RawClient.connect(server.port);

    const [answer] = await client.send(bytes).closed();

    expect([answer?.status, answer?.json?.type]).toEqual([431, 'urn:tidemark:problem:headers-too-large']);
  });

  test('HTTP/1.1 without a Host is 400, HTTP/1.0 is not', async () => {
    const without = await RawClient.connect(server.port);
    const old = await RawClient.connect(server.port);

    const [refused] = await without.send('GET /healthz HTTP/1.1\r\n\r\n').answered();
    const [answered] = await old.send('GET /healthz HTTP/1.0\r\n\r\n').closed();

    expect([refused?.status, answered?.status]).toEqual([400, 200]);
  });

  test.each([
    ['of two names', 'host: a\r\nHost: b\r\n'],
    ['of one name, far apart', `host: a\r\n${'x: y\r\n'.repeat(500)}HOST: a\r\n`],
  ])('two Hosts %s are 400, on a connection in use too', async (_, hosts) => {
    const client = await RawClient.connect(server.port);
    await client.send(request('/healthz', {}, '', 'GET')).answered();

    const answers = await client.send(`GET /healthz HTTP/1.1\r\n${hosts}\r\n`).answered(2);

    expect(answers.map(({ status, json }) => [status, json?.type])).toEqual([
      [200, undefined],
      [400, 'urn:tidemark:problem:malformed-request'],
    ]);
  });

  test('CONNECT is 405 and closed', async () => {
    const client = await RawClient.connect(server.port);
    const [answer] = await client.send('CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n').closed();
    expect(answer?.status).toBe(405);
  });
});

describe('bodies and their lengths', () => {
  test('a body cut short by the end of the connection is 400 and closed', async () => {
    const client = await RawClient.connect(server.port);
    client.send(request('/v1/track', { ...HEADERS, 'content-length': '100' }, '{"user_id":'));
    client.socket.end();

    const answers = await client.closed();

    expect(answers.map(({ status }) => status)).toEqual([400]);
    await leftOpen();
  });

  test('a client that resets the connection in the middle of its body leaves nothing behind', async () => {
    const client = await RawClient.connect(server.port);
    client.send(request('/v1/track', { ...HEADERS, 'content-length': '100' }, '{"user_id":'));
    await eventually(() => expect(server.http.openRequests).toBe(1));

    client.socket.resetAndDestroy();

    await leftOpen();
  });

  test('a body longer than its length: the body is judged, the rest is no request', async () => {
    const client = await RawClient.connect(server.port);
    const body = JSON.stringify(TRACK);

    const answers = await client
      .send(request('/v1/track', { ...HEADERS, 'content-length': String(body.length) }, `${body}  surplus\r\n\r\n`))
      .closed();

    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
  });

  test('a length over the limit is refused though nothing of the body has come', async () => {
    const client = await RawClient.connect(server.port);
    const [answer] = await client.send(request('/v1/track', { ...HEADERS, 'content-length': '32769' })).answered();
    expect(answer?.status).toBe(413);
  });

  test('an endless body is cut off, and the answer arrives before', async () => {
    const client = await RawClient.connect(server.port);
    client.send(request('/v1/track', { ...HEADERS, 'transfer-encoding': 'chunked' }));
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    const pump = setInterval(() => client.socket.writable && client.send(chunk), 1);

    const [answer] = await client.answered();
    await client.closed();
    clearInterval(pump);

    expect(answer?.status).toBe(413);
    expect(answer?.head).toMatch(/connection: close/i);
    await leftOpen();
  });

  test('a body in many small chunks is one body', async () => {
    const client = await RawClient.connect(server.port);
    const chunks = JSON.stringify(TRACK)
      .split('')
      .map((char) => `1\r\n${char}\r\n`);
    client.send(request('/v1/track', { ...HEADERS, 'transfer-encoding': 'chunked' }));
    for (const chunk of chunks) client.send(chunk);

    const [answer] = await client.send('0\r\n\r\n').answered();

    expect(answer?.status).toBe(200);
  });

  test.each([
    [401, {}],
    [413, HEADERS],
  ])(
    'after %i the rest of the body is read away: who writes it all before reading is not cut off',
    async (status, headers) => {
      const client = await RawClient.connect(server.port);
      // More than the kernel's buffers take, so that writing it needs somebody who reads.
      const body = Buffer.alloc(8_000_000, 'x');
      client.socket.pause();
      client.send(request('/v1/batch', { ...headers, 'content-length': String(body.length) }));
      await eventually(() => expect(server.http.openRequests).toBe(1));

      const failure = await new Promise((resolve) => {
        client.socket.write(body, resolve);
      });
      client.socket.resume();

      expect(failure ?? undefined).toBeUndefined();
      expect((await client.closed()).map((answer) => answer.status)).toEqual([status]);
    },
  );
});

describe('Expect: 100-continue', () => {
  const expecting = (headers: Record<string, string>): string =>
    request('/v1/track', { ...HEADERS, 'content-length': '27', expect: '100-continue', ...headers });

  test('Expect: 100-continue is answered with 100 if the body is wanted', async () => {
    const client = await RawClient.connect(server.port);
    const [first] = await client.send(expecting({})).answered();

    const answers = await client.send('{"user_id":"u","event":"e"}').answered(2);

    expect(first?.status).toBe(100);
    expect(answers[1]?.status).toBe(200);
  });

  test.each([
    [401, { api_key: 'nobody' }],
    [413, { 'content-length': '40000' }],
    [400, { 'content-type': 'text/plain' }],
  ])('Expect: 100-continue is answered with %i at once if the body is not wanted', async (status, headers) => {
    const client = await RawClient.connect(server.port);
    const answers = await client.send(expecting(headers)).closed();
    expect(answers.map((answer) => answer.status)).toEqual([status]);
  });

  test('any other expectation is ignored, as RFC 9110 allows', async () => {
    const client = await RawClient.connect(server.port);
    const [answer] = await client.send(jsonRequest('/v1/track', WRITE_KEY, TRACK, { expect: 'miracles' })).answered();
    expect(answer?.status).toBe(200);
  });
});

describe('one connection', () => {
  test('one connection answers pipelined requests in order', async () => {
    const client = await RawClient.connect(server.port);
    const requests = [good, request('/nowhere', {}, '', 'GET'), good, request('/healthz', {}, '', 'GET')];

    const answers = await client.send(requests.join('')).answered(4);

    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 200]);
  });

  test('requests before malformed bytes are answered before the refusal', async () => {
    const client = await RawClient.connect(server.port);
    server.faulty.hold();
    client.send(`${good}${good}garbage\r\n\r\n`);
    await eventually(() => expect(server.faulty.waiting).toBe(2));
    expect(client.received).toBe('');

    server.faulty.release();

    expect((await client.closed()).map(({ status }) => status)).toEqual([200, 200, 400]);
  });

  test('a connection is kept after an answer and after most refusals', async () => {
    const client = await RawClient.connect(server.port);
    await client.send(good).answered(1);
    await client.send(jsonRequest('/v1/track', WRITE_KEY, {})).answered(2);
    await client.send(jsonRequest('/nowhere', WRITE_KEY, TRACK)).answered(3);

    const answers = await client.send(good).answered(4);

    expect(answers.map(({ status }) => status)).toEqual([200, 400, 404, 200]);
  });

  test('gone before its answer: the message is recorded and nothing is held', async () => {
    const before = server.faulty.records.length;
    const client = await RawClient.connect(server.port);
    server.faulty.hold();
    client.send(good);
    await eventually(() => expect(server.faulty.waiting).toBe(1));
    client.socket.destroy();
    await leftOpen();

    server.faulty.release();

    await eventually(() => expect(server.faulty.records.length).toBe(before + 1));
  });

  test('half closed after the request gets its answer', async () => {
    const client = await RawClient.connect(server.port);
    client.send(good);
    client.socket.end();
    expect((await client.closed()).map(({ status }) => status)).toEqual([200]);
  });

  test('a target in absolute form is accepted, as proxies send it', async () => {
    const client = await RawClient.connect(server.port);
    const bytes = jsonRequest('http://elsewhere.example/v1/track?x=1', WRITE_KEY, TRACK);
    const [answer] = await client.send(bytes).answered();
    expect(answer?.status).toBe(200);
  });
});
