import { expect, test } from 'vitest';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { compilePreview } from '../../../services/questions/sql/compile.ts';

const TIME_AND_ARRIVAL =
  'toDecimal128(toInt128(toUnixTimestamp64Micro(timestamp)) * 18014398509481984 + toUnixTimestamp64Micro(received_at), 0)';

const NOW = BigInt(Date.UTC(2026, 10, 20, 12)) * 1000n;
const TOTAL = `if(dynamicType(‹properties.total›) IN ('Int64', 'UInt64', 'Float64'), CAST(‹properties.total›, 'String'), NULL)`;
const TAG = `transform(dynamicType(‹properties.total›), ['String', 'Int64', 'Float64', 'Bool', 'UInt64'], ['s', 'n', 'n', 'b', 'n'], '')`;

/** The condition on `user`, each parameter's value in its place between ‹ and ›. */
function conditionFor(definition: unknown): string {
  const read = readDefinition(definition, { timezone: 'UTC' });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const { sql, params } = compilePreview(read.definition, { projectId: 'proj_1', now: NOW, sampleSize: 10 });
  const condition = sql.slice(sql.indexOf('FROM user_rows')).split(' AND ').slice(1).join(' AND ');
  return condition.replaceAll(/\{(p\d+):[^}]*\}/g, (_, name: string) => `‹${String(params[name])}›`);
}

test.each([
  [
    'events that another does not follow in time by the next one after each',
    {
      event: 'Bought',
      where: [{ property: 'total', gt: 50 }],
      within: { last: '30d' },
      not_followed_by: { event: ['Returned', 'Lost'], within: '24h' },
      count: { at_least: 2 },
    },
    [
      'user IN (SELECT user FROM (SELECT earlier.* FROM (SELECT user, timestamp AS at, message_number AS message,',
      `${TIME_AND_ARRIVAL} AS order_key`,
      'FROM track_rows FINAL WHERE project_id = ‹proj_1› AND event = ‹Bought›',
      'AND day >= toDate32(‹2026-10-21 12:00:00.000000›) AND day <= toDate32(‹2026-11-20 12:00:00.000001›)',
      'AND timestamp >= ‹2026-10-21 12:00:00.000000› AND timestamp < ‹2026-11-20 12:00:00.000001›',
      'AND ifNull((‹properties.total.:`Int64`› > ‹50› OR ‹properties.total.:`UInt64`› > ‹50›',
      'OR ‹properties.total.:`Float64`› > ‹50›), false)) AS earlier ASOF LEFT JOIN',
      `(SELECT user AS of_user, timestamp AS next_at, ${TIME_AND_ARRIVAL} AS next_order, true AS has_next FROM track_rows FINAL`,
      'WHERE project_id = ‹proj_1› AND event IN ‹Returned,Lost›',
      'AND day >= toDate32(‹2026-10-21 12:00:00.000000›) AND day <= toDate32(‹2026-11-21 12:00:00.000001›)',
      'AND timestamp >= ‹2026-10-21 12:00:00.000000› AND timestamp < ‹2026-11-21 12:00:00.000001›) AS later',
      'ON user = of_user AND next_order > order_key WHERE at < ‹2026-11-19 12:00:00.000001› AND NOT (has_next',
      'AND toUnixTimestamp64Micro(next_at) - toUnixTimestamp64Micro(at) <= ‹86400000000›))',
      'GROUP BY user HAVING uniqUpTo(‹2›)(message) >= ‹2›)',
    ],
  ],
  [
    'the last event, if another follows it',
    { event: 'Bought', followed_by: { event: 'Returned', within: '2w' }, which: 'last', first: { before: '7d' } },
    [
      'user IN (SELECT user FROM (SELECT earlier.* FROM (SELECT user, max(timestamp) AS at,',
      `max(${TIME_AND_ARRIVAL}) AS order_key FROM track_rows FINAL`,
      'WHERE project_id = ‹proj_1› AND event = ‹Bought› GROUP BY user) AS earlier ASOF LEFT JOIN (SELECT user AS of_user, timestamp AS next_at,',
      `${TIME_AND_ARRIVAL} AS next_order,`,
      'true AS has_next FROM track_rows FINAL WHERE project_id = ‹proj_1› AND event = ‹Returned›) AS later',
      'ON user = of_user AND next_order > order_key WHERE has_next',
      'AND toUnixTimestamp64Micro(next_at) - toUnixTimestamp64Micro(at) <= ‹1209600000000›)',
      'GROUP BY user HAVING min(at) < ‹2026-11-13 12:00:00.000000›)',
    ],
  ],
  [
    'a sum by decimals, message by message',
    { event: 'Bought', measure: { sum: 'total', gte: 500.5 } },
    [
      'user IN (SELECT of_user AS user FROM (SELECT any(user) AS of_user, min(at) AS first_at, max(at) AS last_at,',
      'argMax(value, precedence) AS measured FROM (SELECT user, timestamp AS at, message_number AS message, precedence,',
      `multiIf(isNull(${TOTAL}), NULL, isNull(toDecimal256OrNull(${TOTAL}, 30)),`,
      `if(startsWith(${TOTAL}, '-'), -toDecimal256('1e36', 30), toDecimal256('1e36', 30)),`,
      `least(greatest(toDecimal256OrNull(${TOTAL}, 30), -toDecimal256('1e36', 30)), toDecimal256('1e36', 30))) AS value`,
      'FROM track_rows FINAL WHERE project_id = ‹proj_1› AND event = ‹Bought›) WHERE isNotNull(value)',
      'GROUP BY bitXor(message, toUInt64(user))) GROUP BY of_user HAVING count(measured) > 0',
      'AND sum(measured) >= ‹500.5›)',
    ],
  ],
  [
    'how many different values as text, and how often',
    { event: 'Bought', measure: { distinct: 'total', gt: 2 }, count: { at_most: 9, at_least: 2 } },
    [
      'user IN (SELECT of_user AS user FROM (SELECT any(user) AS of_user, min(at) AS first_at, max(at) AS last_at,',
      'argMax(value, precedence) AS measured FROM (SELECT user, timestamp AS at, message_number AS message, precedence,',
      `nullIf(multiIf(${TAG} = '', '', concat(${TAG}, CAST(‹properties.total›, 'String')) = 'n-0', 'n0',`,
      `concat(${TAG}, CAST(‹properties.total›, 'String'))), '') AS value`,
      'FROM track_rows FINAL WHERE project_id = ‹proj_1› AND event = ‹Bought›)',
      'GROUP BY bitXor(message, toUInt64(user))) GROUP BY of_user HAVING count() >= ‹2› AND count() <= ‹9›',
      'AND count(measured) > 0 AND toDecimal256(uniqExact(measured), 30) > ‹2›)',
    ],
  ],
])('a definition is asked as %s', (_, definition, lines) => {
  expect(conditionFor(definition)).toBe(lines.join(' '));
});
