/** How large a program RE2 makes of a pattern, by its text alone: to compile it first would be the work to be bounded. Pure. */

/** Such a class is up to some 1,700 instructions of bytes. */
const STEPS_OF_UNICODE_CLASS = 20;

const UNICODE_CLASS = String.raw`\\[pP](?:\{[^}]*\}|[^{])`;
const SET = String.raw`\[\^?\]?(?:\[:\^?\w+:\]|${UNICODE_CLASS}|\\[^]|[^\]\\])*\]?`;
const SYNTAX = new RegExp(
  [
    String.raw`\\Q(?<quoted>[^]*?)(?:\\E|$)`,
    String.raw`(?<wide>${UNICODE_CLASS})|(?<set>${SET})|\\x\{[^}]*\}|\\[^]`,
    String.raw`\((?<flags>\?[-a-zA-Z]*\))|(?<open>\()(?:\?P?<[^>]*>|(?<plain>\?[-a-zA-Z]*:))?|(?<close>\))`,
    String.raw`\{(?<least>\d*)(?<comma>,?)(?<most>\d*)\}|[^]`,
  ].join('|'),
  'gu',
);

interface Group {
  /** Including those of the group itself, where it is captured. */
  steps: number;
  /** The part of them that a repeat would repeat. */
  last: number;
}

/** About as many as RE2's instructions, a letter or a class of letters counted as one; of what is no pattern, any number. */
export function stepsOf(pattern: string): number {
  const outer: Group[] = [];
  let group: Group = { steps: 0, last: 0 };
  const close = (): void => {
    const inner = group;
    group = outer.pop() ?? { steps: 0, last: 0 };
    add(group, Math.max(inner.steps, 1));
  };
  for (const { 0: piece, groups: found = {} } of pattern.matchAll(SYNTAX)) {
    if (found['open'] !== undefined) {
      outer.push(group);
      group = { steps: found['plain'] === undefined ? 2 : 0, last: 0 };
    } else if (found['close'] !== undefined) close();
    else if (found['least'] !== undefined && piece !== '{}') repeat(group, found);
    else if (found['flags'] === undefined) add(group, stepsOfPiece(found));
  }
  while (outer.length > 0) close();
  return group.steps;
}

type SyntaxPieces = Readonly<Record<string, string | undefined>>;

function stepsOfPiece({ quoted, wide, set }: SyntaxPieces): number {
  if (quoted !== undefined) return Array.from(quoted).length;
  return wide !== undefined || /\\[pP]/.test(set ?? '') ? STEPS_OF_UNICODE_CLASS : 1;
}

function add(group: Group, steps: number): void {
  group.last = steps;
  group.steps += steps;
}

/** Each copy beyond the least may be left out, which takes a step of its own. */
function repeat(group: Group, { least = '', comma = '', most = '' }: SyntaxPieces): void {
  const from = Number(least);
  const to = Math.max(from, Number(most), 1);
  const steps = to * group.last + (comma === '' ? 0 : Math.max(to - from, 1));
  group.steps += steps - group.last;
  group.last = steps;
}
