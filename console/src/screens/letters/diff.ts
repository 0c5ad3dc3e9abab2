/** Which lines of a text are gone, and which are new. Pure. */

export interface DiffLine {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

// Beyond it all lines in the middle are shown as gone and new: the table of comparisons would have millions of cells.
const MOST_CELLS = 1_000_000;

export function diffOf(before: string, after: string): readonly DiffLine[] {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  return [
    ...old.slice(0, start).map(same),
    ...middleOf(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)),
    ...old.slice(old.length - end).map(same),
  ];
}

function same(text: string): DiffLine {
  return { kind: 'same', text };
}

function middleOf(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  if (old.length * fresh.length > MOST_CELLS) return [...old.map(gone), ...fresh.map(added)];
  const common = lengths(old, fresh);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < fresh.length) {
    if (old[i] === fresh[j]) {
      lines.push(same(old[i++] ?? ''));
      j++;
    } else if ((common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0)) lines.push(gone(old[i++] ?? ''));
    else lines.push(added(fresh[j++] ?? ''));
  }
  return [...lines, ...old.slice(i).map(gone), ...fresh.slice(j).map(added)];
}

function gone(text: string): DiffLine {
  return { kind: 'gone', text };
}

function added(text: string): DiffLine {
  return { kind: 'new', text };
}

/** Of the longest list of lines that both have in common, from each pair of lines on. */
function lengths(old: readonly string[], fresh: readonly string[]): readonly (readonly number[])[] {
  const table = Array.from({ length: old.length + 1 }, () => Array.from({ length: fresh.length + 1 }, () => 0));
  for (let i = old.length - 1; i >= 0; i--) {
    const [row, below] = [table[i] ?? [], table[i + 1] ?? []];
    for (let j = fresh.length - 1; j >= 0; j--) {
      row[j] = old[i] === fresh[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}
