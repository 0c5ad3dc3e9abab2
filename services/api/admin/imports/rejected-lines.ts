/** The report of an import, a page at a time: what was refused, in the order of the file. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Answer } from '../../../../schemas/operations.ts';
import { ifMissing } from '../../../operations/import/source.ts';

type RejectedLine = Answer<'GET /v1/admin/imports/{id}/refused'>['refused'][number];

/** A line of the report. */
type ReportedLine = Omit<RejectedLine, 'cut'> & { readonly length?: number };

const PAGE_BYTES = 1_048_576;
const MAX_TEXT = 1_000;
const MAX_ERRORS = 20;
const NEW_LINE = 0x0a;

/** Undefined where there is no report here. `next`: as `offset`, which is where a page before ended; null at the end. */
export async function readRejected(path: string, offset: number, limit: number) {
  await using file = await open(path).catch(ifMissing);
  if (file === undefined) return undefined;
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(PAGE_BYTES, Math.max(0, size - offset))), {
    position: offset,
  });
  const lines: RejectedLine[] = [];
  let at = 0;
  while (lines.length < limit) {
    const end = buffer.subarray(0, bytesRead).indexOf(NEW_LINE, at);
    // The last one may be being written.
    if (end === -1) break;
    lines.push(cutLine(JSON.parse(buffer.toString('utf8', at, end)) as ReportedLine));
    at = end + 1;
  }
  return { lines, next: offset + at < size && lines.length > 0 ? offset + at : null };
}

/** The whole report as it is now; undefined where this machine has no report. */
export async function streamRejected(path: string): Promise<Readable | undefined> {
  await using file = await open(path).catch(ifMissing);
  if (file === undefined) return undefined;
  const { size } = await file.stat();
  return createReadStream(path, { end: Math.max(0, size - 1) });
}

function cutLine({ length, text, errors, ...where }: ReportedLine): RejectedLine {
  const cut = length !== undefined || text.length > MAX_TEXT;
  return { ...where, errors: errors.slice(0, MAX_ERRORS), text: text.slice(0, MAX_TEXT), cut };
}
