import { expect, test } from 'vitest';
import { compilePreview } from '../../../services/questions/sql/compile.ts';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import type { Query } from '../../../services/stores/analytics/analytics-store.ts';
import { exactly } from '../../support/messages/random-history.ts';
import { userEventsWhere } from '../../../services/stores/analytics/user-events.ts';

const NOW = BigInt(Date.UTC(2026, 10, 20, 12)) * 1000n;
const AUDIENCES = new Map([
  [
    'aud_1',
    {
      name: 'Pros',
      definition: exactly('{"all":[{"trait":"plan","is":"pro"},{"event":"Paid","count":{"at_least":2}}]}'),
    },
  ],
]);

function queryFor(definition: unknown): Query {
  const read = readDefinition(definition, { timezone: 'UTC', audiences: AUDIENCES });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return compilePreview(read.definition, { projectId: 'proj_1', now: NOW, sampleSize: 10 });
}

/** The condition on `user`, each parameter's value in its place between ‹ and ›. */
function conditionFor(definition: unknown): string {
  const { sql, params } = queryFor(definition);
  const condition = sql.slice(sql.indexOf('FROM user_rows')).split(' AND ').slice(1).join(' AND ');
  return condition.replaceAll(/\{(p\d+):[^}]*\}/g, (_, name: string) => `‹${String(params[name])}›`);
}

function folded(text: string): string {
  return `replaceAll(replaceAll(lowerUTF8(upperUTF8(${text})), 'ς', 'σ'), 'ß', 'ss')`;
}

