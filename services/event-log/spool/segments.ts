/** The files of a spool: `0000000000000001.spool`, … in the order of their creation. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TidemarkError } from '../../runtime/errors.ts';

/** A file with records that wait. */
export interface Segment {
  readonly number: number;
  readonly path: string;
  /** The number of bytes that are safe on disk. More may follow, for which no append was resolved. */
  bytes: number;
  messages: number;
  /** When its first record was appended: milliseconds since 1970. */
  firstAtMs: number | undefined;
}

const SEGMENT = /^(\d{16})\.spool$/;
/** Other valid names: the folder's lock, segments kept aside, a probe's file, what a file system creates. */
const OTHER_NAMES = /^(\.lock.*|\d{16}\.spool\.kept|probe|lost\+found)$/;

export function segmentPath(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(16, '0')}.spool`);
}

/**
 * The numbers of the segments in a folder, ascending.
 *
 * @throws TidemarkError `SPOOL_FOREIGN` where the folder holds anything that is not a file of a spool.
 */
export async function segmentNumbers(folder: string): Promise<readonly number[]> {
  const names = await readdir(folder);
  const foreign = names.filter((name) => !SEGMENT.test(name) && !OTHER_NAMES.test(name));
  if (foreign.length > 0) {
    const some = foreign.slice(0, 3).join(', ');
    throw new TidemarkError(
      'SPOOL_FOREIGN',
      `${folder} holds files that are not a spool's (${some}): move them elsewhere`,
    );
  }
  return names.flatMap((name) => Number(SEGMENT.exec(name)?.[1] ?? NaN) || []).sort((a, b) => a - b);
}
