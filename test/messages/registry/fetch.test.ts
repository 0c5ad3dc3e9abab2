import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Codec } from '../../../services/messages/codec.ts';
import { decodeBatch } from '../../../services/consumers/decode-batch.ts';
import type { SchemaIdsOptions } from '../../../services/messages/registry/confluent.ts';
import { openSchemaIds } from '../../../services/messages/registry/open.ts';
import { serverUrl } from '../../servers/server.ts';
import { identifySchema, newPrefix, registerSchema, rewritten } from '../../support/event-log/registry.ts';
import { RegistryGate, type Trouble } from '../../support/event-log/registry-gate.ts';
import { IDENTIFY } from '../../support/messages/sample-messages.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const registry = (await serverUrl('registry')) ?? '';
const NO_ID = 2 ** 31 - 5;

async function opened(options: SchemaIdsOptions = {}) {
  const gate = await RegistryGate.open(registry);
  const topicPrefix = newPrefix();
  const ids = await openSchemaIds(gate.url(), { topicPrefix, ...options });
  gate.requests.length = 0;
  return { gate, ids, codec: new Codec(ids), topicPrefix };
}

/** An identify message as a newer program writes it: one more field behind, left empty. */
async function newerRecord(codec: Codec): Promise<{ id: number; value: Uint8Array }> {
  const field = `later_${newPrefix().slice(0, 8)}`;
  const schema = identifySchema((fields) => [...fields, { name: field, type: ['null', 'string'], default: null }]);
  const id = await registerSchema(registry, `${newPrefix()}newer`, schema);
  return { id, value: rewritten(codec.encode(IDENTIFY), id, 0) };
}

function batchOf(...values: readonly Uint8Array[]) {
  const records = values.map((value, i) => ({ offset: BigInt(i), appendedAtMs: 0, key: Buffer.from('k'), value }));
  return [{ topic: 'tidemark.identify', partition: 0, records }];
}

describe.skipIf(registry === '')('a record of a schema that is not at hand', () => {
  test('is read as the current one once the registry has given it, which is asked once', async () => {
    const { gate, codec } = await opened();
    const { id, value } = await newerRecord(codec);

    const found = await Promise.all(
      [1, 2, 3].map(() => decodeBatch(codec, batchOf(value, value), (message) => message)),
    );

    for (const { decoded, unprocessable } of found) {
      expect(decoded.map(({ content }) => content)).toEqual([IDENTIFY, IDENTIFY]);
      expect(unprocessable).toEqual([]);
    }
    await codec.prepare([value]);
    expect(gate.requests).toEqual([`GET /schemas/ids/${id}`]);
  });

  test('may lean on other schemas', async () => {
    const { codec } = await opened();
    const subject = `${newPrefix()}words`;
    const name = `tidemark.words_${subject.slice(0, 8)}`;
    await registerSchema(registry, subject, { type: 'enum', name, symbols: ['A', 'B'] });
    const schema = identifySchema((fields) => [...fields, { name: 'word', type: name }]);
    const references = [{ name, subject, version: 1 }];
    const id = await registerSchema(registry, `${newPrefix()}leaning`, schema, references);
    const value = rewritten(codec.encode(IDENTIFY), id, 2);

    await codec.prepare([value]);

    expect(codec.decode('tidemark.identify', value)).toEqual(IDENTIFY);
  });

  test('waits while the registry is unreachable, and what is at hand goes on', async () => {
    const { gate, codec } = await opened();
    const { value } = await newerRecord(codec);
    await gate.close();

    await expect(decodeBatch(codec, batchOf(value), () => 1)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: true,
    });
    const { decoded } = await decodeBatch(codec, batchOf(codec.encode(IDENTIFY)), (message) => message);
    expect(decoded.map(({ content }) => content)).toEqual([IDENTIFY]);

    await gate.reopen();
    const { decoded: later, unprocessable } = await decodeBatch(codec, batchOf(value), (message) => message);
    expect(later.map(({ content }) => content)).toEqual([IDENTIFY]);
    expect(unprocessable).toEqual([]);
  });

  test.each<[string, Trouble]>([
    ['out of order', { status: 500, body: '' }],
    ['behind a proxy that knows no way to it', { status: 404, body: '<h1>Not found</h1>' }],
    ['a page for those who must log in', { status: 200, body: '<h1>Log in</h1>' }],
    ['replaced by another service', { status: 200, body: '{"status":"maintenance"}' }],
    ['not letting us in any more', { status: 401, body: '' }],
    ['cutting its answers off', 'cut'],
  ])('waits while the registry is %s', async (_what, trouble) => {
    const { gate, codec } = await opened();
    const { value } = await newerRecord(codec);
    gate.trouble = () => trouble;

    await expect(codec.prepare([value])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
  });

  test('is remembered with the ids', async () => {
    const cacheFile = join(await temporaryFolder(), 'schema-ids.json');
    const { gate, codec, topicPrefix } = await opened({ cacheFile });
    const { value } = await newerRecord(codec);
    await codec.prepare([value]);
    await gate.close();

    const again = new Codec(await openSchemaIds(gate.url(), { topicPrefix, cacheFile }));

    expect(again.decode('tidemark.identify', value)).toEqual(IDENTIFY);
  });
});

describe.skipIf(registry === '')('a record of an id that the registry does not know', () => {
  test('goes to the dead letters, and is not asked for again for a while', async () => {
    const { gate, codec } = await opened();
    const value = rewritten(codec.encode(IDENTIFY), NO_ID);

    const first = await decodeBatch(codec, batchOf(value), () => 1);
    await decodeBatch(codec, batchOf(value), () => 1);

    expect(first.unprocessable.map(({ error }) => error?.code)).toEqual(['MESSAGE_UNDECODABLE']);
    expect(gate.requests).toEqual([`GET /schemas/ids/${NO_ID}`]);
  });

  test('need not be asked for where no registry could have given it', async () => {
    const { gate, codec } = await opened();

    const { unprocessable } = await decodeBatch(codec, batchOf(rewritten(codec.encode(IDENTIFY), 2 ** 31)), () => 1);

    expect(unprocessable.length).toBe(1);
    expect(gate.requests).toEqual([]);
  });

  test('is asked for again after that', async () => {
    const { gate, codec } = await opened({ absentForMs: 0 });
    const value = rewritten(codec.encode(IDENTIFY), NO_ID);

    await codec.prepare([value]);
    await codec.prepare([value]);

    expect(gate.requests.length).toBe(2);
  });

  test('is one of hundreds, asked for a few at a time', async () => {
    const { gate, ids } = await opened();
    gate.mostAtOnce = 0;
    const unknown = Array.from({ length: 300 }, (_, i) => NO_ID - i);

    await ids.fetch(unknown);

    expect(new Set(gate.requests).size).toBe(300);
    expect(gate.mostAtOnce).toBeLessThanOrEqual(8);
  });

  test('what is no Avro at all is one too', async () => {
    const { gate, ids, codec } = await opened();
    gate.trouble = () => ({ status: 200, body: JSON.stringify({ schemaType: 'JSON', schema: '{"type":"object"}' }) });

    await ids.fetch([NO_ID]);

    const value = rewritten(codec.encode(IDENTIFY), NO_ID);
    const { unprocessable } = await decodeBatch(codec, batchOf(value), () => 1);
    expect(unprocessable.length).toBe(1);
  });
});
