import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../servers/processes/ports.ts';
import { until } from '../../support/event-log/event-log.ts';
import { correlationIdOf, FrameSplitter, PRODUCE } from './kafka-frames.ts';
import { KafkaProxy } from './kafka-proxy.ts';

const FETCH = 1;

/** A proxy before a server that answers each request with its correlation id; whole requests that came, and a client. */
async function bench() {
  const received: Buffer[] = [];
  const server = createServer((socket) => {
    const frames = new FrameSplitter();
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      for (const frame of frames.push(chunk)) {
        received.push(frame);
        socket.write(frameOf(frame.subarray(8, 12)));
      }
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const proxy = await KafkaProxy.listen(await freePort());
  proxy.brokerPort = (server.address() as AddressInfo).port;
  onTestFinished(async () => {
    await proxy.close();
    server.close();
  });
  return { proxy, received, client: () => clientOf(proxy.port) };
}

async function clientOf(port: number) {
  const socket: Socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  const [frames, answers] = [new FrameSplitter(), [] as number[]];
  socket.on('data', (chunk) => answers.push(...frames.push(chunk).map(correlationIdOf)));
  await once(socket, 'connect');
  return { socket, answers, send: (...requests: Buffer[]) => socket.write(Buffer.concat(requests)) };
}

function frameOf(body: Uint8Array): Buffer {
  const size = Buffer.alloc(4);
  size.writeInt32BE(body.length);
  return Buffer.concat([size, body]);
}

function request(apiKey: number, correlationId: number, bytes = 100): Buffer {
  const body = Buffer.alloc(8 + bytes);
  body.writeInt16BE(apiKey, 0);
  body.writeInt32BE(correlationId, 4);
  return frameOf(body);
}

test('what is well passes unchanged and in order, however it is cut into packets', async () => {
  const { received, client } = await bench();
  const { socket, answers, send } = await client();
  const all = Buffer.concat([request(PRODUCE, 1, 300_000), request(FETCH, 2), request(PRODUCE, 3)]);

  for (let from = 0; from < 12; from++) {
    socket.write(all.subarray(from, from + 1));
    await new Promise(setImmediate);
  }
  send(all.subarray(12));
  await until(() => answers.length === 3);

  expect(Buffer.concat(received).equals(all)).toBe(true);
  expect(answers).toEqual([1, 2, 3]);
});

test('a lost response: the broker has the request, the client a closed connection', async () => {
  const { proxy, received, client } = await bench();
  const { socket, answers, send } = await client();
  proxy.onProduce = () => 'lose response';

  send(request(FETCH, 1), request(PRODUCE, 2));
  await once(socket, 'close');

  expect([answers, received.length, proxy.hits('lose response')]).toEqual([[1], 2, 1]);
});

test('a cut request never arrives whole', async () => {
  const { proxy, received, client } = await bench();
  const { socket, answers, send } = await client();
  proxy.onProduce = () => 'cut';

  send(request(PRODUCE, 1), request(FETCH, 2));
  await once(socket, 'close');

  expect([answers, received]).toEqual([[], []]);
});

test('a frozen connection stays open and silent; another flows', async () => {
  const { proxy, received, client } = await bench();
  const [frozen, flowing] = [await client(), await client()];
  proxy.onProduce = () => 'freeze';

  frozen.send(request(PRODUCE, 1), request(FETCH, 2));
  await until(() => received.length === 1);
  flowing.send(request(FETCH, 3), request(FETCH, 4));
  await until(() => flowing.answers.length === 2);

  expect([frozen.answers, frozen.socket.closed, received.length]).toEqual([[], false, 3]);
  proxy.thaw();
  await until(() => frozen.answers.length === 2);
});

test('a held back answer comes later, and in order', async () => {
  const { proxy, client } = await bench();
  const { answers, send } = await client();
  proxy.responseDelayMs = 60;
  const sentAt = performance.now();

  send(request(PRODUCE, 1), request(FETCH, 2));
  await until(() => answers.length === 2);

  expect(performance.now() - sentAt).toBeGreaterThan(55);
  expect(answers).toEqual([1, 2]);
});

test('a proxy that refuses cuts what is open and is refused by the system, until it accepts again', async () => {
  const { proxy, client } = await bench();
  const { socket } = await client();
  await until(() => proxy.connections === 1);

  proxy.refuse();
  await once(socket, 'close');

  await expect(client()).rejects.toThrow('ECONNREFUSED');
  await proxy.accept();
  const { answers, send } = await client();
  send(request(FETCH, 1));
  await until(() => answers.length === 1);
});
