import { type FileHandle, open, stat } from 'node:fs/promises';
import { TidemarkError } from '../../runtime/errors.ts';
import type { ImportProblem } from './import-options.ts';
import { CALL_LIMIT_BYTES, KEPT_BYTES, type RawRecord } from './record.ts';

/** The lines that were refused and why: NDJSON, readable by nobody else, since it holds what the lines hold. */
export class Report {
  readonly #file: FileHandle;
  #bytes: number;

  private constructor(file: FileHandle, bytes: number) {
    this.#file = file;
    this.#bytes = bytes;
  }

  /**
   * Made, or cut to the length that it had when the import was last known to stand there.
   *
   * @throws TidemarkError `IMPORT_CHANGED` where it is not there any more, or shorter; `COMMAND_INVALID` where it cannot
   *   be written.
   */
  static async open(path: string, bytes: number): Promise<Report> {
    if (bytes > 0 && ((await stat(path).catch(() => undefined))?.size ?? 0) < bytes) {
      throw new TidemarkError('IMPORT_CHANGED', `The report ${path} is not what the import has written so far.`);
    }
    let file: FileHandle | undefined;
    try {
      file = await open(path, 'a', 0o600);
      await file.truncate(bytes);
      return new Report(file, bytes);
    } catch (cause) {
      await file?.close();
      const message = `The report cannot be written (--report FILE puts it elsewhere): ${(cause as Error).message}`;
      throw new TidemarkError('COMMAND_INVALID', message, { cause });
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  async add(lines: string): Promise<void> {
    if (lines === '') return;
    const bytes = Buffer.from(lines);
    // A write that a full disk cuts short goes on where it ended, or fails.
    await this.#file.appendFile(bytes);
    this.#bytes += bytes.length;
  }

  /** Resolves once it would survive a power cut. */
  async flush(): Promise<void> {
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** A refused record as a line of the report. @param file Where it stands, of several. */
export function reportLine(
  { line, bytes, length }: RawRecord,
  errors: readonly ImportProblem[],
  file: string | undefined,
): string {
  // One that is longer than a call is short in the report too: a page of it has to hold a line.
  const kept = bytes.length > CALL_LIMIT_BYTES ? bytes.subarray(0, KEPT_BYTES) : bytes;
  const isCut = length > kept.length + 1;
  return `${JSON.stringify({ file, line, errors, ...(isCut ? { length } : {}), text: kept.toString() })}\n`;
}
