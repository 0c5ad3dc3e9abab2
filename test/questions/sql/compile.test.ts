import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePreview } from '../../../services/questions/sql/compile.ts';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import type { Query } from '../../../services/stores/analytics/analytics-store.ts';
import { userEventsWhere } from '../../../services/stores/analytics/user-events.ts';
import { HOSTILE } from '../../support/messages/hostile.ts';

const NOW = BigInt(Date.UTC(2026, 10, 20, 12)) * 1000n;

function queryFor(definition: unknown): Query {
  const read = readDefinition(definition, { timezone: 'UTC' });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return compilePreview(read.definition, { projectId: 'proj_1', now: NOW, sampleSize: 10 });
}

/** The subquery of the users, each parameter's value in its place between ‹ and ›. */
function usersFor(definition: unknown): string {
  const { sql, params } = queryFor(definition);
  const users = sql.slice(sql.indexOf('AS users FROM (') + 'AS users FROM ('.length, -1);
  return users.replaceAll(/\{(p\d+):[^}]*\}/g, (_, name: string) => `‹${String(params[name])}›`);
}

test('booleans that a list repeats are asked about once', () => {
  const repeated = { event: 'Paid', where: [{ property: [''], in: [false, 'yes', ...Array(900).fill(false), true] }] };
  const once = { event: 'Paid', where: [{ property: [''], in: [false, 'yes', true] }] };

  expect(queryFor(repeated).sql).toBe(queryFor(once).sql);
});

