import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IngestServer } from '../support/http/ingest-server.ts';

const COMPRESS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync };
const CODINGS = Object.keys(COMPRESS) as (keyof typeof COMPRESS)[];
const LIMITS = [
  ['/v1/identify', 32_768],
  ['/v1/track', 32_768],
  ['/v1/batch', 512_000],
  ['/legacy/project-user', 32_768],
  ['/legacy/create-project-user', 32_768],
  ['/legacy/add-event', 32_768],
] as const;

let server: IngestServer;
let session: object;

beforeAll(async () => {
  server = await IngestServer.start();
  const { json } = await server.post('/legacy/project-user', { user_id: 'u', anonymous: false });
  session = { user_id: json.result.user_id, session_id: json.result.session_id, event: { name: 'e' } };
});
afterAll(() => server.stop());

/** A valid body of this path, exactly `bytes` long. */
function bodyOf(path: string, bytes: number): string {
  const track = { user_id: 'u', event: 'e' };
  const bare = {
    '/v1/batch': { batch: [{ type: 'track', ...track }] },
    '/legacy/project-user': { user_id: 'u', anonymous: true },
    '/legacy/create-project-user': { user_id: 'u', anonymous: true },
    '/legacy/add-event': session,
  };
  const text = JSON.stringify(bare[path as keyof typeof bare] ?? track);
  return `${text.slice(0, -1)},"pad":"${'x'.repeat(bytes - text.length - 9)}"}`;
}

/** A body without Content-Length, in pieces. */
function streamed(body: string | Uint8Array): ReadableStream {
  const bytes = Buffer.from(body);
  const pieces = Array.from({ length: 8 }, (_, i) =>
    bytes.subarray((i * bytes.length) / 8, ((i + 1) * bytes.length) / 8),
  );
  return ReadableStream.from(pieces);
}

describe.each(LIMITS)('%s', (path, limit) => {
  const error = path.startsWith('/legacy') ? { success: 413 } : { status: 413, limit_bytes: limit };

  test('a body of the limit is accepted, with or without its length', async () => {
    expect((await server.post(path, bodyOf(path, limit))).status).toBe(200);
    expect((await server.post(path, streamed(bodyOf(path, limit)))).status).toBe(200);
  });

  test('one byte more is refused, with or without its length', async () => {
    const told = await server.post(path, bodyOf(path, limit + 1));
    const untold = await server.post(path, streamed(bodyOf(path, limit + 1)));

    for (const reply of [told, untold]) {
      expect(reply.status).toBe(413);
      expect(reply.json).toMatchObject(error);
      expect(reply.headers.get('connection')).toBe('close');
    }
  });

  test.each(CODINGS)('the limit counts the decompressed bytes of %s', async (coding) => {
    const headers = { 'content-encoding': coding };
    const compressed = COMPRESS[coding](bodyOf(path, limit));
    const over = COMPRESS[coding](bodyOf(path, limit + 1));

    expect((await server.post(path, compressed, headers)).status).toBe(200);
    expect((await server.post(path, streamed(compressed), headers)).status).toBe(200);
    expect((await server.post(path, over, headers)).status).toBe(413);
    expect((await server.post(path, streamed(over), headers)).status).toBe(413);
  });
});

