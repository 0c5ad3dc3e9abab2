import { describe, expect, test } from 'vitest';
import { readAll } from '../../../support/service/import-records.ts';
import { readExport, summaryOf } from './exported.ts';

describe('exports of Google Analytics, Snowplow and Customer.io', () => {
  // https://support.google.com/analytics/answer/7029846
  test('events of Google Analytics keep their microseconds, and their parameters become properties', async () => {
    const [purchase, view] = await readExport('ga4.ndjson', 'ga4');

    expect(purchase).toMatchObject([
      'track',
      'user_9',
      '11223344.5566',
      expect.stringMatching(/^[0-9a-f-]{36}$/),
      '2024-01-15T10:30:00.123456Z',
      'purchase',
      {
        transaction_id: 'T-1',
        ga_session_id: 1705314500,
        value: 129.9,
        items: [{ item_id: 'SKU1' }],
        context: { geo: { country: 'Germany' } },
      },
    ]);
    expect(view).toMatchObject([
      'track',
      null,
      '11223344.5566',
      expect.any(String),
      expect.any(String),
      'page_view',
      {},
    ]);
    expect(await readExport('ga4.ndjson', 'ga4')).toEqual([purchase, view]);
  });

  test('the same files of Google Analytics set the traits of the users', async () => {
    expect((await readExport('ga4.ndjson', 'ga4-users'))[0]).toMatchObject([
      'identify',
      'user_9',
      '11223344.5566',
      expect.any(String),
      '2024-01-15T10:30:00.123456Z',
      { plan: 'pro' },
    ]);
  });

  // GA4 sends events in bundles, and all of a bundle have one time.
  test('events of Google Analytics at one microsecond are told apart by anything that was sent', async () => {
    const param = (key: string, value: object) => ({ key, value });
    const event = {
      event_timestamp: '1710072000123456',
      event_name: 'select_promotion',
      event_params: [param('promotion_id', { string_value: 'spring' })],
      user_id: 'u',
      user_properties: [param('plan', { string_value: 'free' })],
      items: [{ item_id: 'SKU1' }],
    };
    const others = [
      { event_params: [param('promotion_id', { string_value: 'summer' })] },
      { event_params: [param('promotion_id', { int_value: '7' })] },
      { items: [{ item_id: 'SKU2' }] },
      { ecommerce: { transaction_id: 'T-1' } },
      { user_properties: [param('plan', { string_value: 'pro' })] },
      { stream_id: '8' },
    ].map((other) => ({ ...event, ...other }));

    for (const preset of ['ga4', 'ga4-users'])
      expect(new Set(await idsOf([event, ...others], preset)).size).toBe(1 + others.length);
  });

  test('an event of Google Analytics has one id, however BigQuery wrote it', async () => {
    const value = { string_value: null, int_value: '17', float_value: null };
    const params = [
      { key: 'a', value },
      { key: 'b', value: { string_value: 'x' } },
    ];
    const event = { event_timestamp: '1710072000123456', event_name: 'e', user_id: 'u', event_params: params };
    const again = {
      user_id: 'u',
      event_params: [params[1], { value: { int_value: 17 }, key: 'a' }],
      items: [],
      event_name: 'e',
      event_timestamp: 1710072000123456,
      batch_page_id: null,
      geo: { country: 'Germany' },
    };

    const [one, ...rest] = await idsOf([event, event, again], 'ga4');

    expect(rest).toEqual([one, one]);
  });

  test('a parameter of Google Analytics that is called items stays, and the items are in the context', async () => {
    const [purchase] = await readAll(
      JSON.stringify({
        event_timestamp: '1710072000123456',
        event_name: 'purchase',
        user_id: 'u',
        event_params: [{ key: 'items', value: { string_value: 'two hats' } }],
        items: [{ item_id: 'SKU1' }],
        ecommerce: { transaction_id: 'T-1' },
      }),
      { preset: 'ga4' },
    );

    expect(summaryOf(purchase ?? { line: 0, text: '' })).toMatchObject([
      'track',
      'u',
      null,
      expect.any(String),
      '2024-03-10T12:00:00.123456Z',
      'purchase',
      { items: 'two hats', ecommerce: { transaction_id: 'T-1' }, context: { items: [{ item_id: 'SKU1' }] } },
    ]);
  });

  // https://docs.snowplow.io/docs/fundamentals/canonical-event/ and https://github.com/snowplow/snowplow-golang-analytics-sdk
  test('enriched events of Snowplow are named and dated as derived, and their own body is their properties', async () => {
    expect(await readExport('snowplow.ndjson', 'snowplow')).toMatchObject([
      [
        'track',
        'user_5',
        'bc2e92ec6c204a14',
        'e9234345-f042-46ad-b1aa-424464066a33',
        '2024-02-01T09:00:01.250000Z',
        'add_to_cart',
        {
          sku: 'item41',
          unitPrice: 32.4,
          context: {
            app_id: 'shop',
            schema: 'com_acme_add_to_cart_1',
            contexts_com_acme_page_1: [{ section: 'shoes' }],
          },
        },
      ],
      [
        'track',
        null,
        'bc2e92ec6c204a14',
        'e9234345-f042-46ad-b1aa-424464066a34',
        '2024-02-01T09:00:05.000000Z',
        'page_view',
        { context: { page_url: 'https://shop.example/' } },
      ],
    ]);
  });

  // https://docs.customer.io/cdp/destinations/data-warehouses
  test('calls that Customer.io stored are imported as they were sent', async () => {
    expect(await readExport('customerio.ndjson', 'customerio')).toMatchObject([
      ['track', 'person-1', 'anon-1', 'cio-1', '2024-05-02T10:00:00.000000Z', 'purchased', { price: 23.45 }],
      ['identify', 'person-1', null, 'cio-2', '2024-05-02T10:00:02.000000Z', { email: 'ada@shop.example' }],
    ]);
  });

  // https://docs.customer.io/integrations/api/app/tag/activities/
  test('activities of Customer.io are events, named as they were or after their type', async () => {
    expect(await readExport('customerio-activities.ndjson', 'customerio-activities')).toMatchObject([
      [
        'track',
        'person-1',
        null,
        '01ESR1G9C0000000000000001',
        '2020-12-23T23:17:20.000000Z',
        'purchased',
        { price: 23.45, context: { activity_type: 'event' } },
      ],
      [
        'track',
        'bob@shop.example',
        null,
        '01ESR1G9C0000000000000002',
        '2020-12-23T23:18:20.000000Z',
        'opened_email',
        { opened: 1608765500 },
      ],
    ]);
  });

  // https://docs.customer.io/integrations/api/app/tag/exports/exportPeopleData/
  test('people of Customer.io without an id are known by their email, which stays a trait', async () => {
    expect(await readExport('customerio-people.csv', 'customerio-people')).toEqual([
      [
        'identify',
        'person-1',
        null,
        null,
        null,
        { email: 'ada@shop.example', cio_id: 'a3000001', plan: 'pro', created_at: '1577836800' },
      ],
      [
        'identify',
        'bob@shop.example',
        null,
        null,
        null,
        { email: 'bob@shop.example', cio_id: 'a3000002', plan: 'free', created_at: '1577836801' },
      ],
    ]);
  });
});

async function idsOf(records: readonly object[], preset: string): Promise<unknown[]> {
  const lines = await readAll(records.map((record) => JSON.stringify(record)).join('\n'), { preset });
  return lines.map(({ draft }) => draft?.messageId);
}
