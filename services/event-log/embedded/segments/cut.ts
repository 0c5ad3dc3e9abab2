/** Deletes the first segments of a log. */
import { join } from 'node:path';
import { type ChunkReader, unlessLost } from './chunk-reader.ts';
import type { LogParts } from './log-view.ts';
import { bodyAlone } from './segment-transaction.ts';
import type { WritableParts } from './segment-writer.ts';

/** The name under which the number of the first segment is stored that has not been cut. */
export const FIRST_SEGMENT_NOTE = 'segments/first';

/** Deletes the segments whose records all lie below these offsets (`SegmentStore.cut`). Under the lock. */
export function cutSegments(parts: WritableParts, chunks: ChunkReader, below: Float64Array): void {
  const { shared, view, writer } = parts;
  if (isBelow(view.ends, below)) writer.beginUnlessNew();
  let { first } = shared;
  for (let next = first + 1; next <= shared.flushed.segment; next++) {
    // One whose beginning is lost goes with those before it.
    const starts = unlessLost(() => chunks.startsOf(next));
    if (starts !== undefined && !isBelow(starts, below)) break;
    if (starts !== undefined) first = next;
  }
  if (first > shared.first) {
    writer.commit(bodyAlone({ notes: { [FIRST_SEGMENT_NOTE]: first } }), []);
    shared.first = first;
    shared.countOverwrite();
  }
  removeCut(parts);
}

/** Removes the segments before the first one. */
export function removeCut({ files, folder, shared, segments }: LogParts): void {
  const cut = segments.list().filter(([number]) => number < shared.first);
  for (const [, name] of cut) files.remove(join(folder, name));
  if (cut.length > 0) files.flushFolder(folder);
}

/** Whether every partition begins at the given offset or before. */
function isBelow(starts: readonly number[], below: Float64Array): boolean {
  return starts.every((start, partition) => start <= (below[partition] ?? 0));
}
