import { expect, test } from 'vitest';
import type { RecordEncoder } from '../../services/event-log/event-log.ts';
import { encoderModuleOf } from '../../services/ingest/encoder-module.ts';

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
