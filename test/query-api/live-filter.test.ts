import { expect, test } from 'vitest';
import { RecordFilter } from '../../services/query-api/live-filter.ts';
import { identify, recordOf, session, track } from '../support/messages.ts';

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

test('bytes that end early, or are not a record, match nothing', () => {
  const { value } = recordOf(track({ projectId: PROJECT_ID, userId: 'ada' }));
  const filter = new RecordFilter(PROJECT_ID, {});
  const whole = Buffer.from(value);
  for (let end = 0; end < whole.indexOf(PROJECT_ID) + PROJECT_ID.length; end++) {
    expect(filter.judge('tidemark.track', whole.subarray(0, end)), `${end}`).toBe('other');
  }
  expect(filter.judge('tidemark.track', Buffer.from(`not a record of ${PROJECT_ID}`))).toBe('undecided');
});
