import { describe, expect, test } from 'vitest';
import { isPlaceholder, sightingsOf } from '../../services/messages/sightings.ts';
import { identify, session, track } from '../support/messages/messages.ts';

const ada = { projectId: 'proj_1', userId: 'ada' };

function alias(previousId: unknown, others: { readonly userId?: string; readonly anonymousId?: string } = {}) {
  return track({ ...ada, ...others, event: 'alias', properties: JSON.stringify({ previousId }) });
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
  test('a message with both ids is a sighting, and one with either of them is none', () => {
    expect(sightingsOf(track({ ...ada, anonymousId: 'dev-1' }))).toEqual(['dev-1']);
    expect(sightingsOf(identify({ ...ada, anonymousId: 'dev-1' }))).toEqual(['dev-1']);
    expect(sightingsOf(track(ada))).toEqual([]);
    expect(sightingsOf(session(ada))).toEqual([]);
    expect(sightingsOf({ ...track({ ...ada, anonymousId: 'dev-1' }), userId: null })).toEqual([]);
  });

  test('an alias is a sighting of the id before too, which may be a number', () => {
    expect(sightingsOf(alias('dev-1'))).toEqual(['dev-1']);
    expect(sightingsOf(alias(12345678901234567000))).toEqual(['12345678901234567000']);
    expect(sightingsOf(alias('dev-1', { anonymousId: 'dev-1' }))).toEqual(['dev-1']);
    expect(sightingsOf(alias('dev-1', { anonymousId: 'dev-2' }))).toEqual(['dev-2', 'dev-1']);
    expect(sightingsOf(track({ ...ada, event: 'Home', properties: '{"previousId":"dev-1"}' }))).toEqual([]);
  });

  test.each([[null], [''], [{}], [['dev-1']], [true], ['x'.repeat(513)]])('an alias of %j is none', (previousId) => {
    expect(sightingsOf(alias(previousId))).toEqual([]);
  });

  test('a placeholder makes none, on either side', () => {
    expect(sightingsOf(track({ ...ada, anonymousId: 'null' }))).toEqual([]);
    expect(sightingsOf(track({ ...ada, userId: 'undefined', anonymousId: 'dev-1' }))).toEqual([]);
    expect(sightingsOf(alias('0', { anonymousId: 'dev-1' }))).toEqual(['dev-1']);
  });
});
