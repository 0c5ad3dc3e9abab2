import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Codec } from '../../services/messages/codec.ts';
import { importTopicOf, MESSAGE_TOPICS, topicOf } from '../../services/messages/message.ts';
import {
  type AvroSchema,
  EmbeddedSchemaIds,
  currentSchemaOf,
  type SchemaIds,
} from '../../services/messages/schema-ids.ts';
import { TidemarkError } from '../../services/runtime/errors.ts';
import { anyMessage, DEAD_LETTER, IDENTIFY, SESSION, TRACK } from '../support/messages/sample-messages.ts';

const codec = new Codec(new EmbeddedSchemaIds());

/** A registry with these schemas beside the embedded ones, at hand once fetched. */
class FakeRegistry extends EmbeddedSchemaIds implements SchemaIds {
  readonly fetched: number[] = [];
  readonly #schemas: ReadonlyMap<number, AvroSchema>;

  constructor(schemas: Record<number, AvroSchema>) {
    super();
    this.#schemas = new Map(Object.entries(schemas).map(([id, schema]) => [Number(id), schema]));
  }

  override schemaOf(id: number): AvroSchema | undefined {
    return this.fetched.includes(id) ? this.#schemas.get(id) : super.schemaOf(id);
  }

  override async fetch(ids: readonly number[]): Promise<void> {
    if (ids.includes(503)) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable');
    this.fetched.push(...ids);
  }
}

interface RecordSchema {
  readonly fields: { readonly name: string }[];
}

/** The identify schema with its fields changed. */
function identifySchema(change: (fields: RecordSchema['fields']) => object[]): AvroSchema {
  const schema = currentSchemaOf('tidemark.identify') as RecordSchema;
  return { ...schema, fields: change(schema.fields) };
}

function relabelled(value: Uint8Array, id: number): Uint8Array {
  const copy = Buffer.from(value);
  copy.writeUInt32BE(id, 1);
  return copy;
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return error instanceof TidemarkError ? error.code : String(error);
  }
  return 'none';
}

describe('a message', () => {
  test('a message is decoded as it was encoded', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        expect(codec.decode(topicOf(message), codec.encode(message))).toEqual(message);
      }),
      { numRuns: 500 },
    );
  });

  test.each([IDENTIFY, TRACK])('stands on the lane of imports as it does on the live one ($type)', (message) => {
    const value = codec.encode(message, importTopicOf(message));

    expect(codec.decode(importTopicOf(message), value)).toEqual(message);
    expect(value).toEqual(codec.encode(message));
  });

  test('of half a megabyte too, and short ones after it', () => {
    const large = { ...TRACK, properties: JSON.stringify({ a: 'ü€😀'.repeat(50_000) }) };

    expect(codec.decode('tidemark.track', codec.encode(large))).toEqual(large);
    expect(codec.decode('tidemark.track', codec.encode(TRACK))).toEqual(TRACK);
  });

  test('an encoded message keeps its bytes when the next one is encoded', () => {
    const first = codec.encode(TRACK);
    codec.encode({ ...TRACK, event: 'another' });

    expect(codec.decode('tidemark.track', first)).toEqual(TRACK);
  });

  test('a message is framed as Confluent does', () => {
    expect([...codec.encode(IDENTIFY).subarray(0, 5)]).toEqual([0, 0, 0, 0, 8]);
    expect([...codec.encode(SESSION).subarray(0, 5)]).toEqual([0, 0, 0, 0, 3]);
  });
});

test('a dead letter comes back as it was', () => {
  expect(codec.decodeDeadLetter(codec.encodeDeadLetter(DEAD_LETTER))).toEqual(DEAD_LETTER);
});

