import { expect, test } from 'vitest';
import { trafficOf } from '../../../services/app/webhooks/watch-parts.ts';

const JUDGED_AT_MS = 1_000_000;
const NOTHING_UNREAD = { messages: 0, oldestAtMs: null };
const READY_TAKER = { startedAtMs: 100, parts: { ingest: 'ready', eventLog: 'ready' } };

test('what arrives is known up to a moment ago, since the first process that takes messages began', () => {
  const processes = [{ ...READY_TAKER, startedAtMs: 500 }, READY_TAKER];

  expect(trafficOf(processes, NOTHING_UNREAD, JUDGED_AT_MS)).toEqual({ sinceMs: 100, untilMs: 995_000 });
});

test('what analytics has not read yet is not known', () => {
  expect(trafficOf([READY_TAKER], { messages: 3, oldestAtMs: 400_000 }, JUDGED_AT_MS)?.untilMs).toBe(395_000);
  expect(trafficOf([READY_TAKER], { messages: 3, oldestAtMs: null }, JUDGED_AT_MS)).toBeUndefined();
});

test.each([
  ['no process takes any', []],
  ['the clock is wrong', [{ ...READY_TAKER, parts: { ...READY_TAKER.parts, ingest: 'clock skewed' } }]],
  ['the log is away', [{ ...READY_TAKER, parts: { ...READY_TAKER.parts, eventLog: 'away' } }]],
  ['some are in a spool', [READY_TAKER, { ...READY_TAKER, parts: { ...READY_TAKER.parts, spool: 'in use' } }]],
])('nothing is known of what arrives where %s', (_, processes) => {
  expect(trafficOf(processes, NOTHING_UNREAD, JUDGED_AT_MS)).toBeUndefined();
});
