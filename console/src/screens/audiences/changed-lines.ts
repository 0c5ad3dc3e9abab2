import type { Json } from '../../api/json.ts';
import { type Line, linesOf, textOf } from '../../parts/sentence.ts';

export interface ChangedLine {
  readonly is: 'same' | 'added' | 'removed';
  readonly line: Line;
}

/**
 * What a definition says, line by line, beside the one before it: what is removed before what is added in its place.
 *
 * @param before Undefined where there was none: then nothing is marked.
 */
export function changedLines(after: Json, before: Json | undefined): readonly ChangedLine[] {
  const added = linesOf(after);
  if (before === undefined) return added.map((line) => ({ is: 'same', line }));
  const removed = linesOf(before);
  const common = commonLengths(removed, added);
  const lines: ChangedLine[] = [];
  for (let i = 0, j = 0; i < removed.length || j < added.length;) {
    const [old, fresh] = [removed[i], added[j]];
    if (old !== undefined && fresh !== undefined && isSame(old, fresh)) {
      lines.push({ is: 'same', line: fresh });
      i++;
      j++;
    } else if (old !== undefined && (fresh === undefined || lengthAt(common, i + 1, j) >= lengthAt(common, i, j + 1))) {
      lines.push({ is: 'removed', line: old });
      i++;
    } else if (fresh !== undefined) {
      lines.push({ is: 'added', line: fresh });
      j++;
    }
  }
  return lines;
}

/** How many lines the rests from `[i][j]` on have in common, in their order. At most some hundred lines each. */
function commonLengths(one: readonly Line[], other: readonly Line[]): readonly (readonly number[])[] {
  // What is beyond the ends is 0, by `lengthAt`.
  const lengths: number[][] = one.map(() => []);
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      const [a, b] = [one[i], other[j]];
      const isCommon = a !== undefined && b !== undefined && isSame(a, b);
      const row = lengths[i];
      if (row === undefined) continue;
      row[j] = isCommon
        ? lengthAt(lengths, i + 1, j + 1) + 1
        : Math.max(lengthAt(lengths, i + 1, j), lengthAt(lengths, i, j + 1));
    }
  }
  return lengths;
}

function lengthAt(lengths: readonly (readonly number[])[], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}

function isSame(one: Line, other: Line): boolean {
  return one.depth === other.depth && textOf(one.words) === textOf(other.words);
}
