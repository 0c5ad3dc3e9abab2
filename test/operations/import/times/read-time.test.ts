import { describe, expect, test } from 'vitest';
import { readImportedTime } from '../../../../services/operations/import/times/read-time.ts';
import { readAll } from '../../../support/service/import-records.ts';

function utcOf(given: unknown, timeFormat?: string, timezone = 'Europe/Berlin'): unknown {
  const read = readImportedTime(given, { timezone, timeFormat });
  return read.ok ? read.text : read.message;
}

describe('a time of an import', () => {
  test.each([
    ['2019-10-01 00:00:00 UTC', '2019-10-01T00:00:00.000000Z', 'date and time'],
    ['2019-10-01 00:00:00+00', '2019-10-01T00:00:00.000000Z', 'date and time'],
    ['2019-10-01 02:00:00.123456 +02', '2019-10-01T00:00:00.123456Z', 'date and time'],
    ['2019-10-01T00:00:00.1234567Z', '2019-10-01T00:00:00.1234567Z', 'ISO 8601'],
    ['2019-10-01 02:00:00', '2019-10-01T00:00:00.000000Z', 'date and time'],
    ['2019-10-01 00:00 GMT', '2019-10-01T00:00:00.000000Z', 'date and time'],
    ['1969123123', '2032-05-25T18:38:43.000000Z', 'epoch seconds'],
    ['1999999999', '2033-05-18T03:33:19.000000Z', 'epoch seconds'],
    ['2026113210', '2034-03-16T09:13:30.000000Z', 'epoch seconds'],
    [1_569_888_000, '2019-10-01T00:00:00.000000Z', 'epoch seconds'],
    ['1569888000.000001', '2019-10-01T00:00:00.000001Z', 'epoch seconds'],
    [1_569_888_000_123, '2019-10-01T00:00:00.123000Z', 'epoch milliseconds'],
    ['1569888000123456', '2019-10-01T00:00:00.123456Z', 'epoch microseconds'],
    [JSON.rawJSON('1569888000123456789'), '2019-10-01T00:00:00.123456Z', 'epoch nanoseconds'],
  ])('%j is %s, and is taken for %s', (given, text, form) => {
    expect(readImportedTime(given, { timezone: 'Europe/Berlin' })).toEqual({ ok: true, text, form });
  });

  test.each([
    ['yesterday', /ISO-8601/],
    ['2019-13-01 00:00:00', /ISO-8601/],
    ['01/02/2020', /day before month or month before day/],
    ['1.2.2020 10:15', /day before month or month before day/],
    [7, /ISO-8601/],
    ['20261120', /digits alone/],
    ['2026112010', /digits alone/],
    [2_026_112_010, /digits alone/],
    ['202611201015', /digits alone/],
    [202_611_201_015, /digits alone/],
    ['20261120101559', /digits alone/],
    // A fraction behind it is as epoch microseconds and nanoseconds are.
    ['202611201015591', /digits alone/],
    ['2026112010155912', /digits alone/],
    [JSON.rawJSON('202611201015591234'), /digits alone/],
    ['2026112010.5', /ISO-8601/],
    [true, /neither a text nor a number/],
  ])('%j is refused, and the message says why', (given, message) => {
    expect(readImportedTime(given, { timezone: 'UTC' })).toEqual({
      ok: false,
      message: expect.stringMatching(message) as string,
    });
  });
});

describe('a time of a format', () => {
  test.each([
    ['01/02/2020', 'DD/MM/YYYY', '2020-01-31T23:00:00.000000Z'],
    ['01/02/2020', 'MM/DD/YYYY', '2020-01-01T23:00:00.000000Z'],
    ['1.2.2020 3:04', 'DD.MM.YYYY HH:mm', '2020-02-01T02:04:00.000000Z'],
    ['02/01/2020 12:30:15.250 am', 'DD/MM/YYYY hh:mm:ss.SSS A', '2020-01-01T23:30:15.250000Z'],
    ['02/01/2020 12:30 PM', 'DD/MM/YYYY hh:mm A', '2020-01-02T11:30:00.000000Z'],
    ['5 Mar 2021 10:00:00 +0530', 'DD MMM YYYY HH:mm:ss Z', '2021-03-05T04:30:00.000000Z'],
    ['20240115T103000Z', 'YYYYMMDDTHHmmssZ', '2024-01-15T10:30:00.000000Z'],
    ['2026112010', 'YYYYMMDDHH', '2026-11-20T09:00:00.000000Z'],
    [202_611_201_015, 'YYYYMMDDHHmm', '2026-11-20T09:15:00.000000Z'],
    ['2026112010', 's', '2034-03-16T08:53:30.000000Z'],
    ['43739.5', 'excel', '2019-10-01T10:00:00.000000Z'],
    [43_739, 'excel', '2019-09-30T22:00:00.000000Z'],
    ['-1', 's', '1969-12-31T23:59:59.000000Z'],
    ['1000', 'ms', '1970-01-01T00:00:01.000000Z'],
  ])('%j read as %s is %s', (given, format, utc) => {
    expect(utcOf(given, format)).toBe(utc);
  });

  test('what is not of the format, or not on the calendar, is refused', () => {
    expect(utcOf('2020-02-01', 'DD/MM/YYYY')).toBe('is not of the form DD/MM/YYYY');
    expect(utcOf('31/02/2020', 'DD/MM/YYYY')).toBe('is not on the calendar');
    expect(utcOf('01/02/2020 13:00 PM', 'DD/MM/YYYY hh:mm A')).toBe('is not on the clock');
    expect(utcOf('1e400', 's')).toBe('is not of the form s');
    expect(utcOf('99999999999999', 's')).toMatch(/before 1900/);
  });

  test.each(['', 'DD/MM', 'DD/MM/YYYY DD', 'dd/MM/YYYY', 'Q', 'YYYY-MM-DD x'])(
    '%j is no format',
    async (time_format) => {
      await expect(readAll('{}', { time_format })).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
    },
  );
});

describe('a line', () => {
  test('a line of NDJSON and a row of CSV take such times, and keep all else', async () => {
    const [line] = await readAll(
      '{"type":"track","user_id":"a","event":"e","timestamp":1569888000123456,"properties":{"n":1.50e400}}',
    );
    const [row] = await readAll('user_id,event,timestamp\na,e,2019-10-01 00:00:00.123456 UTC\n', { type: 'track' });

    expect(line).toMatchObject({ draft: { timestamp: 1_569_888_000_123_456n, properties: '{"n":1.50e400}' } });
    expect(row).toMatchObject({ draft: { timestamp: 1_569_888_000_123_456n } });
  });

  test('a time without an offset is in the zone that is given, else in that of the project', async () => {
    const text = '{"type":"identify","user_id":"a","timestamp":"2019-10-01 00:00"}';
    const at = async (timezone: string | null = null): Promise<unknown> =>
      (await readAll(text, { projectTimezone: 'Europe/Berlin', timezone })).map(({ draft }) => draft?.timestamp);

    expect([await at('Asia/Tokyo'), await at()]).toEqual([[1_569_855_600_000_000n], [1_569_880_800_000_000n]]);
    await expect(at('Mars/Base')).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
  });
});
