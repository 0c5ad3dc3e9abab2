import { expect, test } from 'vitest';
import { readTime } from '../../../services/messages/sdk/read-time.ts';
import { formatMicros, parseTimestamp } from '../../../services/messages/timestamp.ts';

test('a time that the interface takes is left as it is', () => {
  expect(readTime('2026-11-20T10:15:00+02:00', 'UTC')).toEqual({ text: '2026-11-20T10:15:00+02:00', wrong: undefined });
});

test.each([
  [1_795_132_800, '2026-11-20T00:00:00.000000Z'],
  [1_795_132_800.25, '2026-11-20T00:00:00.250000Z'],
  ['1795132800123', '2026-11-20T00:00:00.123000Z'],
  [1_795_132_800_123, '2026-11-20T00:00:00.123000Z'],
  [1_795_132_800_123_456, '2026-11-20T00:00:00.123456Z'],
  [JSON.rawJSON('1795132800123456789'), '2026-11-20T00:00:00.123456Z'],
  ['2021-10-16T16:00:27.029:Z', '2021-10-16T16:00:27.029000Z'],
  ['2021-10-16 16:00:27', '2021-10-16T14:00:27.000000Z'],
  ['2021-10-16 16:00:27.5 +00:00', '2021-10-16T16:00:27.500000Z'],
  ['2021-10-16 16:00:27 UTC', '2021-10-16T16:00:27.000000Z'],
  [' 2021-10-16T16:00:27Z\n', '2021-10-16T16:00:27.000000Z'],
])('%j can mean %s alone', (given, utc) => {
  const { text = '', wrong } = readTime(given, 'Europe/Berlin');

  expect([text, wrong]).toEqual([utc, `is taken as ${utc}`]);
  const parsed = parseTimestamp(text, 'Europe/Berlin');
  expect(parsed.ok && formatMicros(parsed.micros)).toBe(utc);
});

test.each([
  '',
  '0001-01-01T00:00:00Z',
  'yesterday',
  '2021-13-01',
  0,
  5,
  20_211_016,
  -1_795_132_800,
  50_000_000_000,
  1e300,
  true,
  [],
  {},
  '16/10/2021 16:00',
  '2026112010',
  2_026_112_010,
  202_611_201_015,
])('%j cannot be read, and is left out', (given) => {
  expect(readTime(given, 'UTC')).toEqual({ text: undefined, wrong: expect.stringMatching(/: left out$/) });
});
