/** Notes at the points of a chart. Pure. */
import type { Note } from '../../api/types.ts';

/** What is written at each point that has any. @param starts When the points begin, as RFC 3339. */
export function notesAt(starts: readonly (string | null)[], notes: readonly Note[] = []): ReadonlyMap<number, string> {
  const begun = starts.map((start) => Date.parse(start ?? ''));
  const found = new Map<number, string>();
  for (const note of notes.toReversed()) {
    const point = begun.findLastIndex((start) => start <= Date.parse(note.at));
    if (point >= 0) found.set(point, [...(found.has(point) ? [found.get(point)] : []), noteText(note)].join(' · '));
  }
  return found;
}

export function noteText({ kind, text }: Note): string {
  if (kind === 'note') return text;
  return kind === 'audience' ? 'Definition changed' : `${kind === 'import' ? 'Imported' : 'Replayed'} ${text}`;
}
