/** The pure parts of the screen Settings. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { AdminProject } from '../../../console/src/api/types.ts';
import { parseJson, type RawNumber } from '../../../console/src/api/json.ts';
import { lineDiff } from '../../../console/src/parts/json/line-diff.ts';
import { bytes } from '../../../console/src/parts/numbers.ts';
import { ACTIONS } from '../../../console/src/screens/settings/audit-actions.ts';
import { changesOf, fieldsOf } from '../../../console/src/screens/settings/project-changes.ts';

const PROJECT = parseJson(
  '{"id":"p","name":"Shop","timezone":"UTC","rate_limit":5,"query_max_ms":null,"query_max_memory_bytes":null,"query_max_rows":9007199254740993,"search_traits":["name","email"],"name_traits":["name"],"created_at":"2026-11-01T00:00:00Z"}',
) as unknown as AdminProject;

describe('what a form changes of a project', () => {
  test('a field that is as it was is left out, an empty limit is no limit, and digits stay', () => {
    const before = fieldsOf(PROJECT);

    expect(changesOf(before, before)).toBeUndefined();
    expect(changesOf(before, { ...before, rate_limit: '', query_max_ms: '9007199254740993' })).toBe(
      '{"rate_limit":null,"query_max_ms":9007199254740993}',
    );
    expect(changesOf(before, { ...before, name: 'Shop 2', rate_limit: '5.5' })).toBe(
      '{"name":"Shop 2","rate_limit":"5.5"}',
    );
    expect(changesOf(before, { ...before, name_traits: ' full name, ,email', search_traits: '' })).toBe(
      '{"name_traits":["full name","email"],"search_traits":[]}',
    );
  });
});

test('the audit log has words for every action of the service, and for no other', () => {
  const text = globSync('services/**/*.ts')
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const lines = [...text.matchAll(/(?:\baction\b|answer(?:Job|Started)\()([^\n]*)/g)].map(([, rest = '']) => rest);
  const named = lines.flatMap((rest) => [...rest.matchAll(/'([a-z-]+(?:\.[a-z-]+)+)'/g)]);
  // `generation.${step}`: the last word of its path.
  const made = [...text.matchAll(/\baction\b[^\n]*`([a-z-]+)\.\$\{/g)].flatMap(([, kind = '']) => {
    const paths = [...text.matchAll(new RegExp(`'POST /v1/admin/${kind}s?/(?:\\{\\w+\\}/)*(\\w+)'`, 'g'))];
    return paths.map(([, step = '']) => `${kind}.${step}`);
  });
  const actions = new Set([...named.map(([, action = '']) => action), ...made]);

  expect(actions.size).toBeGreaterThan(25);
  expect([...actions].filter((action) => !(action in ACTIONS) && action !== 'generation.compare')).toEqual([]);
  expect(Object.keys(ACTIONS).filter((action) => !actions.has(action))).toEqual([]);
});

describe('a diff', () => {
  const shown = (before: readonly string[], after: readonly string[]): string[] =>
    lineDiff(before, after).map(({ kind, line }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${line}`);

  test('lines that both have stay, others are removed or added where they stood', () => {
    expect(shown(['{', 'a', 'b', '}'], ['{', 'a', 'c', 'd', '}'])).toEqual([' {', ' a', '-b', '+c', '+d', ' }']);
    expect(shown([], ['a'])).toEqual(['+a']);
    expect(shown(['a', 'b'], ['a'])).toEqual([' a', '-b']);
  });

  test('texts of more lines than can be compared are removed and added whole', () => {
    const many = Array.from({ length: 1_001 }, (_, i) => String(i));
    const others = many.map((text) => `other ${text}`);

    expect(lineDiff(many, others)).toHaveLength(2_002);
    expect(lineDiff(many, many).every(({ kind }) => kind === 'same')).toBe(true);
  });
});

test('a size has the unit that it is read in', () => {
  const sizes = ['0', '1023', '1536', '20234240', '270553174016'].map((text) => bytes(parseJson(text) as RawNumber));

  expect(sizes).toEqual(['0 bytes', '1023 bytes', '1.5 KiB', '19 MiB', '252 GiB']);
  expect(bytes(null)).toBe('unknown');
});
