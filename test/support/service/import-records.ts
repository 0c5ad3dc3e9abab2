import { IMPORT_DEFAULTS } from '../../../services/operations/import/import-options.ts';
import { type ReadOptions, RecordReader } from '../../../services/operations/import/record-reader.ts';
import { BEGINNING } from '../../../services/operations/import/record.ts';
import type { Draft } from '../../../services/messages/draft.ts';
import type { Problem } from '../../../services/messages/message.ts';

export const READ = { ...IMPORT_DEFAULTS, projectTimezone: 'UTC' };

/** Also what the document does not list. */
export interface GivenOptions extends Partial<Omit<ReadOptions, 'preset' | 'encoding'>> {
  readonly preset?: string;
  readonly encoding?: string;
}

/** What was read of a line: a draft, or what is wrong with it. */
export interface Line {
  readonly line: number;
  readonly draft?: Draft;
  readonly problems?: readonly Problem[];
  readonly text: string;
}

export async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Reads a file of these bytes, in chunks of this size. */
export async function readAll(
  content: string | Buffer,
  options: GivenOptions = {},
  chunkBytes = 65_536,
): Promise<readonly Line[]> {
  const reader = new RecordReader({ ...READ, ...(options as Partial<ReadOptions>) });
  const lines: Line[] = [];
  for await (const records of reader.read(chunksOf(Buffer.from(content), chunkBytes), BEGINNING)) {
    for (const { raw, judged } of records) {
      const found = judged.ok ? { draft: judged.draft } : { problems: judged.problems };
      lines.push({ line: raw.line, ...found, text: raw.bytes.toString() });
    }
  }
  return lines;
}
