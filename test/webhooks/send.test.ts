import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebhookAddresses } from '../../services/webhooks/addresses.ts';
import { isDelivered, postWebhook, type SendOptions } from '../../services/webhooks/send.ts';
import { answer, WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';

const LOOPBACK = new WebhookAddresses(['127.0.0.0/8', '::1']);
const NOTHING = new WebhookAddresses([]);

function attempt(url: string, options: Partial<SendOptions> = {}) {
  const signal = new AbortController().signal;
  return postWebhook(
    { url, headers: { 'webhook-id': 'msg_1' }, body: '{"ü":1}' },
    { addresses: LOOPBACK, signal, ...options },
  );
}

/** The URL of a server that does this with each connection once a request comes. */
async function rawReceiver(answering: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('data', () => answering(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Writes a text again and again, as fast as it is taken. Resolves with the bytes once the connection is closed. */
function writeForEver(socket: Socket, text: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  socket.on('close', () => resolve(socket.bytesWritten));
  const more = (): void => {
    if (socket.destroyed) return;
    if (socket.write(text)) setImmediate(more);
    else socket.once('drain', more);
  };
  more();
  return promise;
}

describe('an attempt', () => {
  test('an attempt posts the message, and has the beginning of the answer', async () => {
    const receiver = await WebhookReceiver.start();
    receiver.answering = (res) => res.writeHead(202).end(`done\0${'é'.repeat(300)}`);

    const sent = await attempt(receiver.url);

    expect(receiver.received).toMatchObject([
      { path: '/hook', body: '{"ü":1}', headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1' } },
    ]);
    expect(sent).toMatchObject({ status: 202, error: null, retryAfterMs: null });
    expect(sent.answer).toMatch(/^done\uFFFD(é)+\uFFFD?$/);
    expect(Buffer.byteLength(sent.answer)).toBeLessThan(210);
    expect(isDelivered(sent)).toBe(true);
  });

  test.each([
    [500, {}, null],
    [404, {}, null],
    [410, {}, null],
    [429, { 'retry-after': '30' }, 30_000],
    [503, { 'retry-after': 'never' }, null],
  ])('the status %i is no success', async (status, headers, retryAfterMs) => {
    const receiver = await WebhookReceiver.start();
    receiver.answering = answer(status, headers);

    const sent = await attempt(receiver.url);

    expect(sent).toMatchObject({ status, error: null, answer: `answered ${status}`, retryAfterMs });
    expect(isDelivered(sent)).toBe(false);
  });

  test('a redirect is no success, and is not followed', async () => {
    const receiver = await WebhookReceiver.start();
    receiver.answering = (res, req) =>
      (req.url === '/hook' ? res.writeHead(307, { location: '/other' }) : res.writeHead(200)).end();

    const sent = await attempt(receiver.url);

    expect([sent.status, isDelivered(sent)]).toEqual([307, false]);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
  });

  test('an answer of megabytes is not read to its end, and its status counts', async () => {
    const receiver = await WebhookReceiver.start();
    let written = 0;
    const cut = Promise.withResolvers<void>();
    receiver.answering = (res) => {
      res.writeHead(200).on('close', cut.resolve);
      const more = (): void => {
        if (res.destroyed) return;
        written += 65_536;
        if (res.write('x'.repeat(65_536))) setImmediate(more);
        else res.once('drain', more);
      };
      more();
    };

    const sent = await attempt(receiver.url);
    await cut.promise;

    expect([sent.status, sent.answer, isDelivered(sent)]).toEqual([200, 'x'.repeat(200), true]);
    // What sockets and their buffers took; the endpoint would have gone on.
    expect(written).toBeLessThan(50_000_000);
  });

  test('an endpoint that does not answer in time is given up', async () => {
    const receiver = await WebhookReceiver.start();
    receiver.answering = () => undefined;

    const sent = await attempt(receiver.url, { timeoutMs: 50 });

    expect(sent).toMatchObject({ status: null, error: 'no answer within 0.05 s' });
  });

  test('an answer whose end does not come in time counts by its status', async () => {
    const receiver = await WebhookReceiver.start();
    receiver.answering = (res) => res.writeHead(200).write('begun');

    const sent = await attempt(receiver.url, { timeoutMs: 500 });

    expect([sent.status, sent.answer]).toEqual([200, 'begun']);
  });

  test('an answer whose end does not come counts as soon as its head is there', async () => {
    const receiver = await WebhookReceiver.start();
    receiver.answering = (res) => res.writeHead(200).write('begun');

    const sent = await attempt(receiver.url, { timeoutMs: 600_000 });

    expect([sent.status, sent.answer, isDelivered(sent)]).toEqual([200, 'begun', true]);
  });

  test.each([
    ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', 101],
    ['switches protocols without naming one', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 101],
    ['speaks no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', null],
  ])('an endpoint that %s has failed, and its connection is closed', async (_, text, status) => {
    const closed = Promise.withResolvers<void>();
    const url = await rawReceiver((socket) => socket.on('close', () => closed.resolve()).write(text));

    const sent = await attempt(url, { timeoutMs: 600_000 });

    expect(sent.status).toBe(status);
    expect(isDelivered(sent)).toBe(false);
    await closed.promise;
  });

  test('an endpoint that closes the connection without an answer has failed', async () => {
    const url = await rawReceiver((socket) => socket.end());

    expect(await attempt(url, { timeoutMs: 600_000 })).toMatchObject({
      status: null,
      error: expect.stringContaining('ECONNRESET') as string,
    });
  });

  test.each([
    ['informational answers', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1_000)],
    ['early hints', `HTTP/1.1 103 Early Hints\r\nlink: <${'x'.repeat(8_000)}>\r\n\r\n`],
    ['a head', `x-${'x'.repeat(100)}: 1\r\n`.repeat(100)],
  ])('an endpoint that sends %s without end has failed before much of it is taken', async (_, text) => {
    const written = Promise.withResolvers<number>();
    const url = await rawReceiver((socket) => {
      if (text.startsWith('x')) socket.write('HTTP/1.1 200 OK\r\n');
      writeForEver(socket, text).then(written.resolve, written.reject);
    });

    const sent = await attempt(url, { timeoutMs: 600_000 });

    expect(sent).toMatchObject({ status: null, error: expect.any(String) as string });
    // What sockets and their buffers took; the endpoint would have gone on.
    expect(await written.promise).toBeLessThan(50_000_000);
  });

  test('a few informational answers before the answer change nothing', async () => {
    const url = await rawReceiver((socket) =>
      socket.end('HTTP/1.1 102 Processing\r\n\r\n'.repeat(5) + 'HTTP/1.1 204 No Content\r\n\r\n'),
    );

    expect(await attempt(url)).toMatchObject({ status: 204, error: null });
  });

  test('an attempt ends with its signal', async () => {
    const receiver = await WebhookReceiver.start();
    const stopping = new AbortController();
    receiver.answering = () => stopping.abort();

    expect((await attempt(receiver.url, { signal: stopping.signal })).status).toBeNull();
  });

  test('an endpoint that is down says so', async () => {
    const receiver = await WebhookReceiver.start();
    await receiver.close();

    expect(await attempt(receiver.url)).toMatchObject({
      status: null,
      error: expect.stringContaining('ECONNREFUSED') as string,
    });
  });

  test('an endpoint that does not speak TLS says that alone, without addresses in memory', async () => {
    const receiver = await WebhookReceiver.start();

    const sent = await attempt(receiver.url.replace('http:', 'https:'));

    expect(sent).toMatchObject({ status: null, error: expect.stringMatching(/^TLS: [a-z ]+ \(\w+\)$/) as string });
  });
});

describe('an inner address', () => {
  test('an address is refused before anything is connected', async () => {
    const receiver = await WebhookReceiver.start();

    const sent = await attempt(receiver.url, { addresses: NOTHING });

    expect(sent).toMatchObject({ status: null, error: expect.stringContaining('inner address') as string });
    expect(receiver.received).toEqual([]);
  });

  test('a name that leads to an inner address is refused when it is looked up', async () => {
    const receiver = await WebhookReceiver.start();

    const sent = await attempt(`https://localhost:${receiver.port}/`, { addresses: NOTHING });

    expect(sent.error).toBe('localhost leads to an inner address, which WEBHOOK_ALLOW does not name');
    expect(receiver.received).toEqual([]);
  });

  test('a name that leads to an inner address is sent to where the setting names that', async () => {
    const receiver = await WebhookReceiver.start();

    const sent = await attempt(`http://localhost:${receiver.port}/named`);

    expect([sent.status, receiver.received[0]?.path]).toEqual([200, '/named']);
    expect(receiver.received[0]?.headers['host']).toBe(`localhost:${receiver.port}`);
  });
});
