import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnPath } from '../../../services/stores/analytics/json-path.ts';
import { parseBody, toJsonText } from '../../../services/messages/json.ts';
import type { JsonText } from '../../../services/messages/message.ts';
import { ask, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedAnalytics } from '../../support/stores/chdb.ts';
import { jsonObject } from '../../support/messages/json.ts';

const analytics = sharedAnalytics();

/** As the door would hand it on; undefined where it would refuse it. */
function accepted(text: string): JsonText | undefined {
  const body = parseBody(text);
  return body.ok ? toJsonText(body.value.exact) : undefined;
}

async function propertiesRead({ projectId }: MessageMaker): Promise<unknown[]> {
  const rows = await ask<{ text: string; columns: string }>(
    analytics(),
    `SELECT properties_text AS text, toJSONString(properties) AS columns FROM events
     WHERE project_id = {projectId:String} ORDER BY message_id
     SETTINGS output_format_json_quote_64bit_integers = 0, json_type_escape_dots_in_keys = 0`,
    { projectId },
  );
  return rows.map(({ text, columns }) => ({ text, columns: kept(JSON.parse(columns)) ?? {} }));
}

/**
 * What the column tells apart: numbers as doubles without -0; neither nulls nor empty objects; in a list only that there
 * is a null, a list or an object, which may all be one (`[[], null]` is read as two empty lists).
 */
function kept(value: unknown, inList = false): unknown {
  if (value === null) return inList ? 'nothing' : undefined;
  if (typeof value === 'number') return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value)) + 0;
  if (typeof value !== 'object') return value;
  if (inList) return 'nothing';
  if (Array.isArray(value)) return value.map((member) => kept(member, true));
  const members = Object.entries(value)
    .map(([key, member]) => [key, kept(member)] as const)
    .filter(([, member]) => member !== undefined);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** The same with every key as the column writes it. */
function withColumnKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withColumnKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [columnPath([key]), withColumnKeys(member)] as const),
  );
}

test('any JSON that ingest accepts is stored, read back with every digit, and found by its values', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(jsonObject, { minLength: 1, maxLength: 30 }), async (texts) => {
      const sent = texts.flatMap((text) => accepted(text) ?? []);
      const maker = new MessageMaker();
      const tracks = sent.map((properties, n) => maker.track({ properties, messageId: String(n).padStart(3, '0') }));

      await insert(analytics(), tracks);

      const expected = sent.map((text) => ({ text, columns: kept(withColumnKeys(JSON.parse(text))) ?? {} }));
      expect(await propertiesRead(maker)).toEqual(expected);
    }),
    { numRuns: 60 },
  );
}, 120_000);

test('every trait that ingest accepts is read back as it was sent', async () => {
  await fc.assert(
    fc.asyncProperty(jsonObject, async (text) => {
      const traits = accepted(text);
      fc.pre(traits !== undefined);
      const maker = new MessageMaker();

      await insert(analytics(), [maker.identify({ traits })]);

      const rows = await ask<{ traits: string }>(
        analytics(),
        'SELECT traits FROM profiles WHERE project_id = {p:String}',
        { p: maker.projectId },
      );
      const set = Object.entries(JSON.parse(traits) as object).filter(([, value]) => value !== null);
      expect(rows.map((row) => JSON.parse(row.traits) as unknown)).toEqual([Object.fromEntries(set)]);
    }),
    { numRuns: 60 },
  );
}, 120_000);

test('the largest and the most hostile objects go in beside others', async () => {
  const deep = (depth: number, open: string, close: string) => `{"a":${open.repeat(depth)}1${close.repeat(depth)}}`;
  const paths = (from: number) =>
    `{${Array.from({ length: 8_000 }, (_, n) => `"path ${from + n} of many, not seen before":${n}`).join(',')}}`;
  const hostile = [
    ...[0, 8_000, 16_000].map(paths),
    deep(60, '{"k":', '}'),
    deep(60, '[', ']'),
    deep(30, '[{"k":', '}]'),
    `{"${'k'.repeat(480_000)}":1}`,
    `{"a":"${'\\"'.repeat(240_000)}"}`,
    `{"a":[${'1,"x",'.repeat(60_000)}null]}`,
    `{"a":${'9'.repeat(1000)}}`,
    `{"a":[${'{"b":{}},'.repeat(50_000)}[]]}`,
    '{"":{"":{"":null,".":"."}},"a":[[],[[]],[null],{}],"b":[1,"1",true,{"c":[{"d":1.5}]}]}',
  ];
  const maker = new MessageMaker();

  await insert(
    analytics(),
    hostile.map((properties, n) => maker.track({ properties, messageId: String(n).padStart(3, '0') })),
  );

  const rows = await ask<{ text: string }>(
    analytics(),
    'SELECT properties_text AS text FROM events WHERE project_id = {p:String} ORDER BY message_id',
    { p: maker.projectId },
  );
  expect(rows.map(({ text }) => text)).toEqual(hostile);
}, 60_000);