describe('undecodable', () => {
  const good = codec.encode(TRACK);

  test.each([
    ['nothing', Uint8Array.of()],
    ['a header alone', good.subarray(0, 5)],
    ['no zero byte', Buffer.concat([Uint8Array.of(1), good.subarray(1)])],
    ['an id that nobody knows', relabelled(good, 99)],
    ["another topic's id", relabelled(good, 1)],
    ['a record cut short', good.subarray(0, -1)],
    ['a byte too much', Buffer.concat([good, Uint8Array.of(0)])],
    ['JSON', Buffer.from(JSON.stringify({ type: 'track' }))],
    ['a user key that is not valid', codec.encode({ ...TRACK, userKey: 'u' })],
    ['a version that is not valid', codec.encode({ ...TRACK, version: 'F'.repeat(32) })],
    ['a time out of range', codec.encode({ ...TRACK, timestamp: 10_413_792_000_000_000n })],
    ['an arrival out of range', codec.encode({ ...TRACK, receivedAt: -(2n ** 63n) })],
  ])('%s', (_what, value) => {
    expect(codeOf(() => codec.decode('tidemark.track', value))).toBe('MESSAGE_UNDECODABLE');
  });

  test('what stands in another topic', () => {
    expect(codeOf(() => codec.decode('tidemark.identify', good))).toBe('MESSAGE_UNDECODABLE');
    expect(codeOf(() => codec.decode('tidemark.dead-letter', good))).toBe('MESSAGE_UNDECODABLE');
    expect(codeOf(() => codec.decode('toString', good))).toBe('MESSAGE_UNDECODABLE');
    expect(codeOf(() => codec.decodeDeadLetter(good))).toBe('MESSAGE_UNDECODABLE');
  });

  test('random bytes are undecodable, unless they are a message by chance', () => {
    const damage = fc.record({ at: fc.nat(good.length - 1), bytes: fc.uint8Array({ maxLength: 40 }) });

    fc.assert(
      fc.property(damage, fc.constantFrom(...MESSAGE_TOPICS), ({ at, bytes }, topic) => {
        const value = Buffer.from(good);
        value.set(bytes.subarray(0, good.length - at), at);

        expect(['none', 'MESSAGE_UNDECODABLE']).toContain(codeOf(() => codec.decode(topic, value)));
        expect(['none', 'MESSAGE_UNDECODABLE']).toContain(
          codeOf(() => codec.decode(topic, Buffer.concat([good.subarray(0, 5), bytes]))),
        );
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a message written with another schema', () => {
  const registry = new FakeRegistry({
    100: identifySchema((fields) => [...fields, { name: 'later', type: ['null', 'string'], default: null }]),
    101: identifySchema((fields) => [{ name: 'first', type: 'long' }, ...fields]),
    102: identifySchema((fields) => fields.filter(({ name }) => name !== 'anonymous_id')),
    103: identifySchema((fields) => fields.filter(({ name }) => name !== 'user_key')),
    104: { type: 'record', name: 'Broken' },
  });
  const evolving = new Codec(registry);
  const value = codec.encode(IDENTIFY);
  const written = {
    100: relabelled(Buffer.concat([value, Uint8Array.of(2, 2, 120)]), 100),
    101: relabelled(Buffer.concat([value.subarray(0, 5), Uint8Array.of(1), value.subarray(5)]), 101),
    102: relabelled(withoutAnonymousId(value), 102),
    103: relabelled(value, 103),
    104: relabelled(value, 104),
  };

  test('a message of another schema is read as the current one once its schema is loaded', async () => {
    expect(codeOf(() => evolving.decode('tidemark.identify', written[100]))).toBe('MESSAGE_UNDECODABLE');

    await evolving.prepare([written[100], written[101], written[102], value, Uint8Array.of(7)]);

    expect(registry.fetched).toEqual([100, 101, 102]);
    expect(evolving.decode('tidemark.identify', written[100])).toEqual(IDENTIFY);
    expect(evolving.decode('tidemark.identify', written[101])).toEqual(IDENTIFY);
    expect(evolving.decode('tidemark.identify', written[102])).toEqual(IDENTIFY);
    expect(evolving.decode('tidemark.identify', value)).toEqual(IDENTIFY);
  });

  test('a message of an incompatible schema is undecodable', async () => {
    await evolving.prepare([written[103], written[104]]);

    expect(codeOf(() => evolving.decode('tidemark.identify', written[103]))).toBe('MESSAGE_UNDECODABLE');
    expect(codeOf(() => evolving.decode('tidemark.identify', written[104]))).toBe('MESSAGE_UNDECODABLE');
  });

  test('a message of an unknown schema waits for an unreachable registry', async () => {
    await expect(evolving.prepare([relabelled(value, 503)])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});

describe('without a registry', () => {
  const value = codec.encode(IDENTIFY);

  test('a message of a schema that only a newer program knows is waited for', async () => {
    await expect(codec.prepare([relabelled(value, 99)])).rejects.toMatchObject({ code: 'LOG_NEWER', retryable: true });
  });

  test('a schema id that no program of ours would have given makes a message undecodable', async () => {
    const foreign = relabelled(value, 0x41424344);

    await codec.prepare([foreign]);

    expect(codeOf(() => codec.decode('tidemark.identify', foreign))).toBe('MESSAGE_UNDECODABLE');
  });
});

/** The union's branch of a null is one zero byte, right behind the user id. */
function withoutAnonymousId(value: Uint8Array): Uint8Array {
  const bytes = Buffer.from(value);
  const userId = Buffer.from(IDENTIFY.userId ?? '');
  const after = bytes.indexOf(userId) + userId.length;
  return Buffer.concat([bytes.subarray(0, after), bytes.subarray(after + 1)]);
}
