/** What is said of a problem, and what to do about it. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { memberOf, PROBLEMS, saying } from '../../../console/src/parts/loading/problems.ts';
import { causeOf, titleOf } from '../../../console/src/screens/dead-letters/words.ts';
import { correctedBody, markedParts, remedyOf, whatIsWrong } from '../../../console/src/screens/rejection.ts';

/** What is said beside the codes of refusals: the console's own, what is counted, and what makes dead letters. */
const OTHERS = ['network', 'adjusted', 'other', 'MESSAGE_UNDECODABLE', 'STORE_REJECTED'];

test('every kind of refusal in docs/errors.md has words, and no other has', () => {
  const section = readFileSync('docs/errors.md', 'utf8').split('## HTTP refusals')[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => /^\| \d{3} /.test(line));
  const kinds = rows.flatMap((row) => [...(row.split('|')[2] ?? '').matchAll(/`([a-z-]+)`/g)].map(([, kind]) => kind));

  expect(kinds.length).toBeGreaterThan(20);
  expect(new Set(Object.keys(PROBLEMS))).toEqual(new Set([...kinds, ...OTHERS]));
});

test('what is said of a value is in plain words, and a saying without words stays', () => {
  const texts = [
    'must be object',
    'must be string,null',
    'is required',
    'leads to an inner address, which WEBHOOK_ALLOW does not name',
    'is not JSON: Unexpected token } at position 5',
    'must be one of a, b, not 5',
    'The event log cannot take messages now. Send the same request again later.',
  ].map(saying);

  expect(texts).toEqual([
    'must be an object',
    'must be a text or left out',
    'is missing',
    'is inside your network. An administrator allows it with the setting WEBHOOK_ALLOW',
    'is not JSON',
    'must be one of a, b, not 5',
    'The event log cannot take messages now.',
  ]);
  expect(memberOf('/batch/*/traits/a~1b')).toBe('traits → a/b');
});

describe('what was rejected', () => {
  const rejected = (pointer: string, message: string, example: string | null, code = 'invalid-body') => ({
    code,
    pointer,
    message,
    example,
  });

  test('a rejected message says what is wrong, and what its sender does about it', () => {
    const traits = rejected('/batch/*/traits', 'must be object', '{"type":"identify","traits":"pro"}');

    expect(whatIsWrong(traits)).toBe('traits must be an object');
    expect(remedyOf(traits)).toContain('{"plan": "pro"}');
    expect(whatIsWrong(rejected('', 'is not JSON: x', '{'))).toBe('The body is not JSON');
    expect(whatIsWrong(rejected('', 'This project may send 5 a second.', null, 'rate-limited'))).toBe(
      'Too many requests at once',
    );
    expect(remedyOf(rejected('', '', null, 'too-large'))).toContain('smaller');
    expect(remedyOf(rejected('/user_id', 'must be string', null))).toBe('Send user_id as a text, in double quotes.');
  });

  test('a rejected message has the place marked: the value, what is around it where it is missing, and where the text breaks', () => {
    const marked = (pointer: string, message: string, example: string) =>
      markedParts(rejected(pointer, message, example))[1];

    expect(marked('/batch/*/traits', 'must be object', '{"type":"identify","traits":"pro"}')).toBe('"pro"');
    expect(marked('/properties/a', 'x', '{"event":"E","properties":{"b":[1,{"a":2}],"a":{"c":3}}}')).toBe('{"c":3}');
    expect(marked('/user_id', 'is missing', '{"event":"E"}')).toBe('{');
    expect(marked('/event', 'must be string', '{"user_id":"a","event":7,"prop')).toBe('7');
    expect(marked('/properties', 'must be object', '{"user_id":"a","prop')).toBe('{');
    expect(marked('', 'is not JSON: Expected , in JSON at position 8', '{"a": 1 "b"}')).toBe('"');
    expect(marked('', 'Too large', '{"a":1}')).toBe('');
  });

  test('a rejected message is corrected where it is plain what was meant, with every digit, and not elsewhere', () => {
    const mendedBody = (pointer: string, message: string, example: string) =>
      correctedBody(rejected(pointer, message, example));

    expect(mendedBody('/user_id', 'must be string', '{"user_id":12345678901234567890,"event":"E"}')).toBe(
      '{"user_id":"12345678901234567890","event":"E"}',
    );
    expect(mendedBody('/traits', 'must be object', String.raw`{"user_id":"a","traits":"{\"plan\":\"pro\"}"}`)).toBe(
      '{"user_id":"a","traits":{"plan":"pro"}}',
    );
    expect(mendedBody('/batch/*/user_id', 'is missing', '{"type":"track","event":"E","anonymous_id":"v"}')).toBe(
      '{"batch":[{"type":"track","event":"E","anonymousId":"v"}]}',
    );
    expect(mendedBody('/timestamp', 'must be string', '{"user_id":"a","event":"E","timestamp":1763634000}')).toBe(
      '{"user_id":"a","event":"E","timestamp":"2025-11-20T10:20:00.000Z"}',
    );
    for (const [pointer, message, example] of [
      ['/traits', 'must be object', '{"user_id":"a","traits":"pro"}'],
      ['/event', 'must not be empty', '{"user_id":"a","event":""}'],
      ['/user_id', 'is missing', '{"event":"E"}'],
      ['/timestamp', 'is not on the calendar', '{"timestamp":"2025-02-30T00:00:00Z"}'],
      ['', 'is not JSON: x', '{"a":'],
    ] as const)
      expect(mendedBody(pointer, message, example), example).toBeUndefined();
  });
});

test('a dead letter is called by what and whose it is, and says why it is one', () => {
  const letter = { id: 'tidemark.identify/2/1079', user_id: 'max', event: null };

  expect(titleOf(letter)).toBe('identify of max');
  expect(titleOf({ ...letter, event: 'Order Completed' })).toBe('Order Completed of max');
  expect(titleOf({ ...letter, id: 'tidemark.import-track/0/1', user_id: null })).toBe('imported track');
  expect(causeOf('STORE_REJECTED: the database says 22021: invalid byte sequence').todo).toContain(String.raw`\u0000`);
  expect(causeOf('STORE_REJECTED: the database says 42804').what).toBe('A value cannot be stored');
  expect(causeOf('MESSAGE_UNDECODABLE: it is not framed as Avro').what).toBe('The message cannot be read');
});
