import { expect, test } from 'vitest';
import { hourOf } from '../../../services/messages/day-and-hour.ts';
import { readPeriod } from '../../../services/operations/verify/verify-commands.ts';

const NOW = Date.UTC(2026, 10, 20, 12, 30);
const hour = (of: number): number => hourOf(BigInt(Date.UTC(2026, 10, 20, of)) * 1000n);

test('without bounds it is the last 24 hours, to the end', () => {
  expect(readPeriod({}, NOW)).toEqual({ since: hour(12) - 24 });
});

test('since and until are widened to whole hours', () => {
  const given = { since: '2026-11-20T09:59:59+01:00', until: '2026-11-20T10:00:00.000001', project: 'p' };

  expect(readPeriod(given, NOW)).toEqual({ since: hour(8), until: hour(11), projectId: 'p' });
  expect(readPeriod({ since: '2h', until: '2026-11-20T11:00Z' }, NOW)).toEqual({ since: hour(10), until: hour(11) });
  expect(readPeriod({ since: 'all', until: '1d' }, NOW)).toEqual({ until: hour(12) - 23 });
});

test.each([{ since: 'yesterday' }, { until: '' }, { since: '1h', until: '2h' }])(
  'verify refuses the period %j',
  (args) => {
    expect(() => readPeriod(args, NOW)).toThrow(expect.objectContaining({ code: 'COMMAND_INVALID' }) as Error);
  },
);
