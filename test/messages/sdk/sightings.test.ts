import { describe, expect, test } from 'vitest';
import { isPlaceholder, sightingsOf } from '../../../services/messages/sdk/sightings.ts';
import { identify, session, track } from '../../support/messages/messages.ts';

const ADA = { projectId: 'proj_1', userId: 'ada' };

function alias(previousId: unknown, others: { readonly userId?: string; readonly anonymousId?: string } = {}) {
  return track({ ...ADA, ...others, event: 'alias', properties: JSON.stringify({ previousId }) });
}

describe('an id that stands for no id', () => {
  const placeholders = ['null', 'undefined', '0', '', ' ', '"null"', "'Null'", 'None', 'NaN', '-', '-1', '0x0', 'xxxx'];
  const others = ['[object Object]', '0000', 'guest', 'true', 'n/a', '00000000-0000-0000-0000-000000000000'];

  test.each([...placeholders, ...others])('the id %j is a placeholder', (id) => {
    expect(isPlaceholder(id)).toBe(true);
  });

  test.each([
    '1',
    '7',
    '10',
    '1234',
    'd',
    'ada',
    '5b1f',
    'nullable',
    'a0000',
    'anonymous-77',
    'ida',
    '0a',
    "'o'brien'",
  ])('the id %j is one', (id) => {
    expect(isPlaceholder(id)).toBe(false);
  });

  test('a long id of zeros is a placeholder, and is told in time that grows with its length', () => {
    expect(isPlaceholder('0'.repeat(512))).toBe(true);
    expect(isPlaceholder(`${"'".repeat(255)}a${"'".repeat(256)}`)).toBe(false);
  });
});

describe('the anonymous ids that a message was seen with', () => {
  test('a message with both ids is a sighting, and one with either of them says nothing of it', () => {
    expect(sightingsOf(track({ ...ADA, anonymousId: 'dev-1' }))).toEqual(['dev-1']);
    expect(sightingsOf(identify({ ...ADA, anonymousId: 'dev-1' }))).toEqual(['dev-1']);
    expect(sightingsOf(track(ADA))).toEqual([]);
    expect(sightingsOf(session(ADA))).toEqual([]);
    expect(sightingsOf({ ...track({ ...ADA, anonymousId: 'dev-1' }), userId: null })).toEqual([]);
  });

  test('an alias is a sighting of the id before too, which may be a number', () => {
    expect(sightingsOf(alias('dev-1'))).toEqual(['dev-1']);
    expect(sightingsOf(alias(12345678901234567000))).toEqual(['12345678901234567000']);
    expect(sightingsOf(alias('dev-1', { anonymousId: 'dev-1' }))).toEqual(['dev-1']);
    expect(sightingsOf(alias('dev-1', { anonymousId: 'dev-2' }))).toEqual(['dev-2', 'dev-1']);
    expect(sightingsOf(track({ ...ADA, event: 'Home', properties: '{"previousId":"dev-1"}' }))).toEqual([]);
  });

  test.each([[null], [''], [{}], [['dev-1']], [true], ['x'.repeat(513)]])(
    'an alias of %j names nobody',
    (previousId) => {
      expect(sightingsOf(alias(previousId))).toEqual([]);
    },
  );

  test('a placeholder makes none, on either side', () => {
    expect(sightingsOf(track({ ...ADA, anonymousId: 'null' }))).toEqual([]);
    expect(sightingsOf(track({ ...ADA, userId: 'undefined', anonymousId: 'dev-1' }))).toEqual([]);
    expect(sightingsOf(alias('0', { anonymousId: 'dev-1' }))).toEqual(['dev-1']);
  });
});
