import { expect, test } from 'vitest';
import { readJson, toJsonText } from '../../../services/messages/json.ts';
import { withoutUnacceptable } from '../../../services/messages/sdk/without-unacceptable.ts';
import { unacceptableIn } from '../../../services/messages/unacceptable.ts';

function mended(text: string): string {
  const read = readJson(text);
  const value = withoutUnacceptable(read.ok ? read.value.exact : undefined, 0);
  expect(unacceptableIn(value, [])).toEqual([]);
  return toJsonText(value);
}

test.each([
  ['{"a":"x\\u0000y","b":["\\ud83d"]}', '{"a":"x\uFFFDy","b":["\uFFFD"]}'],
  ['{"a":1e5000,"b":9007199254740993}', '{"a":"1e5000","b":9007199254740993}'],
  ['{"__proto__":{"c":"\\u0000"},"":"\\u0000"}', '{"__proto__":{"c":"\uFFFD"},"":"\uFFFD"}'],
  [`${'[1,'.repeat(64)}[1]${']'.repeat(64)}`, `${'[1,'.repeat(64)}null${']'.repeat(64)}`],
])('%s is kept as %s', (given, kept) => {
  expect(mended(given)).toBe(kept);
});

test('two keys that differ in nothing but what is replaced keep a member each', () => {
  const kept = mended('{"k\\u0000":1,"k\\ud800":2,"k\\ufffd":3,"k\\udfff":4}');

  expect(JSON.parse(kept)).toEqual({ 'k\uFFFD 2': 1, 'k\uFFFD 3': 2, 'k\uFFFD': 3, 'k\uFFFD 4': 4 });
});
