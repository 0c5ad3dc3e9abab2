import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compilePreview } from '../../../services/questions/sql/compile.ts';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { parseBody, toJsonText } from '../../../services/messages/json.ts';
import type { Track } from '../../../services/messages/message.ts';
import { ask, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { type OpenedAnalytics } from '../../support/stores/analytics-stores.ts';
import { audienceOf } from '../../support/messages/naive-audience.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';
import { Dice } from '../../torture/dice.ts';
import { randomKey, randomValue } from '../../torture/random-json.ts';

const NOW = BigInt(Date.UTC(2026, 10, 21)) * 1000n;
const PER_INSERT = 150;

/** Values of every type that a member may have. */
const VALUES = [
  ['1', '18446744073709551615', '1.5', '"pro"', 'true', '[]', '[null]', '[1]', '[1.5,9007199254740993]', '["pro"]'],
  ['[true]', '[1,"pro",1.5,true,18446744073709551615,null]', '[[]]', '[[1,2],null]', '[[{"a":1}],"pro"]', '{"a":1}'],
  ['[{"a":1,"b":[1,"pro"]},1]', '{"b":["pro",[2]]}', '{"a":{"b":[[[["pro"]]]]}}', '[{"pro":[{"pro":["pro",{}]}]}]'],
].flat();

// What makes a part Wide where its size decides.
const LARGE = 'x'.repeat(40_000);

/** Properties as the door hands them on: of every shape, under many keys. */
function properties(dice: Dice): string {
  const members = [
    ...Array.from({ length: 3 }, () => [randomKey(dice), randomValue(dice, 5)]),
    ...Array.from({ length: 12 }, () => [`key ${dice.between(0, 299)}`, dice.pick(VALUES)]),
    ['member', dice.pick(VALUES)],
    // In lists of objects, keys that no other event has.
    ['items', `[{"item ${dice.between(0, 1e9)}":${dice.pick(VALUES)},"member":${randomValue(dice)}},"pro"]`],
    ['large', `"${LARGE}"`],
  ];
  const body = parseBody(`{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`);
  if (!body.ok) throw new Error(JSON.stringify(body.problems));
  return toJsonText(body.value.exact);
}

const WHERES = [
  ...['member', 'items', 'a', 'b', 'key 7'].flatMap((property) => [
    { property, exists: true },
    { property, contains: 'pro' },
    { property, contains: 1 },
    { property, contains: true },
  ]),
  { property: ['member', 'b'], contains: 'pro' },
  { property: 'member', is: 'pro' },
  { property: 'member', gte: 1 },
];

describe.each(await testedAnalytics())('events of every shape ($name)', (tested) => {
  const dice = new Dice(1);
  const maker = new MessageMaker();
  const messages: Track[] = Array.from({ length: 3 * PER_INSERT }, (_, n) =>
    maker.track({ userId: `user ${n}`, properties: properties(dice) }),
  );
  let analytics: OpenedAnalytics;
  beforeAll(async () => {
    analytics = await tested.open();
    for (let from = 0; from < messages.length; from += PER_INSERT)
      await insert(analytics.store, messages.slice(from, from + PER_INSERT), BigInt(from));
  }, 120_000);
  afterAll(() => analytics.drop());

  /** The most files and the most streams of a part of events. */
  async function most(): Promise<Record<string, number>> {
    const sql = `SELECT max(files) AS files, max(length(substreams)) AS streams, count() AS parts
                 FROM system.parts_columns INNER JOIN system.parts USING (database, table, name, active)
                 WHERE database = currentDatabase() AND table = 'track_rows' AND active AND column = 'properties'`;
    const [row] = await ask<Record<string, string>>(analytics.store, sql);
    return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)]));
  }

  /** How many users each question finds. */
  async function found(): Promise<unknown[]> {
    const counts: unknown[] = [];
    for (const where of WHERES) {
      const { query } = questionFor(where);
      const { sql, params } = query;
      const [row] = await ask<{ count: string }>(analytics.store, sql, params);
      counts.push([where, Number(row?.count)]);
    }
    return counts;
  }

  function questionFor(where: object) {
    const read = readDefinition({ event: 'Order Completed', where: [where] }, { timezone: 'UTC' });
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const query = compilePreview(read.definition, { projectId: maker.projectId, now: NOW, sampleSize: 1 });
    return { query, definition: read.definition };
  }

  test('events of every shape need few files and a bounded number of streams, and every query finds them as sent', async () => {
    const expected = WHERES.map((where) => [where, audienceOf(questionFor(where).definition, messages, NOW).size]);

    const inserted = await most();
    const foundInserted = await found();
    await analytics.byHand('OPTIMIZE TABLE track_rows FINAL');
    const merged = await most();

    expect(foundInserted).toEqual(expected);
    expect(await found()).toEqual(expected);
    for (const { files, streams } of [inserted, merged]) {
      expect(files).toBeLessThan(30);
      expect(streams).toBeLessThan(10_000);
    }
    expect(merged['parts']).toBe(1);
  }, 120_000);
});
