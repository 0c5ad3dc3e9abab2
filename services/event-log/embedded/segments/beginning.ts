/**
 * The beginning of a segment: what the log is without the segments before it. It is there twice, so that no single damaged
 * byte hides it.
 */
import { TidemarkError } from '../../../runtime/errors.ts';
import type { Topic } from './layout.ts';
import { encodeHead, FRAME_KIND, framesIn } from './frame.ts';
import type { SegmentFile } from './segment-file.ts';

export const SEGMENT_FORMAT = 1;

export interface SegmentBeginning {
  /** Version of the storage layout. A version higher than the program's own is refused. */
  readonly format: number;
  readonly topics: readonly Topic[];
  /** The next offset of every partition: the segment has the records from there on. */
  readonly ends: readonly number[];
  /** All values that are stored under a name. */
  readonly notes: Readonly<Record<string, unknown>>;
}

/** The first bytes of a segment. @param seed That of its name. */
export function encodeBeginning(seed: number, beginning: SegmentBeginning): readonly Buffer[] {
  const parts = { kind: FRAME_KIND.beginning, chunks: [], body: Buffer.from(JSON.stringify(beginning)) };
  const first = encodeHead(seed, 0, parts);
  return [first, encodeHead(seed, first.length, parts)];
}

/**
 * The beginning of a segment, and where what follows it lies; undefined without a valid one.
 *
 * @throws TidemarkError `LOG_FOREIGN` where a newer version wrote it.
 */
export function readBeginning(
  file: SegmentFile,
  limit: number,
): { readonly beginning: SegmentBeginning; readonly end: number } | undefined {
  for (const frame of framesIn(file, 0, limit)) {
    if (frame.kind !== FRAME_KIND.beginning) return undefined;
    const beginning = JSON.parse(frame.body.toString()) as SegmentBeginning;
    const { format } = beginning;
    if (format > SEGMENT_FORMAT) {
      const message = `${file.name} has an event log of format ${format}; this version reads up to ${SEGMENT_FORMAT}`;
      throw new TidemarkError('LOG_FOREIGN', message);
    }
    // The second is as long as the first.
    return { beginning, end: frame.position === 0 ? 2 * frame.end : frame.end };
  }
  return undefined;
}
