import { describe, expect, test } from 'vitest';
import { guess } from '../../../../services/operations/import/guess/guess.ts';

function guessOf(text: string, encoding: BufferEncoding = 'utf8') {
  return guess(Buffer.from(text, encoding));
}

describe('the guess', () => {
  test('a shop export is CSV of events, with its time, event and user', () => {
    const text =
      'event_time,event_type,product_id,price,user_id\n' +
      '2019-10-01 00:00:00 UTC,view,44600062,35.79,541312140\n2019-10-01 00:00:01 UTC,cart,3900821,33.20,554748717\n';

    expect(guessOf(text)).toEqual({
      format: 'csv',
      encoding: 'utf-8',
      delimiter: ',',
      header: true,
      preset: null,
      type: 'track',
      map: { event_time: 'timestamp', event_type: 'event' },
      time_format: null,
    });
  });

  test.each([
    [';', 'E-Mail;Name;Betrag\nada@x.org;Ada, Lovelace;1,5\nbob@x.org;Bob;2,5\n'],
    ['\t', 'email\tname\na@x\tAda\nb@x\tBob\n'],
    ['|', 'email|name\na@x|Ada;x\nb@x|Bob;y\n'],
    [',', 'email,name\n"a;b;c",Ada\n'],
  ])('fields are separated by %j', (delimiter, text) => {
    expect(guessOf(text)).toMatchObject({ format: 'csv', delimiter, header: true, type: 'identify' });
  });

  test.each([
    ['utf-8', Buffer.from('user_id,name\na,Ä')],
    ['utf-8', Buffer.from('user_id,name\na,Ä').subarray(0, -1)],
    ['utf-16le', Buffer.from('user_id,name\na,b\n', 'utf16le')],
    ['utf-16le', Buffer.from('\uFEFFuser_id\n', 'utf16le')],
    ['utf-16be', Buffer.from('user_id,name\na,b\n', 'utf16le').swap16()],
    ['windows-1252', Buffer.from('user_id,name\na,Jos\u00e9\n', 'latin1')],
  ])('text is in %s', (encoding, bytes) => {
    expect(guess(bytes)).toMatchObject({ encoding, format: 'csv' });
  });

  test('a first line with numbers or times is a row, and not a header', () => {
    expect(guessOf('ada,Paid,2020-01-01\nbob,Left,2020-01-02\n')).toMatchObject({ header: false, map: {} });
    expect(guessOf('user_id,event,n\nada,Paid,1\n')).toMatchObject({ header: true });
  });

  test.each([
    ['25/12/2020 10:15', '01/02/2020 09:00', 'DD/MM/YYYY HH:mm'],
    ['12.25.2020', '01.02.2020', 'MM.DD.YYYY'],
    ['12/25/2020 1:15:00 PM', '01/02/2020 2:00:00 AM', 'MM/DD/YYYY hh:mm:ss A'],
    ['43739.5', '43740', 'excel'],
    ['01/02/2020', '03/04/2020', null],
    ['2020-01-02', '2020-01-03', null],
  ])('times as %s and %s are of the format %s', (one, other, format) => {
    expect(guessOf(`user_id,event,date\na,e,${one}\nb,f,${other}\n`)).toMatchObject({
      map: { date: 'timestamp' },
      time_format: format,
    });
  });

  test('a column of times is found by its values where no name says it', () => {
    expect(guessOf('email,name,joined\na@x,Ada,2020-01-01 10:00:00\nb@x,Bob,2020-01-02 10:00:00\n')).toMatchObject({
      type: 'identify',
      map: { email: 'user_id', joined: 'timestamp' },
    });
  });

  test('a column that is called customer is the user, as customer_id is', () => {
    expect(guessOf('customer,action,time\nc1,Paid,2020-01-01 10:00:00\nc2,Paid,2020-01-02 10:00:00\n')).toMatchObject({
      type: 'track',
      map: { customer: 'user_id', action: 'event', time: 'timestamp' },
    });
  });

  test('records of NDJSON are looked at as columns are, into their objects', () => {
    const record = { action: 'Paid', at: 1, data: { customer_id: 'c', created_at: 1_600_000_000 } };

    expect(guessOf(`${JSON.stringify(record)}\n`)).toMatchObject({
      format: 'ndjson',
      delimiter: null,
      header: null,
      type: 'track',
      map: { action: 'event', 'data.customer_id': 'user_id', 'data.created_at': 'timestamp' },
    });
  });

  test('calls need no mapping, and nothing at all is guessed of nothing', () => {
    const call = '{"type":"track","user_id":"a","event":"e","timestamp":"2020-01-01T00:00:00Z"}';

    expect(guessOf(`${call}\n{"cut`)).toMatchObject({ format: 'ndjson', type: null, map: {}, preset: null });
    expect(guessOf('')).toMatchObject({ type: null, map: {}, preset: null });
  });
});
