import { describe, expect, test } from 'vitest';
import { type GivenOptions, type Line, readAll } from '../../../support/service/import-records.ts';

async function one(record: object | string, options: GivenOptions): Promise<Line> {
  const text = typeof record === 'string' ? record : JSON.stringify(record);
  const [line] = await readAll(text, options);
  return line as Line;
}

const POSTHOG = {
  uuid: 'id-1',
  event: 'order placed',
  distinct_id: 'u',
  properties: { total: 12.5 },
  timestamp: '2026-03-10 12:00:00 UTC',
};

describe('a limit is one of the call, and not of the line', () => {
  const wide = 'x'.repeat(40_000);

  test.each([
    ['what the preset leaves out', { ...POSTHOG, person_properties: { wide } }],
    ['what would be escaped', { ...POSTHOG, person_properties: { text: 'a\u0000' } }],
    ['blanks', `${JSON.stringify(POSTHOG).slice(0, -1)}${' '.repeat(40_000)}}`],
    ['escapes', JSON.stringify(POSTHOG).replace('12.5', `"${'\\u00e9'.repeat(10_000)}"`)],
  ])('a line is taken whose call is small without %s', async (_, record) => {
    const { draft } = await one(record, { preset: 'posthog' });

    expect(draft).toMatchObject({ userId: 'u', event: 'order placed' });
  });

  test('a call of more than 32 KB is refused, and so is a line of more than a megabyte', async () => {
    const long = await one({ ...POSTHOG, properties: { wide } }, { preset: 'posthog' });
    const longer = await one({ ...POSTHOG, person_properties: 'x'.repeat(1_048_576) }, { preset: 'posthog' });

    expect([long.problems?.[0]?.message, longer.problems?.[0]?.message]).toEqual([
      'is a call of more than 32768 bytes',
      'is longer than 1048576 bytes',
    ]);
  });

  test('a row of CSV is taken whose columns are left out', async () => {
    const { draft } = await one(`user_id,event,html\nu,e,${wide}\n`, { type: 'track', map: { html: null } });

    expect(draft).toMatchObject({ properties: '{}' });
  });
});

describe('objects that are written as JSON in a text', () => {
  const text = '{"total":12.5,"big":9007199254740993}';

  test.each([
    ['posthog', { ...POSTHOG, properties: text }],
    ['rudderstack', { type: 'track', event: 'e', userId: 'u', messageId: 'm', properties: text }],
    ['amplitude', { event_type: 'e', user_id: 'u', event_time: '2026-03-10 12:00:00', event_properties: text }],
    ['mixpanel', { event: 'e', properties: `{"distinct_id":"u","time":1773144000,${text.slice(1)}` }],
  ])('the properties of %s are read with every digit', async (preset, record) => {
    const { draft } = await one(record, { preset });

    expect(draft).toMatchObject({
      userId: 'u',
      properties: expect.stringMatching(/"total":12\.5,"big":9007199254740993\b/) as string,
    });
  });

  test('traits are read too, and parameters of Google Analytics', async () => {
    const person = { distinct_id: 'u', properties: text, _inserted_at: '2026-03-10 12:00:00' };
    const params = JSON.stringify([{ key: 'total', value: { double_value: 12.5 } }]);
    const event = { user_id: 'u', event_name: 'e', event_timestamp: '1710072000123456', event_params: params };

    expect((await one(person, { preset: 'posthog-persons' })).draft).toMatchObject({ traits: text });
    expect((await one(event, { preset: 'ga4' })).draft).toMatchObject({ properties: '{"total":12.5}' });
  });

  test('a mapping reads them as CSV does, and goes into them', async () => {
    const record = { who: '{"id":7}', props: text, event: 'e', note: '{"stays":"text"}' };

    const { draft } = await one(record, {
      type: 'track',
      map: { 'who.id': 'user_id', who: null, props: 'properties' },
    });

    expect(draft).toMatchObject({
      userId: '7',
      properties: `${text.slice(0, -1)},"note":${JSON.stringify(record.note)}}`,
    });
  });

  test('a text that is not the JSON of an object is refused', async () => {
    expect((await one({ ...POSTHOG, properties: '{"cut' }, { preset: 'posthog' })).problems).toMatchObject([
      { path: '/properties' },
    ]);
  });
});

