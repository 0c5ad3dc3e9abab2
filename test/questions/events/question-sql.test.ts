import { describe, expect, test } from 'vitest';
import type { Query } from '../../../services/stores/analytics/analytics-store.ts';
import { compileBuckets, compileCountedTop, compileTop } from '../../../services/questions/events/count-sql.ts';
import { compileEvents, compileKeys } from '../../../services/questions/events/list-sql.ts';
import {
  type CountsQuestion,
  readCountsQuestion,
  readEventsQuestion,
} from '../../../services/questions/events/read-question.ts';
import { type Interval, type TimeBuckets, timeBuckets } from '../../../services/questions/events/time-buckets.ts';
import { HOSTILE } from '../../support/messages/hostile.ts';
import { PROJECT } from '../../support/http/reading-server.ts';

const [FROM, TO] = ['2026-10-24T22:00Z', '2026-10-26T23:00Z'].map((text) => BigInt(Date.parse(text)) * 1000n) as [
  bigint,
  bigint,
];
const CONTEXT = { projectId: 'proj_1', now: TO, span: { from: FROM, to: TO } };

function asked(body: object): Parameters<typeof readCountsQuestion>[0] {
  return { project: PROJECT, text: JSON.stringify(body) };
}

function questionOf(body: object): CountsQuestion {
  const read = readCountsQuestion(asked({ event: 'Bought', measure: 'count', ...body }));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

function days(timezone: string, interval: Interval = 'day'): TimeBuckets {
  const buckets = timeBuckets({ from: FROM, to: TO }, interval, timezone);
  if (buckets === undefined) throw new Error('too many buckets');
  return buckets;
}

/** The SQL, each parameter's value in its place between ‹ and ›. */
function filled({ sql, params }: Query): string {
  return sql.replaceAll(/\{(p\d+):[^}]*\}/g, (_, name: string) => `‹${String(params[name])}›`);
}

const ROWS =
  'FROM track_rows FINAL WHERE project_id = ‹proj_1› AND event = ‹Bought› AND day >= toDate32(‹2026-10-24 22:00:00.000000›) AND day <= toDate32(‹2026-10-26 23:00:00.000000›) AND timestamp >= ‹2026-10-24 22:00:00.000000› AND timestamp < ‹2026-10-26 23:00:00.000000›';
const HEAD = "'' AS value, toUInt64(user) AS user_half, bitXor(message_number, toUInt64(user)) AS message, precedence";
const AT = 'toUnixTimestamp64Micro(timestamp)';
const BERLIN = `toUInt16(multiIf(${AT} < ‹1792890000000000›, intDiv(${AT} - ‹1792879200000000›, ‹86400000000›) + ‹0›, intDiv(${AT} - ‹1792882800000000›, ‹86400000000›) + ‹0›))`;
const TOTAL = 'properties.total.:';
const DOUBLE = `coalesce(‹${TOTAL}\`Float64\`›, toFloat64(‹${TOTAL}\`Int64\`›), toFloat64(‹${TOTAL}\`UInt64\`›)) AS double`;