// What is right is held by the property tests beside naive models. These are the plans that measuring bought.
describe('a definition is asked as', () => {
  test.each([
    [
      'several values by one list of each type',
      { trait: 'plan', in: ['pro', 5, 1.5, true] },
      [
        'SELECT user FROM trait_rows FINAL WHERE project_id = ‹proj_1› AND trait = ‹plan›',
        "AND kind != 'deleted' AND ((kind = 'boolean' AND text = 'true')",
        "OR ifNull(if(kind = 'string', text, NULL) = ‹pro›, false) OR (kind = 'number' AND ((isNull(integer)",
        "AND number IN CAST(‹5,1.5›, 'Array(Float64)'))",
        "OR ifNull(integer IN CAST(‹5›, 'Array(Int128)'), false) OR (isNotNull(integer)",
        "AND number IN CAST(‹1.5›, 'Array(Float64)')))))",
      ],
    ],
    [
      'a missing trait by those who have another, among all users',
      { trait: 'plan', is_not: 'pro' },
      [
        'SELECT user FROM user_rows WHERE project_id = ‹proj_1› AND',
        'user NOT IN (SELECT user FROM trait_rows FINAL WHERE project_id = ‹proj_1› AND trait = ‹plan›',
        "AND kind != 'deleted' AND NOT (NOT ifNull(if(kind = 'string', text, NULL) = ‹pro›, false)))",
        'GROUP BY user',
      ],
    ],
    [
      'having done something, by any copy of any event',
      { event: 'Bought' },
      ['SELECT user FROM track_rows WHERE project_id = ‹proj_1› AND event = ‹Bought› GROUP BY user'],
    ],
    [
      'how often within a time by any copy and by distinct ids, but for copies on the days of which the time has a part',
      { event: 'Bought', within: { last: '30d' }, count: { at_least: 3 } },
      [
        'SELECT user FROM track_rows WHERE project_id = ‹proj_1› AND event = ‹Bought›',
        'AND day >= toDate32(‹2026-10-21 12:00:00.000000›) AND day <= toDate32(‹2026-11-20 12:00:00.000001›)',
        'AND timestamp >= ‹2026-10-21 12:00:00.000000› AND timestamp < ‹2026-11-20 12:00:00.000001›',
        'AND (day NOT IN (toDate32(‹2026-10-21 12:00:00.000000›), toDate32(‹2026-11-20 12:00:00.000001›))',
        'OR (event, day, user, message_number) NOT IN (SELECT event, day, user, message_number FROM track_rows',
        'WHERE project_id = ‹proj_1› AND event = ‹Bought›',
        'AND day IN (toDate32(‹2026-10-21 12:00:00.000000›), toDate32(‹2026-11-20 12:00:00.000001›))',
        'GROUP BY event, day, user, message_number HAVING',
        'max((timestamp >= ‹2026-10-21 12:00:00.000000› AND timestamp < ‹2026-11-20 12:00:00.000001›)) AND NOT',
        'argMax((timestamp >= ‹2026-10-21 12:00:00.000000› AND timestamp < ‹2026-11-20 12:00:00.000001›), precedence)))',
        'GROUP BY user HAVING uniqUpTo(‹3›)(message_number) >= ‹3›',
      ],
    ],
    [
      'when it was first, by the first copy of each message',
      { event: 'Bought', first: { last: '30d' } },
      [
        'SELECT user FROM track_rows FINAL WHERE project_id = ‹proj_1› AND event = ‹Bought› GROUP BY user',
        'HAVING min(timestamp) >= ‹2026-10-21 12:00:00.000000› AND min(timestamp) < ‹2026-11-20 12:00:00.000001›',
      ],
    ],
    [
      'a property by the subcolumns of each type',
      { event: 'Bought', where: [{ property: 'total', gt: 50 }] },
      [
        'SELECT user FROM track_rows FINAL WHERE project_id = ‹proj_1› AND event = ‹Bought›',
        'AND ifNull((‹properties.total.:`Int64`› > ‹50› OR ‹properties.total.:`UInt64`› > ‹50›',
        'OR ‹properties.total.:`Float64`› > ‹50›), false) GROUP BY user',
      ],
    ],
    [
      'an object by what is in it',
      { event: 'Bought', where: [{ property: ['a.b', 'c'], exists: true }] },
      [
        'SELECT user FROM track_rows FINAL WHERE project_id = ‹proj_1› AND event = ‹Bought›',
        'AND (isNotNull(‹properties.a%2Eb.c›) OR notEmpty(JSONAllPaths(‹properties.^`a%2Eb`.c›)))',
        'GROUP BY user',
      ],
    ],
    [
      'never done by those who have',
      { event: 'Bought', count: { at_most: 0 } },
      [
        'SELECT user FROM user_rows WHERE project_id = ‹proj_1› AND',
        'user NOT IN (SELECT user FROM track_rows WHERE project_id = ‹proj_1› AND event = ‹Bought› GROUP BY user)',
        'GROUP BY user',
      ],
    ],
    [
      'all of several by sets within sets, traits innermost, before anything else of an event is read',
      {
        all: [
          { event: 'Bought', count: { at_least: 2 } },
          { trait: 'email', exists: true },
          { trait: 'plan', is: 'pro' },
        ],
      },
      [
        'SELECT user FROM trait_rows FINAL PREWHERE user IN (SELECT user FROM track_rows',
        'WHERE project_id = ‹proj_1› AND event = ‹Bought› AND',
        'toUInt64(user) IN (SELECT toUInt64(user) FROM (SELECT user FROM trait_rows FINAL',
        "WHERE project_id = ‹proj_1› AND trait = ‹plan› AND kind != 'deleted'",
        "AND ifNull(if(kind = 'string', text, NULL) = ‹pro›, false)))",
        'GROUP BY user HAVING uniqUpTo(‹2›)(message_number) >= ‹2›)',
        "WHERE project_id = ‹proj_1› AND trait = ‹email› AND kind != 'deleted' AND kind != 'deleted'",
      ],
    ],
    [
      'either of two by both sets',
      { any: [{ event: 'Bought' }, { event: 'Saw' }] },
      [
        'SELECT user FROM (SELECT user FROM track_rows WHERE project_id = ‹proj_1› AND event = ‹Bought› GROUP BY user',
        'UNION ALL SELECT user FROM track_rows WHERE project_id = ‹proj_1› AND event = ‹Saw› GROUP BY user) GROUP BY user',
      ],
    ],
    [
      'whom one set has and another has not by the first',
      { all: [{ event: 'Bought' }, { not: { event: 'Saw' } }] },
      [
        'SELECT user FROM (SELECT user FROM track_rows WHERE project_id = ‹proj_1› AND event = ‹Bought› GROUP BY user)',
        'WHERE NOT (user IN (SELECT user FROM track_rows WHERE project_id = ‹proj_1› AND event = ‹Saw› GROUP BY user))',
      ],
    ],
    [
      'an object of a list by texts that it must have, unless they are escaped',
      {
        event: 'Bought',
        where: [
          {
            property: 'items',
            has: [
              { property: 'sku', is: 'a-1' },
              { property: 'n', is: 'é' },
            ],
          },
        ],
      },
      [
        'SELECT user FROM track_rows FINAL WHERE project_id = ‹proj_1› AND event = ‹Bought›',
        String.raw`AND multiSearchAny(properties_text, ‹a-1,\u›)`,
        "AND arrayExists(member -> JSONType(member) = 'Object' AND ifNull(if(JSONType(member, ‹sku›) = 'String',",
        'JSONExtractString(member, ‹sku›), NULL) = ‹a-1›, false) AND',
        "ifNull(if(JSONType(member, ‹n›) = 'String', JSONExtractString(member, ‹n›), NULL) = ‹é›, false),",
        'arrayMap(member -> readable(member), JSONExtractArrayRaw(readable(properties_text), ‹items›))) GROUP BY user',
      ],
    ],
    [
      'many times by all their ids',
      { event: 'Bought', count: { at_least: 17 } },
      [
        'SELECT user FROM track_rows WHERE project_id = ‹proj_1› AND event = ‹Bought›',
        'GROUP BY user HAVING uniqExact(message_number) >= ‹17›',
      ],
    ],
    [
      'having done anything, in the order of users',
      {
        all: [{ trait: 'plan', is: 'pro' }, { event: { any: true } }],
      },
      [
        `SELECT user FROM ${userEventsWhere(['project_id = ‹proj_1›'])} WHERE`,
        'toUInt64(user) IN (SELECT toUInt64(user) FROM',
        '(SELECT user FROM trait_rows FINAL WHERE project_id = ‹proj_1› AND trait = ‹plan›',
        "AND kind != 'deleted' AND ifNull(if(kind = 'string', text, NULL) = ‹pro›, false)))",
        'GROUP BY user',
      ],
    ],
  ])('%s', (_, definition, lines) => {
    expect(usersFor(definition)).toBe(lines.join(' '));
  });

  test('a date that is text, which is compared as text before it is parsed', () => {
    expect(usersFor({ trait: 'up', date: { last: '90d' } })).toContain(
      "ifNull((if(kind = 'string', text, NULL) >= ‹2026-08-20› AND if(kind = 'string', text, NULL) < ‹2026-11-23› AND arrayExists(",
    );
  });

  test('the days of an event that follows another in time end when that time does', () => {
    const followed = { event: 'Returned', within: '24h' };

    expect(usersFor({ event: 'Bought', within: { last: '30d' }, followed_by: followed })).toContain(
      'event = ‹Returned› AND day >= toDate32(‹2026-10-21 12:00:00.000000›) AND day <= toDate32(‹2026-11-21 12:00:00.000001›)',
    );
  });
});

