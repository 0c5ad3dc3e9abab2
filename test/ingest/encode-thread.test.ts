/** Large bodies, which a thread of its own encodes: whoever calls must not be able to tell. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { EncodeThread, LARGE_BODY_BYTES } from '../../services/ingest/encode-thread.ts';
import { BodyJob, type JobFacts } from '../../services/ingest/encode-job.ts';
import { encodeBody } from '../../services/ingest/record-encoder.ts';
import { receiptSignerOf } from '../../services/messages/receipt/receipt-signer.ts';
import { Codec } from '../../services/messages/codec.ts';
import { newMessageId } from '../../services/messages/message-id.ts';
import { eventually } from '../support/eventually.ts';
import { IngestServer, OTHER_PROJECT, PROJECT } from '../support/http/ingest-server.ts';
import { codec, TODAY } from '../support/messages/messages.ts';

const ENDING = new URL('../support/programs/ending-thread.ts', import.meta.url);

test('the thread that answers encodes no large batch, and records what it would', async () => {
  const server = await IngestServer.start();
  onTestFinished(() => server.stop());
  const here = vi.spyOn(Codec.prototype, 'encode');
  onTestFinished(() => here.mockRestore());
  const post = async (): Promise<number> => {
    here.mockClear();
    expect((await server.post('/v1/batch', large(300), { prefer: 'handling=lenient' })).status).toBe(200);
    return here.mock.calls.length;
  };
  const first = await post();
  const inline = seen(server);

  await eventually(async () => expect(await post()).toBe(0));

  expect(first).toBe(300);
  expect(seen(server)).toEqual(inline);
});

test('what is wrong with a large batch is told as with any', async () => {
  const server = await IngestServer.start();
  onTestFinished(() => server.stop());
  const wrong = { batch: [...large(300).batch, { type: 'track', user_id: 'u' }, { type: 'nothing' }] };
  const { json, status } = await server.post('/v1/batch', wrong);
  const here = vi.spyOn(Codec.prototype, 'encode');
  onTestFinished(() => here.mockRestore());
  await eventually(async () => {
    here.mockClear();
    await server.post('/v1/batch', large(300));
    expect(here).not.toHaveBeenCalled();
  });

  const again = await server.post('/v1/batch', wrong);

  expect(status).toBe(400);
  expect([again.status, again.json]).toEqual([status, json]);
});

test('the projects take turns: a body does not wait for all that another project sent before', async () => {
  const thread = await started();
  const order: string[] = [];
  const encode = async (project: typeof PROJECT, name: string): Promise<void> => {
    await thread.encode(jobOf(project));
    order.push(name);
  };

  await Promise.all([
    encode(PROJECT, 'a'),
    encode(PROJECT, 'a'),
    encode(PROJECT, 'a'),
    encode(OTHER_PROJECT, 'b'),
    encode(OTHER_PROJECT, 'b'),
  ]);

  expect(order).toEqual(['a', 'a', 'b', 'a', 'b']);
});

test('records have the ids of schemas that the registry gave', async () => {
  const ids = Object.fromEntries(Object.keys(codec.schemaIds()).map((topic) => [topic, 4_711]));
  const thread = await started({ schemaIds: () => ids });
  const job = jobOf(PROJECT);

  const encoded = await thread.encode(job);

  const expected = encodeBody(job.shared, job.toEncode, codec);
  if (!encoded?.ok || !expected.ok) throw new Error('refused');
  expect(encoded.messageIds).toEqual(expected.messageIds);
  expect(encoded.accepted('r')).toEqual(expected.accepted('r'));
  for (const [index, { topic, key, value }] of encoded.records.entries()) {
    const other = expected.records[index]!;
    expect([topic, Buffer.from(key), Buffer.from(value).subarray(5)]).toEqual([
      other.topic,
      Buffer.from(other.key),
      Buffer.from(other.value).subarray(5),
    ]);
    expect(Buffer.from(value).readUInt32BE(1)).toBe(4_711);
  }
});

test('a thread that ends leaves every body to the caller', async () => {
  const thread = await started({ entry: ENDING });

  const encoded = await Promise.all([thread.encode(jobOf(PROJECT)), thread.encode(jobOf(OTHER_PROJECT))]);

  expect(encoded).toEqual([undefined, undefined]);
  expect(thread.isReady).toBe(false);
  expect(await thread.encode(jobOf(PROJECT))).toBeUndefined();
});

async function started(parts: Partial<ConstructorParameters<typeof EncodeThread>[0]> = {}): Promise<EncodeThread> {
  const thread = new EncodeThread({ logger: { warn: () => undefined }, schemaIds: () => codec.schemaIds(), ...parts });
  onTestFinished(() => thread.close());
  await eventually(() => expect(thread.isReady).toBe(true));
  return thread;
}

function large(items: number) {
  const properties = { text: 'é'.repeat(LARGE_BODY_BYTES / items) };
  const track = (n: number) => ({ type: 'track', user_id: `u${n}`, event: 'e', message_id: `m${n}`, properties });
  return { batch: Array.from({ length: items }, (_, n) => track(n)) };
}

function jobOf(project: typeof PROJECT): BodyJob {
  const facts: JobFacts = {
    projectId: project.id,
    timezone: project.timezone,
    source: 'batch',
    isLenient: false,
    processBits: 1,
    signer: receiptSignerOf(project),
    sessionSecret: new Uint8Array(),
  };
  return new BodyJob(facts, newMessageId(), TODAY, '', Buffer.from(JSON.stringify(large(20))));
}

/** The last 300 messages on the log, without what is another's each time. */
function seen(server: IngestServer): object[] {
  return server
    .messages()
    .slice(-300)
    .map(({ messageId, userId, userKey, type }) => ({ messageId, userId, userKey, type }));
}