describe('names of a product', () => {
  test('attributes of people are traits, whatever they are called', async () => {
    const names = [
      'type',
      'event',
      'context',
      'timestamp',
      'message_id',
      'user_id',
      'anonymousId',
      'traits',
      'traits.a',
    ];
    const csv = `id,${names.join(',')}\nu,${names.map((_, n) => `v${n}`).join(',')}\n`;

    const { draft, problems } = await one(csv, { preset: 'customerio-people' });

    expect(problems).toBeUndefined();
    expect(draft).toMatchObject({ userId: 'u', messageId: null, timestamp: null, context: null });
    expect(draft?.type === 'identify' && JSON.parse(draft.traits)).toEqual(
      Object.fromEntries(names.map((name, n) => [name, `v${n}`])),
    );
  });

  test.each([
    ['posthog', POSTHOG],
    ['amplitude', { event_type: 'e', user_id: 'u', event_time: '2026-03-10 12:00:00' }],
    ['customerio-activities', { id: 'm', customer_id: 'u', name: 'e', type: 'event', timestamp: 1773144000 }],
  ])('members of a line of %s that have names of ours are in the context', async (preset, record) => {
    const theirs = { traits: 'a', message_id: 'b', anonymousId: 'c', 'properties.x': 'd', context: { e: 1 } };

    const { draft, problems } = await one({ ...record, ...theirs }, { preset });

    expect(problems).toBeUndefined();
    expect(draft?.type === 'track' && JSON.parse(draft.properties)).toMatchObject({ context: theirs });
  });
});

describe('events and profiles of one product meet', () => {
  const whoOf = async (record: object, preset: string): Promise<unknown> => {
    const { draft } = await one(record, { preset });
    return [draft?.userId, draft?.anonymousId];
  };

  test('a device of Mixpanel is one user in events and profiles', async () => {
    const event = { event: 'e', properties: { distinct_id: '$device:d1', time: 1773144000 } };
    const profile = { $distinct_id: '$device:d1', $properties: { $last_seen: '2026-03-10T12:00:00' } };

    expect(await whoOf(event, 'mixpanel')).toEqual([null, 'd1']);
    expect(await whoOf(profile, 'mixpanel-people')).toEqual([null, 'd1']);
  });

  test('somebody of Customer.io who has no other id is known by cio_id in activities too', async () => {
    const [person] = await readAll('cio_id,id,email\nc1,,\n', { preset: 'customerio-people' });
    const activity = { id: 'm', type: 'event', timestamp: 1773144000, customer_identifiers: { cio_id: 'c1' } };

    expect(person?.draft?.userId).toBe('c1');
    expect(await whoOf(activity, 'customerio-activities')).toEqual(['c1', null]);
  });
});

describe('an archive of calls', () => {
  const call = {
    type: 'track',
    event: 'e',
    userId: 'u',
    messageId: 'm',
    timestamp: '2026-03-10T12:00:00.000Z',
    receivedAt: '2026-03-10T12:00:02.000Z',
  };

  test.each([
    ['an empty list of PHP', { properties: [] }, { properties: '{}' }],
    ['half a surrogate pair', { properties: { q: 'a\ud83d' } }, { properties: '{"q":"a\uFFFD"}' }],
    ['a NUL', { properties: { q: 'a\u0000' } }, { properties: '{"q":"a\uFFFD"}' }],
    ['an event that is a number', { event: 404 }, { event: '404' }],
    ['a time in milliseconds', { timestamp: 1773144000123 }, { timestamp: 1_773_144_000_123_000n }],
    ['a long id', { messageId: 'm'.repeat(129) }, { messageId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string }],
    ['a type in capitals', { type: 'Track' }, { type: 'track' }],
  ])('%s is mended as in a batch', async (_, odd, meant) => {
    for (const preset of ['segment', 'rudderstack', 'customerio'])
      expect((await one({ ...call, ...odd }, { preset })).draft).toMatchObject({ userId: 'u', ...meant });
  });

  test('what was mended is named', async () => {
    expect((await one({ ...call, properties: [] }, { preset: 'segment' })).draft?.adjusted).toMatchObject([
      { path: '/properties' },
    ]);
  });

  test('a call without a time that can be read is of when the product got it', async () => {
    for (const timestamp of [undefined, '', '0001-01-01T00:00:00Z', '2026112010'])
      expect((await one({ ...call, timestamp }, { preset: 'segment' })).draft?.timestamp).toBe(1_773_144_002_000_000n);
  });

  test('a call of nobody is refused, and a mapping of ones own counts', async () => {
    const nobody = await one({ ...call, userId: undefined }, { preset: 'segment' });
    const own = { preset: 'segment', map: { email: 'userId' } };
    const mapped = await one({ ...call, userId: undefined, email: 'a@x' }, own);

    expect(nobody.problems).toHaveLength(1);
    expect(mapped.draft).toMatchObject({ userId: 'a@x' });
  });
});
