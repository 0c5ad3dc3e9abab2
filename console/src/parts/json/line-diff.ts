export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly line: string;
}

/** Past this many pairs of lines, everything between is removed and added: comparing takes as many steps. */
const MAX_PAIRS = 1_000_000;

/**
 * What changed from one text to another, by lines: the fewest that are removed and added, what is removed before what is
 * added in its place.
 */
export function lineDiff(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const [beforeEnd, afterEnd] = [before.length - end, after.length - end];
  const kinds = kindsOf(before.slice(start, beforeEnd), after.slice(start, afterEnd));
  let [i, j] = [start, start];
  return [
    ...allOf('same', after.slice(0, start)),
    ...kinds.flatMap((kind) => {
      if (kind !== 'added') i++;
      if (kind !== 'removed') j++;
      return allOf(kind, kind === 'removed' ? before.slice(i - 1, i) : after.slice(j - 1, j));
    }),
    ...allOf('same', after.slice(afterEnd)),
  ];
}

type LineKind = DiffLine['kind'];

function allOf(kind: LineKind, lines: readonly string[]): readonly DiffLine[] {
  return lines.map((line) => ({ kind, line }));
}

/** Step by step through both. */
function kindsOf(before: readonly string[], after: readonly string[]): readonly LineKind[] {
  if (before.length * after.length > MAX_PAIRS) {
    return [...before.map((): LineKind => 'removed'), ...after.map((): LineKind => 'added')];
  }
  const common = commonLengths(before, after);
  const kinds: LineKind[] = [];
  for (let i = 0, j = 0; i < before.length || j < after.length;) {
    const isSame = i < before.length && j < after.length && before[i] === after[j];
    const isRemoved = i < before.length && (j >= after.length || at(common, i + 1, j) >= at(common, i, j + 1));
    const kind = isSame ? 'same' : isRemoved ? 'removed' : 'added';
    kinds.push(kind);
    if (kind !== 'added') i++;
    if (kind !== 'removed') j++;
  }
  return kinds;
}

function at(table: readonly Uint32Array[], i: number, j: number): number {
  return table[i]?.[j] ?? 0;
}

/** By the beginnings of what is left of both: how many lines they have in common. */
function commonLengths(before: readonly string[], after: readonly string[]): readonly Uint32Array[] {
  const table = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--) {
    const row = table[i];
    if (row === undefined) continue;
    for (let j = after.length - 1; j >= 0; j--) {
      row[j] =
        before[i] === after[j] ? at(table, i + 1, j + 1) + 1 : Math.max(at(table, i + 1, j), at(table, i, j + 1));
    }
  }
  return table;
}
