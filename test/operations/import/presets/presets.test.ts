import { describe, expect, test } from 'vitest';
import { guess } from '../../../../services/operations/import/guess/guess.ts';
import { PRESET_NAMES } from '../../../../services/operations/import/presets/presets.ts';
import { readAll } from '../../../support/service/import-records.ts';
import { exported, readExport, summaryOf } from './exported.ts';

describe('exports of Segment, RudderStack, PostHog, Mixpanel and Amplitude', () => {
  // https://segment.com/docs/connections/storage/catalog/aws-s3/#data-format and https://segment.com/docs/connections/spec/common/
  test('a raw archive of Segment is imported as its libraries called', async () => {
    const [track, identify, page] = await readExport('segment.ndjson', 'segment');

    expect(track).toEqual([
      'track',
      '97980cfea0067',
      '507f191e810c19729de860ea',
      'ajs-022bb90c-bbac-11e4-8dfc-aa07a5b093db',
      '2024-02-23T22:28:55.111000Z',
      'Plan Chosen',
      expect.objectContaining({ plan: 'Pro', value: 49.9, context: expect.objectContaining({ ip: '192.0.2.8' }) }),
    ]);
    expect(identify).toMatchObject([
      'identify',
      '97980cfea0067',
      expect.any(String),
      'ajs-91c1a30b',
      expect.any(String),
      { plan: 'Pro' },
    ]);
    expect(page).toMatchObject([
      'track',
      null,
      '507f191e810c19729de860ea',
      'ajs-5fe0',
      expect.any(String),
      'page',
      { name: 'Pricing', path: '/pricing' },
    ]);
  });

  // https://www.rudderstack.com/docs/event-spec/standard-events/common-fields/
  test('an event that RudderStack stored is imported with its own id and time', async () => {
    expect(await readExport('rudderstack.ndjson', 'rudderstack')).toMatchObject([
      [
        'track',
        'userSampleX138',
        '5f093403-1457-4a2c-b4e4-c61ec3bacf56',
        '1659902539347900-c622426c',
        '2024-08-07T20:02:19.364000Z',
        'Product Added',
        { product_name: 'Red T-shirt' },
      ],
    ]);
  });

  // https://posthog.com/docs/cdp/batch-exports/s3#events-model
  test('events of PostHog keep every digit and microsecond, and their persons are in the context', async () => {
    const lines = await readAll(exported('posthog.ndjson'), { preset: 'posthog', projectTimezone: 'Europe/Berlin' });

    expect(lines.map(summaryOf)).toMatchObject([
      [
        'track',
        'user_42',
        null,
        '01898e7c-1e2f-7e5b-9a2f-0b6c0f2d5e01',
        '2024-03-01T10:15:00.123456Z',
        'order_placed',
        { currency: 'EUR' },
      ],
      // Without an offset it is in UTC, wherever the project is.
      ['track', '018f9a3a-anon', null, expect.any(String), '2024-03-01T10:16:00.500000Z', '$pageview', {}],
    ]);
    expect(lines[0]?.draft).toMatchObject({
      properties:
        '{"$lib":"posthog-node","amount":9007199254740993,"currency":"EUR","context":{"person_id":"018f9a3a-0000-7000-8000-000000000001","elements_chain":"","created_at":"2024-03-01T10:15:02.000000+00:00"}}',
    });
  });

  // https://posthog.com/docs/cdp/batch-exports/s3#persons-model
  test('persons of PostHog set traits as of when they changed, and those that were deleted are refused', async () => {
    expect(await readExport('posthog-persons.ndjson', 'posthog-persons')).toEqual([
      [
        'identify',
        'user_42',
        null,
        null,
        '2024-03-01T10:15:03.000000Z',
        { email: 'ada@shop.example', $initial_referrer: '$direct' },
      ],
      [{ path: '', message: 'is of a person who was deleted' }],
    ]);
  });

  // https://docs.mixpanel.com/docs/export-methods and https://docs.mixpanel.com/reference/raw-event-export
  test('events of Mixpanel have their time in seconds or milliseconds, and a device is no user', async () => {
    expect(await readExport('mixpanel.ndjson', 'mixpanel')).toEqual([
      [
        'track',
        'user_1',
        'd-77',
        'hpuDqcvpltpCjBsebtxwadtEBDnFAdycabFb',
        '2020-10-13T17:48:31.000000Z',
        'Signed up',
        { distinct_id: 'user_1', mp_processing_time_ms: 1602625711874, 'Referred by': 'Friend' },
      ],
      [
        'track',
        null,
        'd-78',
        'jajcebutltmvhbbholfhxtCcycwnBjDtndha',
        '2020-10-13T17:48:32.123000Z',
        'Page viewed',
        { mp_processing_time_ms: 1602625711874, URL: 'shop.example/signup' },
      ],
    ]);
  });

  // https://docs.mixpanel.com/reference/engage-query
  test('profiles of Mixpanel become traits under plain names, as of when the user was last seen', async () => {
    expect(await readExport('mixpanel-people.ndjson', 'mixpanel-people')).toEqual([
      [
        'identify',
        'user_1',
        null,
        null,
        '2008-06-09T23:08:40.000000Z',
        { created_at: '2008-12-12T11:20:47', email: 'ada@shop.example', first_name: 'Ada', plan: 'pro' },
      ],
    ]);
  });

  // https://amplitude.com/docs/apis/analytics/export#response-schema
  test('events of Amplitude are dated in UTC, and a line without a user belongs to its device', async () => {
    expect(await readExport('amplitude.ndjson', 'amplitude')).toMatchObject([
      [
        'track',
        'user_7',
        '5f2a-dev',
        'b3d8-1',
        '2024-01-15T10:30:00.123000Z',
        'Checkout Started',
        { cart: 3, total: 129.9, context: { city: 'Berlin', session_id: 1705314500000 } },
      ],
      [
        'track',
        null,
        '77aa-dev',
        '2c6bd3a0-b3a0-11ee-a506-0242ac120003',
        '2024-01-15T10:31:00.000001Z',
        'session_start',
        {},
      ],
    ]);
  });

  test('the same files of Amplitude set the traits of the users', async () => {
    expect((await readExport('amplitude.ndjson', 'amplitude-users'))[0]).toEqual([
      'identify',
      'user_7',
      '5f2a-dev',
      null,
      '2024-01-15T10:30:00.123000Z',
      { plan: 'pro', logins: 17 },
    ]);
  });
});

describe('the guess', () => {
  const FILES = PRESET_NAMES.filter((name) => !/^(?:amplitude|ga4)-users$/.test(name));

  test.each(FILES)('an export in the form of %s is known by its members', (name) => {
    expect(guess(Buffer.from(exported(`${name}.${name === 'customerio-people' ? 'csv' : 'ndjson'}`))).preset).toBe(
      name,
    );
  });
});

test('a user who maps a member that the preset maps has the last word', async () => {
  const [line] = await readAll(exported('posthog.ndjson'), {
    preset: 'posthog',
    map: { 'person_properties.email': 'user_id' },
  });

  expect(line?.draft).toMatchObject({ userId: 'ada@shop.example' });
});
