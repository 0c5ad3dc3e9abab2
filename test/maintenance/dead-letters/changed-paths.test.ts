import { expect, test } from 'vitest';
import { changedPaths } from '../../../services/maintenance/dead-letters/changed-paths.ts';
import { parseBody } from '../../../services/messages/json.ts';

function json(text: string): unknown {
  const parsed = parseBody(text);
  return parsed.ok ? parsed.value.exact : undefined;
}

test.each([
  ['{"a":1}', '{"a":1}', []],
  ['{"a":1,"b":{"c":"x"}}', '{"a":2,"b":{"c":"x"}}', ['/a']],
  ['{"b":{"c":"x","d":1}}', '{"b":{"c":"y","e":1}}', ['/b/c', '/b/d', '/b/e']],
  ['{"list":[1,2]}', '{"list":[1,3]}', ['/list']],
  ['{"b":{"c":1}}', '{"b":null}', ['/b']],
  ['{"a/b~c":1}', '{"a/b~c":2}', ['/a~1b~0c']],
  ['{"n":0.1}', '{"n":0.1000000000000000055}', ['/n']],
  ['{"n":9007199254740993}', '{"n":9007199254740993}', []],
  ['{}', '{"__proto__":1,"constructor":2}', ['/__proto__', '/constructor']],
])('%s and %s differ at %j', (before, after, paths) => {
  expect(changedPaths(json(before), json(after))).toEqual(paths);
});
