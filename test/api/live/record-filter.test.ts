import { expect, test } from 'vitest';
import type { Track } from '../../../services/messages/message.ts';
import { anonymousKeyOf, userKeyOf } from '../../../services/messages/user-key.ts';
import { type LiveFilter, RecordFilter } from '../../../services/api/live/record-filter.ts';
import { identify, recordOf, session, track } from '../../support/messages/messages.ts';

const PROJECT_ID = 'proj_00000000000000000001';
const OTHER_ID = 'proj_00000000000000000002';

test('a record is judged by its bytes as by its message, however long its message id is', () => {
  const filter = new RecordFilter(PROJECT_ID, {});
  for (const length of [1, 36, 63, 64, 127, 128]) {
    for (const make of [track, identify, session]) {
      const messageId = 'm'.repeat(length);
      const ours = recordOf(make({ projectId: PROJECT_ID, userId: 'ada', messageId }));
      const others = recordOf(make({ projectId: OTHER_ID, userId: 'ada', messageId }));
      expect(filter.judge('tidemark.track', ours.value), `${length}`).toBe('matches');
      expect(filter.judge('tidemark.track', others.value), `${length}`).toBe('other');
    }
  }
});

test('a record of another project that names this one is left to be decoded', () => {
  const { value } = recordOf(track({ projectId: OTHER_ID, userId: 'ada', messageId: PROJECT_ID }));
  expect(new RecordFilter(PROJECT_ID, {}).judge('tidemark.track', value)).toBe('undecided');
});

test('a record that has the bytes of every filter is left to be decoded, and no other', () => {
  const { value } = recordOf(track({ projectId: PROJECT_ID, userId: 'ünï', event: 'Paid', properties: '{"a":"🛍"}' }));
  const judge = (filter: ConstructorParameters<typeof RecordFilter>[1], topic = 'tidemark.track') =>
    new RecordFilter(PROJECT_ID, filter).judge(topic, value);

  expect(judge({ userId: 'ünï', event: 'Paid', text: '🛍' })).toBe('undecided');
  for (const filter of [{ userId: 'uni' }, { event: 'Payed' }, { text: '🛒' }]) expect(judge(filter)).toBe('other');
  expect(judge({ type: 'identify' })).toBe('other');
  expect(judge({ event: 'Paid' }, 'tidemark.identify')).toBe('other');
});

test.each([
  ['say "hi"', { said: 'I say "hi" to you' }],
  [String.raw`a\b`, { path: String.raw`c:\a\b` }],
  ['two\nlines', { deep: [{ text: 'two\nlines' }] }],
  ['12.50', { total: 12.5 }],
  ['12.5', { total: 112.5 }],
  ['-1e3', { total: -1000 }],
  ['true', { isPaid: true }],
  ['🛍', { bag: 'the 🛍' }],
])('the text %s finds %j', (text, properties) => {
  expect(finds({ text }, { properties: JSON.stringify(properties) })).toBe(true);
});

test.each([
  ['total', { total: 12.5 }],
  ['":', { total: 12.5 }],
  ['12.50', { total: 112.5 }],
  ['say hi', { said: 'say "hi"' }],
  ['1250', { total: 12.5 }],
])('the text %s does not find %j', (text, properties) => {
  expect(finds({ text }, { properties: JSON.stringify(properties) })).toBe(false);
});

test('the text finds digits that a double has not, and JSON of a foreign writer', () => {
  expect(finds({ text: '12345678901234567890.10' }, { properties: '{"n":12345678901234567890.10}' })).toBe(true);
  expect(finds({ text: 'é/"' }, { properties: String.raw`{ "a" : "\u00e9\/\"" }` })).toBe(true);
});

test('a user has the events that came with a session, which name the internal id alone', () => {
  const userKey = userKeyOf(PROJECT_ID, 'ada');
  const event = { userId: null, userKey, sessionId: 's1', properties: '{}' } as const;

  expect([finds({ userId: 'ada' }, event), finds({ userId: 'bob' }, event)]).toEqual([true, false]);
  const anonymous = { ...event, userKey: anonymousKeyOf(PROJECT_ID, 'a-1') };
  expect([finds({ userId: 'a-1' }, anonymous), finds({ userId: 'ada' }, anonymous)]).toEqual([true, false]);
});

/** Whether both the bytes and the message are taken for a match. */
function finds(filter: LiveFilter, said: Partial<Track>): boolean {
  const message = { ...track({ projectId: PROJECT_ID, userId: 'someone' }), ...said };
  const records = new RecordFilter(PROJECT_ID, filter);
  const isCandidate = records.judge('tidemark.track', recordOf(message).value) !== 'other';
  // The bytes leave out only what does not match.
  expect(isCandidate || !records.matches(message)).toBe(true);
  return isCandidate && records.matches(message);
}

test('bytes that end early, or are not a record, match nothing', () => {
  const { value } = recordOf(track({ projectId: PROJECT_ID, userId: 'ada' }));
  const filter = new RecordFilter(PROJECT_ID, {});
  const whole = Buffer.from(value);
  for (let end = 0; end < whole.indexOf(PROJECT_ID) + PROJECT_ID.length; end++) {
    expect(filter.judge('tidemark.track', whole.subarray(0, end)), `${end}`).toBe('other');
  }
  expect(filter.judge('tidemark.track', Buffer.from(`not a record of ${PROJECT_ID}`))).toBe('undecided');
});