describe('a query', () => {
  test('a query defines the JSON function only where it looks into nested text', () => {
    expect(queryFor({ trait: ['a', 'b'], is: 1 }).sql).toMatch(/^WITH json -> /);
    expect(queryFor({ trait: 'a', is: 1 }).sql).toMatch(/^SELECT /);
  });

  const about = (text: string) => ({
    any: [
      { trait: `t${text}`, is: `v${text}`, starts_with: text },
      { trait: [`t${text}`, `n${text}`], in: [`1${text}`, `2${text}`], contains: text },
      { event: `e${text}`, where: [{ property: [`p${text}`], gt: text, is_not: text }] },
    ],
  });
  // No name of a subcolumn: properties are then read as a whole.
  const UNNAMEABLE = ["'", '`', '\\', "') OR 1=1 --", '\n'];
  const HARMLESS = [queryFor(about('plain')).sql, queryFor(about('`')).sql];

  test('the SQL text is the same whatever the strings and keys in the definition', () => {
    const hostile = ['"', ')', '--', '/*', '{p0:String}', ') OR 1=1 --', ';', '\u2028', '$1', '%s', '😀', ' '];

    const texts = hostile.map((text) => queryFor(about(text)).sql);
    const otherTexts = UNNAMEABLE.map((text) => queryFor(about(text)).sql);

    expect([...new Set(texts), ...new Set(otherTexts)]).toEqual(HARMLESS);
  });

  test('the SQL text is the same for random strings and keys', () => {
    const anything = fc.oneof(
      // NUL is refused before.
      fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }).map((text) => text.replaceAll('\0', '?')),
      fc
        .array(fc.constantFrom(...HOSTILE, ...UNNAMEABLE), { minLength: 1, maxLength: 5 })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(anything, (text) => {
        expect(HARMLESS).toContain(queryFor(about(text)).sql);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a query reads no time range beyond what messages can have', () => {
    expect(usersFor({ event: 'X', within: { between: ['99999w', '2299-12-31T23:59:59.999999Z'] } })).toContain(
      'timestamp >= ‹1900-01-01 00:00:00.000000› AND timestamp < ‹2299-12-31 23:59:59.999999›',
    );
  });
});
