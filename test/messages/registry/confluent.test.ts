import { describe, expect, test } from 'vitest';
import { Codec } from '../../../services/messages/codec.ts';
import { isImported, SCHEMA_TOPICS } from '../../../services/messages/message.ts';
import { currentSchemaOf } from '../../../services/messages/schema-ids.ts';
import { openSchemaIds } from '../../../services/messages/registry/open.ts';
import { serverUrl } from '../../servers/server.ts';
import { startProgram } from '../../support/service/program.ts';
import { RegistryGate } from '../../support/event-log/registry-gate.ts';
import {
  compatibilityOf,
  identifySchema,
  newPrefix,
  registerSchema,
  setCompatibility,
} from '../../support/event-log/registry.ts';
import { DEAD_LETTER, IDENTIFY, PROJECT, SESSION, TRACK } from '../../support/messages/sample-messages.ts';

const registry = (await serverUrl('registry')) ?? '';

/** A schema that a reader of today's cannot read. */
const FOREIGN = { type: 'record', name: 'Identify', namespace: 'tidemark', fields: [{ name: 'other', type: 'int' }] };

describe.skipIf(registry === '')('the ids of a registry', () => {
  test('are those of the schemas under TOPIC-value, which stand there whole', async () => {
    const topicPrefix = newPrefix();

    const ids = await openSchemaIds(registry, { topicPrefix });

    for (const topic of SCHEMA_TOPICS) {
      const response = await fetch(`${registry}/subjects/${topicPrefix}${topic}-value/versions/latest`);
      const { id, schema } = (await response.json()) as { id: number; schema: string };
      expect(ids.idOf(topic)).toBe(id);
      expect(JSON.parse(schema)).toEqual(currentSchemaOf(topic));
      expect(ids.schemaOf(id)).toEqual(currentSchemaOf(topic));
    }
  });

  test('are what messages are framed with', async () => {
    const ids = await openSchemaIds(registry, { topicPrefix: newPrefix() });
    const codec = new Codec(ids);

    const values = [IDENTIFY, TRACK, SESSION].map((message) => codec.encode(message));
    const deadLetter = codec.encodeDeadLetter(DEAD_LETTER);
    const project = codec.encodeProject(PROJECT);

    // A registry may give one schema one id, under however many subjects.
    expect(new Set(SCHEMA_TOPICS.filter((topic) => !isImported(topic)).map((topic) => ids.idOf(topic))).size).toBe(7);
    expect(idsIn([...values, deadLetter, project])).toEqual([
      ids.idOf('tidemark.identify'),
      ids.idOf('tidemark.track'),
      ids.idOf('tidemark.session'),
      ids.idOf('tidemark.dead-letter'),
      ids.idOf('tidemark.project'),
    ]);
    expect(codec.decode('tidemark.track', values[1]!)).toEqual(TRACK);
    expect(codec.decodeDeadLetter(deadLetter)).toEqual(DEAD_LETTER);
  });

  test('are found, not registered again, by the next to start', async () => {
    const topicPrefix = newPrefix();
    const first = await openSchemaIds(registry, { topicPrefix });
    const gate = await RegistryGate.open(registry);

    const second = await openSchemaIds(gate.url(), { topicPrefix });

    expect(SCHEMA_TOPICS.map((topic) => second.idOf(topic))).toEqual(SCHEMA_TOPICS.map((topic) => first.idOf(topic)));
    expect(gate.requests.filter((line) => /^PUT|\/versions$/.test(line))).toEqual([]);
  });

  test('are the same for processes that start at once', async () => {
    const prefix = newPrefix();
    const programs = Array.from({ length: 3 }, () =>
      startProgram(['test/support/programs/schema-ids-opener.ts', registry, prefix]),
    );
    for (const program of programs) expect(await program.line()).toBe('ready');

    for (const program of programs) program.child.stdin.write('go\n');
    const said = await Promise.all(programs.map((program) => program.line()));

    expect(said[0]?.split(' ')).toHaveLength(SCHEMA_TOPICS.length);
    expect(new Set(said).size).toBe(1);
  });

  test('are the same for many who start at once, again and again', async () => {
    for (const topicPrefix of [newPrefix(), newPrefix(), newPrefix()]) {
      const opened = await Promise.all(Array.from({ length: 6 }, () => openSchemaIds(registry, { topicPrefix })));

      expect(new Set(opened.map((ids) => SCHEMA_TOPICS.map((topic) => ids.idOf(topic)).join())).size).toBe(1);
    }
  });

  test('are found where another process registers in the same instant and the registry refuses a second', async () => {
    const topicPrefix = newPrefix();
    const first = await openSchemaIds(registry, { topicPrefix });
    const gate = await RegistryGate.open(registry);
    const subject = `/subjects/${topicPrefix}tidemark.track-value`;
    gate.trouble = (line) => {
      if (line === `POST ${subject}/versions`) return { status: 409, body: '{"error_code":409}' };
      const isFirst = gate.requests.filter((before) => before === line).length === 1;
      return line === `POST ${subject}` && isFirst ? { status: 404, body: '{"error_code":40403}' } : undefined;
    };

    const second = await openSchemaIds(gate.url(), { topicPrefix });

    expect(gate.requests).toContain(`POST ${subject}/versions`);
    expect(second.idOf('tidemark.track')).toBe(first.idOf('tidemark.track'));
  });
});

