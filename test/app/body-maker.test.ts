import { expect, test } from 'vitest';
import type { RecordMaker } from '../../services/event-log/record-maker.ts';
import { bodyMakerOf } from '../../services/app/body-maker.ts';

const EMBEDDED = { eventLogUrl: 'lmdb:/data/event-log', spoolDir: undefined, schemaRegistryUrl: undefined };

test('an embedded log makes records of bodies itself, with a module that exists', async () => {
  const maker = bodyMakerOf(EMBEDDED);

  const { makeRecords } = (await import(maker!.href)) as { makeRecords: RecordMaker };
  expect(makeRecords).toBeTypeOf('function');
});

test.each([
  ['on a server', { eventLogUrl: 'kafka://localhost:9092' }],
  ["with a registry's schemas", { schemaRegistryUrl: 'http://localhost:8081' }],
  ['behind a spool', { spoolDir: '/spool' }],
])('a log %s does not make records of bodies', (_, changes) => {
  expect(bodyMakerOf({ ...EMBEDDED, ...changes })).toBeUndefined();
});
