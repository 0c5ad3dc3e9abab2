import { expect, test } from 'vitest';
import { anniversaryDays } from '../../../services/questions/operators/anniversary.ts';

const DAY = 86_400_000_000n;
const noonOf = (day: string): bigint => BigInt(Date.parse(`${day}T12:00:00Z`)) * 1_000n;

/** docs/audiences.md: who was born on 29 February has their anniversary on the 28th in other years. */
test.each([
  ['2026-02-28', 0n, ['02-28', '02-29']],
  ['2024-02-28', 0n, ['02-28']],
  ['2024-02-28', DAY, ['02-28', '02-29']],
  ['2026-03-01', 0n, ['03-01']],
  ['2026-12-31', DAY, ['12-31', '01-01']],
])('from %s on, for %i microseconds more, the days of the year are %j', (day, upTo, days) => {
  expect([...(anniversaryDays({ upTo, timezone: 'UTC' }, noonOf(day)) ?? [])]).toEqual(days);
});
