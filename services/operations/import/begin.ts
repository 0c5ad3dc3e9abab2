/** Where an import begins: at the first line, or where it was left. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Micros } from '../../messages/message.ts';
import { drawProcessBits } from '../../messages/version.ts';
import { type FileIdentity, identify } from './input.ts';
import type { ReadOptions } from './record-reader.ts';
import { BEGINNING } from './record.ts';
import { Report } from './report.ts';
import { type ImportSource, openSource, type SourceFile } from './source.ts';
import { checkState, FORMAT, type ImportState, readState } from './state.ts';

export interface ImportTask extends ReadOptions {
  readonly projectId: string;
  /** One at least. */
  readonly sources: readonly ImportSource[];
  readonly encoding?: string | undefined;
  readonly reportPath: string;
  /** None: for one that only looks. */
  readonly statePath: string | undefined;
  /** Begins at the first line, whatever was imported before. */
  readonly restarts: boolean;
  readonly importId: string | undefined;
  readonly rate: number | undefined;
  /** As of when profiles are that do not say it; when they arrive, where left out. */
  readonly profilesAsOf?: Micros;
  /** Whether any number of lines may have no time. */
  readonly takesUntimed: boolean;
}

export interface Begun {
  /** The one that it is at. */
  readonly file: FileHandle;
  readonly state: ImportState;
  readonly report: Report;
  readonly isFresh: boolean;
}

/** @param files All of them. */
export async function begin(task: ImportTask, files: readonly SourceFile[], isDry: boolean): Promise<Begun> {
  const { statePath, restarts, reportPath } = task;
  const options = optionsOf(task);
  const list = files.length > 1 ? listHash(files) : undefined;
  const kept = statePath === undefined || restarts || isDry ? undefined : await readState(statePath);
  const [first] = files as readonly [SourceFile];
  const file = await openSource(files[kept?.files?.done ?? 0] ?? first);
  try {
    const identity = await identify(file);
    if (kept !== undefined) checkState(kept, identity, list, options);
    const state = kept ?? fresh(task, { files, identity, list, options });
    const report = await Report.open(reportPath, state.reportBytes);
    return { file, state, report, isFresh: kept === undefined };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function listHash(files: readonly SourceFile[]): string {
  const text = files.map(({ name, bytes }) => `${bytes}:${name}\n`).join('');
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

interface Beginning {
  readonly files: readonly SourceFile[];
  readonly identity: FileIdentity;
  readonly list: string | undefined;
  readonly options: ImportState['options'];
}

function fresh(task: ImportTask, { files, identity, list, options }: Beginning): ImportState {
  return {
    format: FORMAT,
    file: identity,
    ...(list === undefined ? {} : { files: { list, done: 0, lines: 0, bytes: 0 } }),
    options,
    importId: importIdOf(task.importId, files, 0, identity),
    begunAtMicros: Date.now() * 1_000,
    processBits: drawProcessBits(),
    place: BEGINNING,
    counts: { imported: 0, refused: 0 },
    reportBytes: 0,
    isDone: false,
  };
}

/**
 * What names the lines of a file that have no id. Without a given one a file has the same in every import; with it, the
 * files of one import are told apart by their names.
 */
export function importIdOf(
  given: string | undefined,
  files: readonly SourceFile[],
  index: number,
  { hash }: FileIdentity,
): string {
  if (given === undefined) return hash;
  if (files.length < 2) return given;
  const name = files[index]?.name ?? '';
  // Files of two folders may have one name.
  const before = files.slice(0, index).filter((file) => file.name === name).length;
  return before === 0 ? `${given}/${name}` : `${given}/${name}/${before}`;
}

/** What was not there in an earlier version is named only where it is given: an import of that version can go on. */
function optionsOf(task: ImportTask): ImportState['options'] {
  const { projectId, timezone, type, format, csv, importId, map, set, preset, zone, timeFormat, encoding } = task;
  const { delimiter, typed, jsonColumns, columns } = csv;
  return {
    project: projectId,
    timezone,
    type: type ?? null,
    format: format ?? null,
    import_id: importId ?? null,
    csv: { delimiter, typed, jsonColumns, renamed: map },
    ...(Object.keys(set).length === 0 ? {} : { set }),
    ...definedIn({ preset, zone, timeFormat, encoding, columns }),
  };
}

function definedIn(options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
