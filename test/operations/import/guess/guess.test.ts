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
      time_formats: [],
      types: true,
      text_columns: ['product_id'],
      columns: [
        { name: 'event_time', type: 'date', others: 0, other: null },
        { name: 'event_type', type: 'text', others: 0, other: null },
        { name: 'product_id', type: 'text', others: 0, other: null },
        { name: 'price', type: 'number', others: 0, other: null },
        { name: 'user_id', type: 'text', others: 0, other: null },
      ],
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

  test('where day and month cannot be told apart, both forms are named', () => {
    const text = 'customer,what,when,amount\nada,Paid,03.10.2026 09:30,1\nbob,Paid,04.10.2026 10:00,2\n';

    expect(guessOf(text)).toMatchObject({
      type: 'track',
      map: { customer: 'user_id', what: 'event', when: 'timestamp' },
      time_format: null,
      time_formats: ['DD.MM.YYYY HH:mm', 'MM.DD.YYYY HH:mm'],
    });
  });

  test('columns of numbers are numbers; ids, zip codes and leading zeros are text, and other cells are counted', () => {
    const rows = ['1.5,01234,12,true,x', 'abc,01235,13,false,7', '-3,01236,14,true,y'];
    const text = `email,amount,region,order_no,is_paid,note\n${rows.map((row) => `a@x,${row}\n`).join('')}`;

    expect(guessOf(text)).toMatchObject({
      types: true,
      text_columns: ['order_no', 'note'],
      columns: [
        { name: 'email', type: 'text' },
        { name: 'amount', type: 'number', others: 1, other: 'abc' },
        { name: 'region', type: 'text', others: 0, other: null },
        { name: 'order_no', type: 'text' },
        { name: 'is_paid', type: 'boolean', others: 0, other: null },
        { name: 'note', type: 'text' },
      ],
    });
  });

  test('a column of known events beside one of times is the event, and without one of times it is a trait', () => {
    const known = new Set(['Order Completed', 'Page Viewed']);
    const withTime = 'customer,kind,on\nada,Order Completed,2026-10-01\nbob,Page Viewed,2026-10-02\n';
    const without = 'customer,favourite\nada,Order Completed\nbob,Page Viewed\n';

    expect(guess(Buffer.from(withTime), known)).toMatchObject({
      type: 'track',
      map: { kind: 'event', on: 'timestamp' },
    });
    expect(guess(Buffer.from(withTime))).toMatchObject({ type: 'identify' });
    expect(guess(Buffer.from(without), known)).toMatchObject({ type: 'identify', map: { customer: 'user_id' } });
  });

  test('a column of times is found by its values where no name says it', () => {
    expect(guessOf('email,action,when\na@x,Paid,2020-01-01 10:00:00\nb@x,Left,2020-01-02 10:00:00\n')).toMatchObject({
      type: 'track',
      map: { email: 'user_id', action: 'event', when: 'timestamp' },
    });
  });

  const at = '2026-01-12 09:14:02';
  test.each([
    [
      'Intercom',
      `User ID,Name,Email,Signed up (UTC),Last seen (UTC)\nu1,Ada,a@x,${at},${at}\n`,
      { 'User ID': 'user_id' },
    ],
    [
      'Stripe',
      `id,Created date (UTC),Amount,Customer ID,Customer Email\nch_1,${at},1,cus_1,a@x\n`,
      { 'Customer ID': 'user_id' },
    ],
    [
      'HubSpot',
      `Record ID,First Name,Email,Create Date,Last Modified Date\n1,Ada,a@x,${at},${at}\n`,
      { Email: 'user_id', 'Last Modified Date': 'timestamp' },
    ],
    ['Klaviyo', `Email consent,Email,First Name,Profile Created On\nyes,a@x,Ada,${at}\n`, { Email: 'user_id' }],
    [
      'Mailchimp',
      `Email Address,First Name,OPTIN_TIME,LAST_CHANGED\na@x,Ada,${at},${at}\n`,
      { 'Email Address': 'user_id', LAST_CHANGED: 'timestamp' },
    ],
    ['Braze', `external_id,braze_id,email,created_at\nu1,b1,a@x,${at}\n`, { external_id: 'user_id' }],
    ['Mixpanel', `Distinct ID,Email,Created\nu1,a@x,${at}\n`, { 'Distinct ID': 'user_id' }],
    ['Pipedrive', `Person - ID,Person - Email,Person created\n1,a@x,${at}\n`, { 'Person - ID': 'user_id' }],
    ['a table', `userId,email,createdAt,updatedAt\nu1,a@x,${at},${at}\n`, { updatedAt: 'timestamp' }],
    ['a list', `customer,E-Mail,Birthday\nAda,a@x,1990-01-12\n`, { 'E-Mail': 'user_id' }],
  ])(
    'people of %s are known by their id before their email, and the day of their sign-up stays a trait',
    (_, text, map) => {
      expect(guessOf(text)).toMatchObject({ preset: null, type: 'identify', map });
      expect(Object.keys(guessOf(text).map)).toEqual(Object.keys(map));
    },
  );

  test.each([
    ['Event Name', 'Event Time', 'Customer Email'],
    ['eventName', 'occurredAt', 'userEmail'],
    ['Action', 'Created at', 'Email'],
  ])('events are told by the names %s, %s and %s', (event, time, user) => {
    expect(guessOf(`${user},${event},${time},Signed up\na@x,Paid,${at},${at}\n`)).toMatchObject({
      type: 'track',
      map: { [user]: 'user_id', [event]: 'event', [time]: 'timestamp' },
    });
  });

  test.each(['20261120', '2026112010', '202611201015', '20261120101559'])('%s is a date in digits', (digits) => {
    expect(guessOf(`user_id,event,dateHour\nu,e,${digits}\n`)).toMatchObject({
      time_format: null,
    });
    expect(guessOf(`user_id,event,date\nu,e,${digits}\n`)).toMatchObject({
      map: { date: 'timestamp' },
      time_format: 'YYYYMMDDHHmmss'.slice(0, digits.length),
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