test.each([
  [
    'having done one of several things by their names',
    { event: ['Bought', 'Paid'], count: { at_least: 2 } },
    [
      'user IN (SELECT user FROM track_rows FINAL WHERE project_id = ‹proj_1› AND event IN ‹Bought,Paid›',
      'GROUP BY user HAVING uniqUpTo(‹2›)(bitXor(message_number, sipHash64(event))) >= ‹2›)',
    ],
  ],
  [
    'a list of one name as that name',
    { event: ['Bought'], count: { at_least: 2 } },
    [
      'user IN (SELECT user FROM track_rows FINAL WHERE project_id = ‹proj_1› AND event = ‹Bought›',
      'GROUP BY user HAVING uniqUpTo(‹2›)(message_number) >= ‹2›)',
    ],
  ],
  [
    'having done none of several things by those who did any',
    { event: ['Bought', 'Paid'], count: { at_most: 0 } },
    [
      'user NOT IN (SELECT user FROM track_rows WHERE project_id = ‹proj_1› AND event IN ‹Bought,Paid›',
      'GROUP BY user)',
    ],
  ],
  [
    'having done anything, in the order of users',
    {
      all: [{ trait: 'plan', is: 'pro' }, { event: { any: true } }],
    },
    [
      `(user IN (SELECT user FROM ${userEventsWhere(['project_id = ‹proj_1›'])} WHERE`,
      'toUInt64(user) IN (SELECT toUInt64(user) FROM',
      '(SELECT user FROM trait_rows FINAL WHERE project_id = ‹proj_1› AND trait = ‹plan›',
      "AND kind != 'deleted' AND ifNull(if(kind = 'string', text, NULL) = ‹pro›, false)))",
      'GROUP BY user))',
    ],
  ],
  [
    'having done anything within a time by its days',
    { event: { any: true }, within: { since: '2026-11-01' } },
    [
      'user IN (SELECT user FROM track_rows WHERE project_id = ‹proj_1›',
      'AND day >= toDate32(‹2026-11-01 00:00:00.000000›) GROUP BY user)',
    ],
  ],
  [
    'a date that is text, which is compared as text before it is parsed',
    { trait: 'up', date: { last: '90d' } },
    [
      'user IN (SELECT user FROM trait_rows FINAL WHERE project_id = ‹proj_1› AND trait = ‹up›',
      "AND kind != 'deleted' AND ifNull((if(kind = 'string', text, NULL) >= ‹2026-08-20›",
      "AND if(kind = 'string', text, NULL) < ‹2026-11-23› AND arrayExists(fields -> arrayExists(n -> arrayExists(local ->",
      "ifNull(multiIf(isNull(local), false, fields[8] != '' OR fields[9] != '',",
      "(local - if(fields[9] = '-', -1, 1) * (n[10] * 60 + n[11]) * 60000000) >= ‹1787400000000000›",
      "AND (local - if(fields[9] = '-', -1, 1) * (n[10] * 60 + n[11]) * 60000000) < ‹1795176000000001›,",
      "fields[4] = '', local >= ‹1787443200000000› AND local < ‹1795219200000000›,",
      '(local >= ‹1787400000000000›) AND NOT (local >= ‹1795176000000001›)), false),',
      "[dateMicros(n)]), [dateNumbers(fields)]), [dateFields(if(kind = 'string', text, NULL))])), false))",
    ],
  ],
  [
    'a date that is a number as microseconds',
    { trait: 'up', date: { since: '+7d', epoch: 'seconds' } },
    [
      'user IN (SELECT user FROM trait_rows FINAL WHERE project_id = ‹proj_1› AND trait = ‹up›',
      "AND kind != 'deleted' AND ifNull(arrayExists(instant -> ifNull(instant >= ‹1795780800000000›",
      "AND instant < ‹10413792000000000›, false), [coalesce(if(if(kind = 'number', integer, NULL) >= -‹1000000000000›",
      "AND if(kind = 'number', integer, NULL) <= ‹1000000000000›,",
      "toInt64(if(kind = 'number', integer, NULL)) * ‹1000000›, NULL),",
      "if(if(kind = 'number' AND isNull(integer), number, NULL) >= -‹1000000000000›",
      "AND if(kind = 'number' AND isNull(integer), number, NULL) <= ‹1000000000000›,",
      "toInt64(floor(if(kind = 'number' AND isNull(integer), number, NULL) * ‹1000000› + 0.5)), NULL))]), false))",
    ],
  ],
  [
    'a sample by a hash, beside what is read',
    {
      all: [{ trait: 'plan', exists: false }, { not: { sample: { percent: 2.5, seed: 'spring' } } }],
    },
    [
      '(user NOT IN (SELECT user FROM trait_rows FINAL WHERE project_id = ‹proj_1› AND trait = ‹plan›',
      "AND kind != 'deleted' AND NOT (NOT (kind != 'deleted')))",
      'AND NOT (sipHash64Keyed((‹13458910996958095970›, ‹15642302847516667183›), user) % 10000 < ‹250›))',
    ],
  ],
  [
    'another audience by its conditions, which narrow those beside it',
    { all: [{ event: 'Bought' }, { audience: 'aud_1' }] },
    [
      '(user IN (SELECT user FROM track_rows FINAL PREWHERE toUInt64(user) IN (SELECT toUInt64(user) FROM',
      '(SELECT user FROM track_rows WHERE project_id = ‹proj_1› AND event = ‹Bought› AND toUInt64(user) IN',
      '(SELECT toUInt64(user) FROM (SELECT user FROM trait_rows FINAL WHERE project_id = ‹proj_1› AND trait = ‹plan›',
      "AND kind != 'deleted' AND ifNull(if(kind = 'string', text, NULL) = ‹pro›, false))) GROUP BY user))",
      'WHERE project_id = ‹proj_1› AND event = ‹Paid› GROUP BY user HAVING uniqUpTo(‹2›)(message_number) >= ‹2›))',
    ],
  ],
  [
    'the end of a text and a pattern, whatever the case of letters',
    { trait: 'email', ends_with: '.DE', matches: '^é+', ignore_case: true },
    [
      'user IN (SELECT user FROM trait_rows FINAL WHERE project_id = ‹proj_1› AND trait = ‹email›',
      `AND kind != 'deleted' AND ifNull(endsWith(${folded("if(kind = 'string', text, NULL)")}, ‹.de›), false)`,
      "AND ifNull(match(if(kind = 'string', text, NULL), ‹(?i)^\\x{e9}+›), false))",
    ],
  ],
  [
    'an object of a list by the text of the properties',
    {
      event: 'X',
      where: [
        {
          property: ['cart', 'items'],
          has: [
            { property: 'sku', is: 'a' },
            { property: 'tags', has: [{ property: ['a', 'b'], exists: true }] },
          ],
        },
      ],
    },
    [
      'user IN (SELECT user FROM track_rows FINAL WHERE project_id = ‹proj_1› AND event = ‹X›',
      "AND arrayExists(member -> JSONType(member) = 'Object'",
      "AND ifNull(if(JSONType(member, ‹sku›) = 'String', JSONExtractString(member, ‹sku›), NULL) = ‹a›, false)",
      "AND arrayExists(member -> JSONType(member) = 'Object' AND JSONType(member, ‹a›, ‹b›) != 'Null',",
      'arrayMap(member -> readable(member), JSONExtractArrayRaw(member, ‹tags›))),',
      'arrayMap(member -> readable(member), JSONExtractArrayRaw(readable(properties_text), ‹cart›, ‹items›)))',
      'GROUP BY user)',
    ],
  ],
  [
    'an object of a list that is a trait by its JSON',
    { trait: 'cards', has: [{ property: 'paid', is: true }] },
    [
      'user IN (SELECT user FROM trait_rows FINAL WHERE project_id = ‹proj_1› AND trait = ‹cards›',
      "AND kind != 'deleted' AND (kind = 'array' AND arrayExists(member -> JSONType(member) = 'Object'",
      "AND (JSONType(member, ‹paid›) = 'Bool' AND JSONExtractBool(member, ‹paid›) = true),",
      'arrayMap(member -> readable(member), JSONExtractArrayRaw(readable(value))))))',
    ],
  ],
  [
    'one of several texts, whatever the case of letters',
    { event: 'X', where: [{ property: 'a', in: ['A', 'b', 1], ignore_case: true }] },
    [
      'user IN (SELECT user FROM track_rows FINAL WHERE project_id = ‹proj_1› AND event = ‹X›',
      `AND (ifNull(${folded('‹properties.a.:`String`›')} IN ‹a,b›, false)`,
      'OR ifNull((‹properties.a.:`Int64`› = ‹1› OR ‹properties.a.:`UInt64`› = ‹1› OR ‹properties.a.:`Float64`› = ‹1›), false))',
      'GROUP BY user)',
    ],
  ],
])('a condition is compiled as %s', (_, definition, lines) => {
  expect(conditionFor(definition)).toBe(lines.join(' '));
});