describe('a question is asked as', () => {
  test('different messages are counted in buckets, each offset of the time zone with its own', () => {
    expect(filled(compileBuckets(questionOf({}), CONTEXT, days('Europe/Berlin'), []))).toBe(
      `SELECT bucket, series, uniqExact(message) AS n FROM (SELECT * EXCEPT value, toUInt8(0) AS series FROM (SELECT ${BERLIN} AS bucket, ${HEAD} ${ROWS})) GROUP BY bucket, series`,
    );
  });

  test('rows are counted where every bucket lies within one day of UTC, on which a message has one', () => {
    const sql = filled(compileBuckets(questionOf({}), CONTEXT, days('Europe/Berlin', 'hour'), []));

    expect(sql).toMatch(/^SELECT bucket, series, count\(\) AS n FROM/);
  });

  test('one value of the whole period has one bucket', () => {
    expect(filled(compileBuckets(questionOf({}), CONTEXT, null, []))).toContain(
      `(SELECT 0 AS bucket, ${HEAD} ${ROWS})`,
    );
  });

  test('users are counted by half of their number', () => {
    expect(filled(compileBuckets(questionOf({ measure: 'users' }), CONTEXT, null, []))).toMatch(
      /^SELECT bucket, series, uniqExact\(user_half\) AS n FROM/,
    );
  });

  test('several events tell their messages apart by name too, and all events need no name', () => {
    const several = filled(compileBuckets(questionOf({ event: ['a', 'b'] }), CONTEXT, null, []));
    const all = filled(compileBuckets({ ...questionOf({}), events: null }, CONTEXT, null, []));

    expect(several).toContain('bitXor(bitXor(message_number, toUInt64(user)), sipHash64(event)) AS message');
    expect(several).toContain('AND event IN ‹a,b› AND day >=');
    expect(all).toContain('project_id = ‹proj_1› AND day >= toDate32(‹2026-10-24 22:00:00.000000›)');
  });

  test('properties are tested as in an audience', () => {
    const question = questionOf({ where: [{ property: 'total', gt: 50 }] });

    expect(filled(compileBuckets(question, CONTEXT, null, []))).toContain(
      `AND ifNull((‹${TOTAL}\`Int64\`› > ‹50› OR ‹${TOTAL}\`UInt64\`› > ‹50› OR ‹${TOTAL}\`Float64\`› > ‹50›), false)`,
    );
  });

  test('users of an audience narrow the events before anything else of them is read', () => {
    const question = questionOf({ users: { trait: 'plan', is: 'pro' } });

    expect(filled(compileBuckets(question, CONTEXT, null, []))).toContain(
      "FROM track_rows FINAL PREWHERE toUInt64(user) IN (SELECT toUInt64(user) FROM (SELECT user FROM user_rows WHERE project_id = ‹proj_1› AND user IN (SELECT user FROM trait_rows FINAL WHERE project_id = ‹proj_1› AND trait = ‹plan› AND kind != 'deleted' AND ifNull(if(kind = 'string', text, NULL) = ‹pro›, false)))) WHERE",
    );
  });

  test('a sum adds exact millionths, or doubles where there are no millionths, of the first copy of each message', () => {
    const sql = filled(compileBuckets(questionOf({ measure: 'sum', of: 'total' }), CONTEXT, null, []));

    expect(sql).toContain(
      'SELECT bucket, series, count() AS n, sum(decimal) AS millionths, countIf(isNull(decimal)) AS others,',
    );
    expect(sql).toContain(
      '(SELECT bucket, series, first.1 AS double, first.2 AS decimal FROM (SELECT bucket, series, argMax(tuple(assumeNotNull(double), decimal), precedence) AS first FROM',
    );
    expect(sql).toContain(
      `${DOUBLE}, coalesce(toInt128(‹${TOTAL}\`Int64\`›) * 1000000, toInt128(‹${TOTAL}\`UInt64\`›) * 1000000,`,
    );
    expect(sql).toMatch(/AND isNotNull\(double\)\)\) GROUP BY bucket, series, message\)\) GROUP BY bucket, series$/);
  });

  test('an average and a percentile are of the same numbers', () => {
    const [average, percentile] = [
      { measure: 'average', of: 'total' },
      { measure: 'percentile', of: 'total', p: 95 },
    ].map((body) => filled(compileBuckets(questionOf(body), CONTEXT, null, [])));

    expect(average).toContain('/ count() AS total FROM');
    expect(percentile).toMatch(
      /^SELECT bucket, series, count\(\) AS n, quantileExactInclusive\(‹0.95›\)\(assumeNotNull\(double\)\) AS percentile FROM/,
    );
  });

  test('the largest values of a property come first, and one more than are asked for', () => {
    expect(filled(compileTop(questionOf({ split: { property: 'plan', top: 3 } }), CONTEXT))).toBe(
      "SELECT value, toString(sipHash64(value)) AS hash FROM (SELECT 0 AS bucket, multiIf(transform(dynamicType(‹properties.plan›), ['String', 'Int64', 'Float64', 'Bool', 'UInt64'], ['s', 'n', 'n', 'b', 'n'], '') = '', '', concat(transform(dynamicType(‹properties.plan›), ['String', 'Int64', 'Float64', 'Bool', 'UInt64'], ['s', 'n', 'n', 'b', 'n'], ''), CAST(‹properties.plan›, 'String')) = 'n-0', 'n0', concat(transform(dynamicType(‹properties.plan›), ['String', 'Int64', 'Float64', 'Bool', 'UInt64'], ['s', 'n', 'n', 'b', 'n'], ''), CAST(‹properties.plan›, 'String'))) AS value, " +
        `${HEAD.slice("'' AS value, ".length)} ${ROWS}) GROUP BY value ORDER BY count() DESC, value LIMIT ‹4›`,
    );
  });

  test('messages of the largest values are counted bucket by bucket while the events are read', () => {
    const sql = filled(
      compileCountedTop(questionOf({ split: { trait: 'plan', top: 3 } }), CONTEXT, days('Europe/Berlin')),
    );

    expect(sql).toMatch(
      /^SELECT value, toString\(sipHash64\(value\)\) AS hash, groupArray\(bucket\) AS buckets, groupArray\(n\) AS counts FROM \(SELECT value, bucket, uniqExact\(message\) AS n, count\(\) AS listed FROM/,
    );
    expect(sql).toMatch(/GROUP BY value, bucket\) GROUP BY value ORDER BY sum\(listed\) DESC, value LIMIT ‹4›$/);
  });

  test('events are told apart by their names', () => {
    const question = questionOf({ event: ['a', 'b'], split: { event: true } });

    expect(filled(compileTop(question, CONTEXT))).toContain("0 AS bucket, concat('s', toString(event)) AS value");
  });

  test('a property that no subcolumn can be named for is split by its text', () => {
    expect(filled(compileTop(questionOf({ split: { property: ['a', '`b'] } }), CONTEXT))).toContain(
      "coalesce(concat('s', if(JSONType(readable(properties_text), ‹a›, ‹`b›) = 'String', JSONExtractString(readable(properties_text), ‹a›, ‹`b›), NULL)), concat('n',",
    );
  });

  test('a trait is that of each user now', () => {
    const sql = filled(compileTop(questionOf({ split: { trait: 'plan' } }), CONTEXT));

    expect(sql).toContain(
      "ANY LEFT JOIN (SELECT user, multiIf(kind = 'string', concat('s', text), kind = 'boolean', concat('b', text), kind = 'number', concat('n', ifNull(toString(integer), toString(number + 0))), '') AS split FROM trait_rows FINAL WHERE project_id = ‹proj_1› AND trait = ‹plan› AND kind != 'deleted') AS traits ON traits.user = events.of_user",
    );
  });

  test('the values that have series of their own are compared as they are, long ones by their hashes', () => {
    const question = questionOf({ split: { property: 'plan' } });
    const series = (value: string) => filled(compileBuckets(question, CONTEXT, null, [{ value, hash: '77' }]));

    expect(series('spro')).toContain('toUInt8(transform(value, ‹spro›, range(‹1›), ‹1›)) AS series');
    expect(series('x'.repeat(60_001))).toContain(
      "toUInt8(transform(sipHash64(value), CAST(‹77›, 'Array(UInt64)'), range(‹1›), ‹1›)) AS series",
    );
  });

  test('a page continues behind an event, by time first', () => {
    const read = readEventsQuestion(asked({ event: 'Bought', limit: 2 }));
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const after = { timestamp: TO - 1n, receivedAt: TO, messageId: 'm1', event: 'Bought', user: 5n };
    const keys = compileKeys(read.value, CONTEXT, { from: FROM, to: TO }, { after, limit: 3 });

    expect(filled(keys)).toBe(
      `SELECT toUnixTimestamp64Micro(timestamp) AS occurred, toUnixTimestamp64Micro(received_at) AS received, message_id, event, user, precedence, length(properties_text) AS size ${ROWS} AND timestamp <= ‹2026-10-26 22:59:59.999999› AND (timestamp, received_at, message_id, toString(event), user) < (‹2026-10-26 22:59:59.999999›, ‹2026-10-26 23:00:00.000000›, ‹m1›, ‹Bought›, ‹5›) ORDER BY timestamp DESC, received_at DESC, message_id DESC, event DESC, user DESC LIMIT ‹3›`,
    );
  });

  test('whole events are read by their keys alone', () => {
    const key = {
      occurred: String(FROM),
      received: '7',
      message_id: 'm1',
      event: 'Bought',
      user: '5',
      precedence: '9',
      size: '2',
    };

    expect(filled(compileEvents(CONTEXT, [key]))).toContain(
      "FROM track_rows WHERE project_id = ‹proj_1› AND event IN ‹Bought› AND day >= toDate32(‹2026-10-24 22:00:00.000000›) AND day <= toDate32(‹2026-10-24 22:00:00.000000›) AND user IN CAST(‹5›, 'Array(UInt128)') AND precedence IN CAST(‹9›, 'Array(UInt64)')) AS events",
    );
  });
});

describe('no text of a caller becomes SQL', () => {
  test.each(HOSTILE)('the text %j is a parameter, as an event, a key or a value', (text) => {
    const sqlWith = (word: string): string[] => {
      const question = questionOf({ event: word || 'e', split: { trait: word } });
      const splits = [{ value: word, hash: '1' }];
      const after = { timestamp: TO, receivedAt: TO, messageId: word, event: word, user: 1n };
      return [
        compileTop(question, CONTEXT),
        compileBuckets(question, CONTEXT, null, splits),
        compileKeys(question, CONTEXT, CONTEXT.span, { after, limit: 1 }),
      ].map(({ sql }) => sql.replaceAll(/\{p\d+:/g, '{p:'));
    };

    expect(sqlWith(text)).toEqual(sqlWith('harmless'));
  });
});
