import { describe, expect, test } from 'vitest';
import { formatMicros, isTimezone, parseTimestamp } from '../../services/messages/timestamp.ts';

/** The instant in RFC 3339, or undefined where the text is refused. */
function read(text: string, timezone = 'UTC'): string | undefined {
  const parsed = parseTimestamp(text, timezone);
  return parsed.ok ? formatMicros(parsed.micros) : undefined;
}

describe('a timestamp with an offset', () => {
  test.each([
    ['2026-11-20T10:15:00.123456+02:00', '2026-11-20T08:15:00.123456Z'],
    ['2026-11-20T10:15:00Z', '2026-11-20T10:15:00.000000Z'],
    ['2026-11-20t10:15:00z', '2026-11-20T10:15:00.000000Z'],
    ['2026-11-20T10:15Z', '2026-11-20T10:15:00.000000Z'],
    ['2026-11-20T10:15+0530', '2026-11-20T04:45:00.000000Z'],
    ['2026-11-20T10:15-08', '2026-11-20T18:15:00.000000Z'],
    ['2026-11-20T10:15:00-00:00', '2026-11-20T10:15:00.000000Z'],
    ['2026-11-20T10:15:00+23:59', '2026-11-19T10:16:00.000000Z'],
    ['2026-11-20T10:15:00-23:59', '2026-11-21T10:14:00.000000Z'],
    ['2026-11-20T10:15:00.1Z', '2026-11-20T10:15:00.100000Z'],
    ['2026-11-20T10:15:00,25Z', '2026-11-20T10:15:00.250000Z'],
    ['2026-11-20T10:15:00.123456789Z', '2026-11-20T10:15:00.123456Z'],
    ['2026-11-20T10:15:00.999999999Z', '2026-11-20T10:15:00.999999Z'],
    ['1969-12-31T23:59:59.9999999Z', '1969-12-31T23:59:59.999999Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.000000Z'],
    ['2016-12-31T23:59:60.5Z', '2016-12-31T23:59:59.500000Z'],
    ['2024-02-29T00:00Z', '2024-02-29T00:00:00.000000Z'],
    ['2000-02-29T00:00Z', '2000-02-29T00:00:00.000000Z'],
    ['1900-01-01T00:00:00Z', '1900-01-01T00:00:00.000000Z'],
    ['1899-12-31T22:00:00-02:00', '1900-01-01T00:00:00.000000Z'],
    ['2299-12-31T23:59:59.999999999Z', '2299-12-31T23:59:59.999999Z'],
    ['2300-01-01T01:00:00+01:01', '2299-12-31T23:59:00.000000Z'],
  ])('%s is %s', (text, expected) => {
    expect(read(text)).toBe(expected);
    expect(read(text, 'Asia/Tokyo')).toBe(expected);
  });
});

describe('a timestamp without an offset is local time', () => {
  test.each([
    ['2026-11-20T10:15:00.5', 'UTC', '2026-11-20T10:15:00.500000Z'],
    ['2026-11-20T10:15', 'Europe/Berlin', '2026-11-20T09:15:00.000000Z'],
    ['2026-07-20T10:15:00.123456', 'Europe/Berlin', '2026-07-20T08:15:00.123456Z'],
    ['2026-11-20T10:15', 'Asia/Kolkata', '2026-11-20T04:45:00.000000Z'],
    // Skipped: forward by the gap.
    ['2026-03-29T02:30:00.25', 'Europe/Berlin', '2026-03-29T01:30:00.250000Z'],
    ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:30:00.000000Z'],
    ['2026-10-04T02:15', 'Australia/Lord_Howe', '2026-10-03T15:45:00.000000Z'],
    // Twice: the earlier.
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000000Z'],
    ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00.000000Z'],
    // A day that Samoa skipped.
    ['2011-12-30T12:00', 'Pacific/Apia', '2011-12-30T22:00:00.000000Z'],
  ])('%s in %s is %s', (text, timezone, expected) => {
    expect(read(text, timezone)).toBe(expected);
  });
});