describe('compressed bodies', () => {
  const body = '{"user_id":"u","event":"e"}';

  test.each(CODINGS)('a bomb of %s is 413, with no more in memory than the limit', async (coding) => {
    const bomb = COMPRESS[coding](Buffer.alloc(30_000_000, ' '));
    const before = process.memoryUsage().arrayBuffers;

    const replies = await Promise.all(
      Array.from({ length: 8 }, () => server.post('/v1/track', bomb, { 'content-encoding': coding })),
    );

    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(413));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
  });

  test.each(CODINGS)('%s that is stored, not squeezed, is taken up to the limit', async (coding) => {
    const noise = Array.from({ length: 24_000 }, (_, i) => String.fromCharCode(33 + ((i * 7_919) % 58))).join('');
    const full = `{"user_id":"u","event":"e","pad":${JSON.stringify(noise)}}`.padEnd(32_768);
    const stored =
      coding === 'gzip' || coding === 'deflate' ? COMPRESS[coding](full, { level: 0 }) : COMPRESS[coding](full);

    expect((await server.post('/v1/track', stored, { 'content-encoding': coding })).status).toBe(200);
  });

  test.each(CODINGS)('%s cut short, with bytes behind it, or of nothing is 400', async (coding) => {
    const whole = COMPRESS[coding](body);
    const wrong = [
      whole.subarray(0, -1),
      whole.subarray(0, 3),
      Buffer.concat([whole, Buffer.from('behind')]),
      Buffer.from(body),
    ];

    for (const bytes of wrong) {
      const reply = await server.post('/v1/track', bytes, { 'content-encoding': coding });
      expect([reply.status, reply.json.type]).toEqual([400, 'urn:tidemark:problem:undecodable-body']);
    }
    expect((await server.post('/v1/track', whole, { 'content-encoding': coding.toUpperCase() })).status).toBe(200);
  });

  test('two members of gzip are one body', async () => {
    const both = Buffer.concat([gzipSync(body.slice(0, 9)), gzipSync(body.slice(9))]);
    expect((await server.post('/v1/track', both, { 'content-encoding': 'gzip' })).status).toBe(200);
  });

  test('a compressed body that inflates to no UTF-8 is 400', async () => {
    const reply = await server.post('/v1/track', gzipSync(Buffer.from([0x7b, 0xff, 0x7d])), {
      'content-encoding': 'gzip',
    });
    expect(reply.json.type).toBe('urn:tidemark:problem:undecodable-body');
  });
});

describe('the type and encoding', () => {
  const body = '{"user_id":"u","event":"e"}';

  test.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json ; charset="utf-8"',
    'application/json; charset=utf8; profile="a;b"',
    'application/json;',
  ])('%s is taken', async (type) => {
    expect((await server.post('/v1/track', body, { 'content-type': type })).status).toBe(200);
  });

  test.each([
    null,
    'text/plain',
    'application/json-seq',
    'application/vnd.api+json',
    'application/json, text/plain',
    'application/json; charset=latin1',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; charset=',
    'application/x-www-form-urlencoded',
  ])('%s is 400', async (type) => {
    // Bytes, for which fetch makes up no type.
    const reply = await server.post('/v1/track', Buffer.from(body), { 'content-type': type });
    expect([reply.status, reply.json.type]).toEqual([400, 'urn:tidemark:problem:unsupported-type']);
  });

  test.each(['compress', 'gzip, br', 'x-deflate', 'utf-8'])('Content-Encoding %s is 400', async (coding) => {
    const reply = await server.post('/v1/track', body, { 'content-encoding': coding });
    expect([reply.status, reply.json.type]).toEqual([400, 'urn:tidemark:problem:unsupported-encoding']);
  });

  test('identity is taken', async () => {
    expect((await server.post('/v1/track', body, { 'content-encoding': 'identity' })).status).toBe(200);
  });

  test.each([
    ['an overlong NUL', [0xc0, 0x80]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a character cut short', [0xe2, 0x82]],
    ['Latin-1', [0xe9]],
  ])('%s is no UTF-8 and is 400', async (_, bytes) => {
    const wrong = Buffer.concat([Buffer.from('{"user_id":"'), Buffer.from(bytes), Buffer.from('","event":"e"}')]);
    const reply = await server.post('/v1/track', wrong);
    expect([reply.status, reply.json.type]).toEqual([400, 'urn:tidemark:problem:undecodable-body']);
  });

  test('a byte order mark before the body of an SDK is left out, whatever its form', async () => {
    const sdk = '{"userId":"u","event":"e","messageId":"m"}';
    const replies = [
      await server.post('/v1/track', Buffer.from(`\uFEFF${sdk}`)),
      await server.post('/v1/track', Buffer.from(`\uFEFF${sdk}`), { 'content-type': 'text/plain' }),
      await server.post('/v1/batch', gzipSync(`\uFEFF{"batch":[${sdk.replace('{', '{"type":"track",')}]}`), {
        'content-encoding': 'X-GZIP',
      }),
    ];

    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('a byte order mark is 400', async () => {
    const reply = await server.post('/v1/track', Buffer.from(`\uFEFF${body}`));
    expect([reply.status, reply.json.type]).toEqual([400, 'urn:tidemark:problem:undecodable-body']);
  });

  test.each(['', ' ', 'null', '[]', '"text"', '{"user_id":"u"', `${body}x`])('the body %o is 400', async (text) => {
    const reply = await server.post('/v1/track', text);
    expect([reply.status, reply.json.type]).toEqual([400, 'urn:tidemark:problem:invalid-body']);
  });
});
