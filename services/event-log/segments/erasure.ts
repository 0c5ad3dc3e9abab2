import { blankRecords, seedOf } from '../embedded/chunk.ts';
import type { LogPartition } from '../embedded/layout.ts';
import type { ErasedRecord } from '../embedded/store.ts';
import type { StoredChunk } from './chunk-finder.ts';
import type { Overwrite } from './redo.ts';

/** Reads the chunk that has a record, and checks it. */
type ReadChunk = (partition: LogPartition, offset: number) => StoredChunk & { readonly chunk: Buffer };

/** The chunks of the records as they are once these are blank, and how many of the records were not blank before. */
export function blanksOf(
  records: readonly ErasedRecord[],
  readChunk: ReadChunk,
): { readonly overwrites: readonly Overwrite[]; readonly count: number } {
  const overwrites: Overwrite[] = [];
  let count = 0;
  for (const [partition, erased] of Map.groupBy(records, (record) => record.partition)) {
    const left = new Set(erased.map(({ offset }) => offset));
    for (const offset of left) {
      const { file, chunk, first, count: recordsInChunk, position } = readChunk(partition, offset);
      // A copy: readers have views of what was read.
      const bytes = Buffer.from(chunk);
      const blanked = blankRecords(bytes, first, left, seedOf(partition, first));
      if (blanked > 0) overwrites.push({ segment: file.number, position, bytes });
      count += blanked;
      for (let done = first; done < first + recordsInChunk; done++) left.delete(done);
    }
  }
  return { overwrites, count };
}
