import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isList, isObject, type Json, jsonText, parseJson } from '../../console/src/api/json.ts';
import { applyEdit, type Path, valueAt } from '../../console/src/screens/builder/json-edit.ts';
import { formatJson, lineAt, offsetOf, readJson } from '../../console/src/screens/builder/json-text.ts';
import type { Piece } from '../../console/src/screens/builder/sentences/phrase.ts';
import {
  problemsByNode,
  sentenceOf,
  type TreeNode,
  treeOf,
  wordingOf,
} from '../../console/src/screens/builder/tree.ts';
import { propertyRun } from '../support/property-run.ts';
import { definitionAbout } from '../support/messages/random-audience.ts';

const definition = definitionAbout([
  { path: ['plan'], value: '"pro"' },
  { path: ['a', 'b'], value: '9007199254740993' },
  { path: ['__proto__'], value: '1e400' },
  { path: ['%2E', '', 'x'], value: 'true' },
  { path: ['items'], value: '1', inside: [{ path: ['sku'], value: '"x"' }] },
]).map(parseJson);

/** Definitions with a part replaced by whatever JSON there is: what people write on the way to one. */
const anything = fc
  .tuple(definition, fc.nat(40), fc.json({ maxDepth: 3 }).map(parseJson))
  .map(([root, place, value]): Json => {
    const places = placesIn(root);
    return applyEdit(root, { at: places[place % places.length] ?? [], value }) ?? null;
  });

function placesIn(value: Json, at: Path = []): readonly Path[] {
  if (isList(value)) return [at, ...value.flatMap((member, index) => placesIn(member, [...at, index]))];
  if (!isObject(value)) return [at];
  return [at, ...Object.entries(value).flatMap(([name, member]) => placesIn(member, [...at, name]))];
}

function nodesIn(node: TreeNode): readonly TreeNode[] {
  return [node, ...node.parts.flatMap(nodesIn)];
}

function piecesIn(root: Json): readonly Piece[] {
  const conditions = nodesIn(treeOf(root)).filter(({ kind }) => kind !== 'group' && kind !== 'not');
  return conditions.flatMap((node) => wordingOf(node).phrases.flatMap(({ pieces }) => pieces));
}

function sentencesOf(text: string): readonly string[] {
  return nodesIn(treeOf(parseJson(text))).map((node) => sentenceOf(node));
}

/** How many values of a list have controls. */
const SHOWN = 20;

/** “has a value”, “(ignoring case)” and “did anything” are said without the value; that any event counts goes without saying. */
function isInTheWords(name: string, value: Json): boolean {
  if (name === 'which') return value === 'any';
  return typeof value === 'boolean' && ['exists', 'ignore_case', 'any'].includes(name);
}

