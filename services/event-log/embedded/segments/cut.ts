/** Deletes the first segments of a log. */
import { join } from 'node:path';
import { type ChunkReader, unlessLost } from './chunk-reader.ts';
import { CONVERTED_FILE } from './folder.ts';
import type { LogParts } from './log-view.ts';
import { bodyAlone } from './segment-transaction.ts';
import type { WritableParts } from './segment-writer.ts';

/** The name under which the number of the first segment is stored that has not been cut. */
export const FIRST_SEGMENT_NOTE = 'segments/first';

/** `SegmentStore.cut`, under the lock. The note comes first: from then on nobody needs the segments before. */
export function cutSegments(parts: WritableParts, chunks: ChunkReader, below: Float64Array, most: number): boolean {
  const { shared, view, writer } = parts;
  // A partition of which an earlier cut left nothing up to here has no record that keeps a file.
  const begun = unlessLost(() => chunks.startsOf(shared.first)) ?? [];
  const limits = below.map((offset, partition) => Math.max(offset, begun[partition] ?? 0));
  if (isBelow(view.ends, limits)) writer.beginUnlessNew();
  const first = firstLeft(parts, chunks, limits, most);
  const isCut = first > shared.first;
  if (isCut) {
    // Without the note, the log would take the deleted segments for lost ones.
    writer.commitTwice(bodyAlone({ notes: { [FIRST_SEGMENT_NOTE]: first } }));
    shared.first = first;
    shared.countOverwrite();
  }
  removeCut(parts);
  return isCut;
}

/** Removes the segments before the first one. */
export function removeCut({ files, folder, shared, segments }: LogParts): void {
  const cut = segments.list().filter(([number]) => number < shared.first);
  if (cut.length === 0) return;
  files.remove(join(folder, CONVERTED_FILE));
  for (const [, name] of cut) files.remove(join(folder, name));
  files.flushFolder(folder);
}

/** The segment that is to be the first, at most `most` behind the one that is. */
function firstLeft({ shared }: LogParts, chunks: ChunkReader, limits: Float64Array, most: number): number {
  let { first } = shared;
  for (let next = first + 1; next <= shared.flushed.segment; next++) {
    // One whose beginning is lost goes with those before it.
    const starts = unlessLost(() => chunks.startsOf(next));
    if (starts === undefined) continue;
    const isFar = first > shared.first && next > shared.first + most;
    if (isFar || !isBelow(starts, limits)) break;
    first = next;
  }
  return first;
}

/** Whether every partition begins at the given offset or before. */
function isBelow(starts: readonly number[], below: Float64Array): boolean {
  return starts.every((start, partition) => start <= (below[partition] ?? 0));
}
