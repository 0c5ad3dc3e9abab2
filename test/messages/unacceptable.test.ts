import { describe, expect, test } from 'vitest';
import { parseBody } from '../../services/messages/json.ts';
import { isAcceptable, unacceptableIn } from '../../services/messages/unacceptable.ts';

function problemsOf(text: string) {
  const body = parseBody(text);
  return body.ok ? [] : body.problems;
}

describe('what no message may hold', () => {
  test.each([
    ['keys', `{${Array.from({ length: 5_000 }, (_, n) => `"\\u0000${n}":1`).join()}}`],
    ['strings', `[${Array.from({ length: 5_000 }, () => '"\\ud800"').join()}]`],
    ['numbers', `[${Array.from({ length: 5_000 }, () => '1e5000').join()}]`],
    ['depths', `[${Array.from({ length: 5_000 }, () => '['.repeat(64) + ']'.repeat(64)).join()}]`],
  ])('is told a hundred times, of %s too', (_what, text) => {
    expect(problemsOf(text)).toHaveLength(100);
  });

  test('is not looked for after the last problem that is told', () => {
    const looks: number[] = [];
    const list = Array.from({ length: 1_000 }, (_, index) => ({
      get text() {
        looks.push(index);
        return '\0';
      },
    }));

    const problems = unacceptableIn(list, [], 7);

    expect(problems).toHaveLength(7);
    expect(looks).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test.each(['k', '~'])('under a key of 100,000 × %j is told by the object that has the key', (char) => {
    const text = `{"a":{"${char.repeat(100_000)}":[${Array.from({ length: 200 }, () => '"\\u0000"').join()}]}}`;

    const problems = problemsOf(text);

    expect(problems).toHaveLength(100);
    expect(new Set(problems.map(({ path }) => path))).toEqual(new Set(['/a']));
    expect(problems[0]?.message).toContain('holds a NUL character');
  });

  test('is told by a pointer of a thousand characters at most, however many keys lead to it', () => {
    const text = `${`{"${'k'.repeat(300)}":`.repeat(20)}"\\u0000"${'}'.repeat(20)}`;

    expect(problemsOf(text).map(({ path }) => path)).toEqual([`/${'k'.repeat(300)}`.repeat(3)]);
  });

  test('depends on how deep the value stands', () => {
    const deep = JSON.parse('['.repeat(63) + ']'.repeat(63)) as unknown;

    expect(isAcceptable(deep, 1)).toBe(true);
    expect(isAcceptable(deep, 2)).toBe(false);
  });
});
