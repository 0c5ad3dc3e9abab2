/** How far an import has come, kept in a file so that it goes on there after a kill. */
import { open, readFile, rename } from 'node:fs/promises';
import { TidemarkError } from '../../runtime/errors.ts';
import type { FileIdentity } from './input.ts';
import type { FileOffset } from './record.ts';
import { ifMissing } from './source.ts';

/** What was counted so far. */
export interface Counts {
  readonly imported: number;
  readonly refused: number;
  /** How many of those that were imported have no time; left out by an earlier version. */
  readonly untimed?: number;
  /** Lines of people who are forgotten, which are not on the log; left out by an earlier version. */
  readonly dropped?: number;
}

export interface ImportState {
  readonly format: typeof FORMAT;
  /** The file that it is at. */
  readonly file: FileIdentity;
  /** Where an import of several files is. */
  readonly files?: FilesDone;
  /** What the result depends on: it has to be the same when the import goes on. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly importId: string;
  /** When it began, in microseconds since 1970: the time of arrival of its first line is one later. */
  readonly begunAtMicros: number;
  readonly processBits: number;
  /** Undefined until it is known. */
  readonly csvHeader?: readonly string[];
  /** Everything before it is safe in the log, or in the report. */
  readonly place: FileOffset;
  readonly counts: Counts;
  /** How long the report was then: what came after is written again. */
  readonly reportBytes: number;
  readonly isDone: boolean;
}

export interface FilesDone {
  /** SHA-256 of the names and sizes of all of them. */
  readonly list: string;
  /** How many were done, which is the index of the next one. */
  readonly done: number;
  /** Those of the files that were done. */
  readonly lines: number;
  readonly bytes: number;
}

export const FORMAT = 1;

/** The state that was kept; undefined where there is none. @throws TidemarkError `COMMAND_INVALID` for a file that Tidemark did not write. */
export async function readState(path: string): Promise<ImportState | undefined> {
  const text = await readFile(path, 'utf8').catch(ifMissing);
  if (text === undefined) return undefined;
  const state = parsed(text);
  if (state?.format === FORMAT) return state;
  throw new TidemarkError('COMMAND_INVALID', `${path} is no state of an import that this version can go on with.`);
}

/** All of it or, after a power cut, what stood there before. */
export async function writeState(path: string, state: ImportState): Promise<void> {
  const fresh = `${path}.new`;
  {
    await using file = await open(fresh, 'w', 0o600);
    await file.writeFile(`${JSON.stringify(state, null, 2)}\n`);
    await file.datasync();
  }
  await rename(fresh, path);
}

/**
 * @param list That of the files, where there are several.
 * @throws TidemarkError `IMPORT_CHANGED` where the state is of other files, or of an import with other options.
 */
export function checkState(
  state: ImportState,
  file: FileIdentity,
  list: string | undefined,
  options: ImportState['options'],
): void {
  if (state.files?.list !== list) {
    throw new TidemarkError('IMPORT_CHANGED', 'The files are not those that the import began with.');
  }
  if (state.file.bytes !== file.bytes || state.file.hash !== file.hash) {
    const was = `${state.file.bytes} bytes then, ${file.bytes} now`;
    throw new TidemarkError('IMPORT_CHANGED', `The file is not the one that the import began with (${was}).`);
  }
  const differing = [...new Set([...Object.keys(state.options), ...Object.keys(options)])].filter(
    (name) => JSON.stringify(state.options[name]) !== JSON.stringify(options[name]),
  );
  if (differing.length === 0) return;
  throw new TidemarkError('IMPORT_CHANGED', `The import began with another ${differing.join(', ')}.`);
}

function parsed(text: string): ImportState | undefined {
  try {
    return JSON.parse(text) as ImportState;
  } catch {
    return undefined;
  }
}