describe('a date alone is its first instant', () => {
  test.each([
    ['2026-11-20', 'UTC', '2026-11-20T00:00:00.000000Z'],
    ['2026-11-20', 'Europe/Berlin', '2026-11-19T23:00:00.000000Z'],
    // No midnight: clocks went from 24:00 to 1:00.
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000000Z'],
    // Clocks went from 23:30 of the day before to 0:30.
    ['1919-03-31', 'America/Toronto', '1919-03-31T04:30:00.000000Z'],
    ['1900-01-01', 'UTC', '1900-01-01T00:00:00.000000Z'],
    ['2299-12-31', 'America/Los_Angeles', '2299-12-31T08:00:00.000000Z'],
  ])('%s in %s is %s', (text, timezone, expected) => {
    expect(read(text, timezone)).toBe(expected);
  });
});

describe('refused', () => {
  test.each([
    '',
    'now',
    '1700000000',
    '2026',
    '2026-11',
    '20261120',
    '2026-11-20T',
    '2026-11-20T10',
    '2026-11-20T1015Z',
    '2026-11-20 10:15:00Z',
    '2026-11-20T10:15:00 Z',
    ' 2026-11-20',
    '2026-11-20\n',
    '2026-1-2',
    '26-11-20',
    '2026-11-20Z',
    '2026-11-20+02:00',
    '2026-W47-5',
    '2026-324',
    '+002026-11-20',
    '-002026-11-20T00:00Z',
    '2026-11-20T10:15.5Z',
    '2026-11-20T10:15:00.Z',
    '2026-11-20T10:15:00.1234567890Z',
    '2026-11-20T10:15:00+2',
    '2026-11-20T10:15:00+02:',
    '2026-11-20T10:15:00+02:00:00',
    '2026-11-20T10:15:00\u221202:00',
    '2026-11-20T10:15:00Z[UTC]',
    '2026-11-20T10:15:00[Europe/Berlin]',
    '２０２６-11-20',
    '2026-00-10',
    '2026-13-01',
    '2026-11-00',
    '2026-11-31',
    '2026-02-29',
    '1900-02-29',
    '2100-02-29T00:00Z',
    '2026-11-20T24:00Z',
    '2026-11-20T24:00:00',
    '2026-11-20T23:60Z',
    '2026-11-20T23:59:61Z',
    '2026-11-20T10:15+24:00',
    '2026-11-20T10:15-24',
    '2026-11-20T10:15+23:60',
    '2026-11-20T10:15+0160',
    '0000-01-01',
    '0050-01-01T00:00Z',
    '1899-12-31T23:59:59.999999Z',
    '1900-01-01T00:00+00:01',
    '1899-12-31',
    '2300-01-02',
    '2300-01-01T00:00:00Z',
    '2299-12-31T23:59-00:01',
    '9999-12-31T23:59:59Z',
  ])('%j', (text) => {
    expect(read(text)).toBeUndefined();
    expect(read(text, 'Asia/Tokyo')).toBeUndefined();
  });

  test('local time whose instant lies outside', () => {
    expect(read('1900-01-01T00:00', 'Asia/Tokyo')).toBeUndefined();
    expect(read('2299-12-31T23:00', 'America/Los_Angeles')).toBeUndefined();
    expect(read('1899-12-31T23:00', 'America/Los_Angeles')).toBe('1900-01-01T07:00:00.000000Z');
  });
});

test('a timezone is an IANA name', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5']) {
    expect([name, isTimezone(name)]).toEqual([name, true]);
  }
  for (const name of ['', 'Mars/Phobos', '+02:00', '2026-01-01T00:00Z', 'CET-1CEST', 'Europe/Berlin ', '../UTC']) {
    expect([name, isTimezone(name)]).toEqual([name, false]);
  }
});