describe('a definition and its sentences', () => {
  test('each control that is set to what it shows leaves the document as it is, every digit', () => {
    fc.assert(
      fc.property(fc.oneof(definition, anything), (root) => {
        for (const piece of piecesIn(root)) {
          if (piece.kind === 'word' || piece.kind === 'remove') continue;
          const value = piece.make(piece.value);
          expect(value, piece.label).toBeDefined();
          expect(jsonText(applyEdit(root, { at: piece.at, value }) ?? null), piece.label).toBe(jsonText(root));
        }
      }),
      propertyRun(1_500),
    );
  });

  test('a choice shows one of its options, each of which makes a value', () => {
    fc.assert(
      fc.property(fc.oneof(definition, anything), (root) => {
        for (const piece of piecesIn(root)) {
          if (piece.kind !== 'choice') continue;
          expect(piece.options.map(({ value }) => value)).toContain(piece.value);
          for (const { value } of piece.options) {
            const changed = applyEdit(root, { at: piece.at, value: piece.make(value) }) ?? null;
            // What a click makes has controls again: no line of JSON appears that was not there.
            const lines = (of: Json): number => piecesIn(of).filter(({ kind }) => kind === 'json').length;
            expect(lines(changed), `${piece.label} ${value}`).toBeLessThanOrEqual(lines(root));
          }
        }
      }),
      propertyRun(500),
    );
  });

  test('nothing of a definition is left out of its sentences', () => {
    fc.assert(
      fc.property(fc.oneof(definition, anything), (root) => {
        const words = nodesIn(treeOf(root))
          .map((node) => sentenceOf(node))
          .join(' ');
        for (const at of placesIn(root)) {
          const value = valueAt(root, at);
          const isShown = at.every(
            (key, index) => typeof key !== 'number' || key < (at[index - 1] === 'users' ? 3 : SHOWN),
          );
          if (value === undefined || isList(value) || isObject(value) || !isShown) continue;
          if (isInTheWords(String(at.at(-1)), value)) continue;
          const text = typeof value === 'string' ? value : jsonText(value);
          const shown = [text, JSON.stringify(text).slice(1, -1), text.replace(/^\+?(\d+)[hdw]$/, '$1')];
          expect(
            shown.some((one) => words.includes(one)),
            `${jsonText(value)} at ${at.join('/')} of ${words}`,
          ).toBe(true);
        }
      }),
      propertyRun(1_000),
    );
  });

  test.each([
    [
      '{"event":"Order Completed","where":[{"property":"total","gt":50}],"count":{"at_least":3},"within":{"last":"30d"}}',
      ['did Order Completed where total is more than 50 at least 3 times in the last 30 days'],
    ],
    [
      '{"not":{"event":"Signed In","last":{"before":"7d"}}}',
      ['are not among those who did Signed In, the last time before 7 days ago'],
    ],
    ['{"trait":["address","country"],"in":["DE",1]}', ['their address → country is one of “DE” or 1']],
    ['{"not":{"trait":"plan","in":["pro"]}}', ['their plan is none of “pro”']],
    ['{"not":{"trait":"age","gte":18,"lt":65}}', ['not: their age is at least 18 and is less than 65']],
    ['{"trait":"age","is":12345678901234567890.10}', ['their age is 12345678901234567890.10']],
    [
      '{"not":{"any":[{"trait":"a","exists":true},{"trait":"b","exists":false}]}}',
      ['none of these', 'their a has a value', 'their b has no value'],
    ],
    ['{"not":{"not":{"event":"A"}}}', ['none of this', 'did not do A']],
    [
      '{"event":"A","count":{"at_least":1,"at_most":2},"first":{"between":["2026-01-01","1d"]}}',
      ['did A between 1 and 2 times, the first time ever between the day 2026-01-01 and 1 days ago'],
    ],
    ['{"event":"A","odd":[1e400]}', ['did A odd: [1e400]']],
    ['{"wrong":{"a":1.0}}', ['{"wrong":{"a":1.0}}']],
  ] as const)('%s reads as a sentence', (text, sentences) => {
    expect(sentencesOf(text)).toEqual(sentences);
  });

  test('a problem is shown at the innermost condition that its pointer is in', () => {
    const root = treeOf(parseJson('{"all":[{"event":"A"},{"not":{"any":[{"trait":"a","is":null}]}}]}'));
    const found = problemsByNode(root, [
      { pointer: '/all/1/not/any/0/is', message: 'is null' },
      { pointer: '/all', message: 'is empty' },
    ]);

    expect([...found.keys()]).toEqual(['/all/1/not/any/0', '']);
  });
});

describe('the text of a definition', () => {
  test('a definition that is written out and read again is the same, every digit', () => {
    fc.assert(
      fc.property(fc.oneof(definition, anything), (root) => {
        expect(jsonText(parseJson(formatJson(root)))).toBe(jsonText(root));
      }),
      propertyRun(500),
    );
  });

  test('each place of a definition is found in its text', () => {
    fc.assert(
      fc.property(fc.oneof(definition, anything), (root) => {
        const text = formatJson(root);
        for (const at of placesIn(root)) {
          const value = valueAt(root, at) ?? null;
          const start = isList(value) ? '[' : isObject(value) ? '{' : jsonText(value);
          expect(text.slice(offsetOf(text, at), offsetOf(text, at) + start.length)).toBe(start);
        }
      }),
      propertyRun(300),
    );
  });

  test('text that is not JSON is refused with its line', () => {
    const lineOf = (text: string): number | undefined => {
      const parsed = readJson(text);
      return parsed.ok ? undefined : parsed.problem.line;
    };

    expect(lineOf('{"all": [\n  {"event": "A"},\n  {"trait" "b"}\n]}')).toBe(3);
    expect(lineOf('{\n  "all": [\n')).toBe(2);
    expect(lineOf('{"trait": "a", "is": 1e400}')).toBeUndefined();
    expect(lineAt('a\nb\nc', 4)).toBe(3);
  });
});