describe.skipIf(registry === '')('compatibility', () => {
  test('BACKWARD is asked for, for every subject', async () => {
    const topicPrefix = newPrefix();

    await openSchemaIds(registry, { topicPrefix });

    for (const topic of SCHEMA_TOPICS)
      expect(await compatibilityOf(registry, `${topicPrefix}${topic}-value`)).toBe('BACKWARD');
  });

  test.each([
    ['NONE', 'BACKWARD'],
    ['FORWARD', 'FULL'],
    ['FORWARD_TRANSITIVE', 'FULL_TRANSITIVE'],
    ['BACKWARD_TRANSITIVE', 'BACKWARD_TRANSITIVE'],
    ['FULL', 'FULL'],
  ])('%s becomes %s', async (before, after) => {
    const topicPrefix = newPrefix();
    const subject = `${topicPrefix}tidemark.track-value`;
    await setCompatibility(registry, subject, before);

    await openSchemaIds(registry, { topicPrefix });

    expect(await compatibilityOf(registry, subject)).toBe(after);
  });

  test('is asked for where the schema was there and nobody had asked', async () => {
    const topicPrefix = newPrefix();
    const subject = `${topicPrefix}tidemark.track-value`;
    const id = await registerSchema(registry, subject, currentSchemaOf('tidemark.track'));

    const ids = await openSchemaIds(registry, { topicPrefix });

    expect(ids.idOf('tidemark.track')).toBe(id);
    expect(await compatibilityOf(registry, subject)).toBe('BACKWARD');
  });

  test('that may not be asked for is no obstacle where the schemas are there', async () => {
    const topicPrefix = newPrefix();
    await openSchemaIds(registry, { topicPrefix });
    await setCompatibility(registry, `${topicPrefix}tidemark.track-value`, 'NONE');
    const gate = await RegistryGate.open(registry);
    gate.trouble = (line) => (line.startsWith('PUT') ? { status: 403, body: '{"error_code":40301}' } : undefined);

    await expect(openSchemaIds(gate.url(), { topicPrefix })).resolves.toBeDefined();
    await expect(openSchemaIds(gate.url(), { topicPrefix: newPrefix() })).rejects.toMatchObject({
      code: 'SERVER_DENIED',
    });
  });

  test('may be changed by another in between: it is asked for again then', async () => {
    const topicPrefix = newPrefix();
    const subject = `/config/${topicPrefix}tidemark.track-value`;
    const gate = await RegistryGate.open(registry);
    gate.trouble = (line) => {
      if (line === `PUT ${subject}`) return { status: 409, body: '{"error_code":409}' };
      const asked = gate.requests.filter((before) => before === line).length;
      if (line !== `GET ${subject}`) return undefined;
      // Nobody's yet; then what the other asked for in this instant; then what a third has made of it.
      if (asked === 1) return { status: 404, body: '{"error_code":40408}' };
      return { status: 200, body: JSON.stringify({ compatibilityLevel: asked === 2 ? 'BACKWARD' : 'FULL' }) };
    };

    const opening = openSchemaIds(gate.url(), { topicPrefix });

    await expect(opening).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(openSchemaIds(gate.url(), { topicPrefix })).resolves.toBeDefined();
  });

  test('refuses a schema that cannot read what is there, naming the subject', async () => {
    const topicPrefix = newPrefix();
    const subject = `${topicPrefix}tidemark.identify-value`;
    await registerSchema(registry, subject, FOREIGN);

    await expect(openSchemaIds(registry, { topicPrefix })).rejects.toMatchObject({
      code: 'SCHEMA_INCOMPATIBLE',
      retryable: false,
      message: expect.stringContaining(subject) as string,
    });
  });

  test('lets a newer schema in, and the older program goes on under its own id', async () => {
    const topicPrefix = newPrefix();
    const before = await openSchemaIds(registry, { topicPrefix });
    const newer = identifySchema((fields) => [...fields, { name: 'later', type: ['null', 'string'], default: null }]);
    const id = await registerSchema(registry, `${topicPrefix}tidemark.identify-value`, newer);

    const after = await openSchemaIds(registry, { topicPrefix });

    expect(id).not.toBe(before.idOf('tidemark.identify'));
    expect(after.idOf('tidemark.identify')).toBe(before.idOf('tidemark.identify'));
  });
});

function idsIn(values: readonly Uint8Array[]): number[] {
  return values.map((value) => Buffer.from(value).readUInt32BE(1));
}
