/** The files of a spool: `0000000000000001.spool`, … in the order they were begun. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TidemarkError } from '../../runtime/errors.ts';

/** Some records that wait, in a file of their own. */
export interface Segment {
  readonly number: number;
  readonly path: string;
  /** As many of the file's bytes as are safe on disk; more may follow that nobody was answered for. */
  bytes: number;
  messages: number;
  /** When its first record came: milliseconds since 1970. */
  firstAtMs: number | undefined;
}

const SEGMENT = /^(\d{16})\.spool$/;
/** What may lie beside them: the folder's lock, segments kept aside, what a probe left, what a file system puts there. */
const OURS = /^(\.lock.*|\d{16}\.spool\.kept|probe|lost\+found)$/;

export function segmentPath(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(16, '0')}.spool`);
}

/**
 * The numbers of the segments in a folder, ascending.
 *
 * @throws TidemarkError `SPOOL_FOREIGN` where the folder holds anything that no spool of this version puts there.
 */
export async function segmentNumbers(folder: string): Promise<readonly number[]> {
  const names = await readdir(folder);
  const foreign = names.filter((name) => !SEGMENT.test(name) && !OURS.test(name));
  if (foreign.length > 0) {
    const some = foreign.slice(0, 3).join(', ');
    throw new TidemarkError('SPOOL_FOREIGN', `${folder} holds what is no spool's (${some}): move it elsewhere`);
  }
  return names.flatMap((name) => Number(SEGMENT.exec(name)?.[1] ?? NaN) || []).sort((a, b) => a - b);
}
