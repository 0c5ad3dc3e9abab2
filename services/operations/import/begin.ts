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

/** What is imported and how, as the request says it, and what the service knows besides. */
export interface ImportTask extends ReadOptions {
  /** Id of the project. */
  readonly project: string;
  /** One at least. */
  readonly sources: readonly ImportSource[];
  readonly reportPath: string;
  /** None: for one that only looks. */
  readonly statePath: string | undefined;
  /** As of when profiles are that do not say it; when they arrive, where left out. */
  readonly profilesAsOf?: Micros;
  /** The first instant whose events the project keeps; it keeps all where left out. */
  readonly eventsFrom?: Micros | undefined;
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
  const { statePath, restart, reportPath } = task;
  const options = optionsOf(task);
  const list = files.length > 1 ? listHash(files) : undefined;
  const kept = statePath === undefined || restart || isDry ? undefined : await readState(statePath);
  const [first] = files as readonly [SourceFile];
  await using opened = new AsyncDisposableStack();
  const file = opened.use(await openSource(files[kept?.files?.done ?? 0] ?? first));
  const identity = await identify(file);
  if (kept !== undefined) checkState(kept, identity, list, options);
  const state = kept ?? {
    format: FORMAT,
    file: identity,
    ...(list === undefined ? {} : { files: { list, done: 0, lines: 0, bytes: 0 } }),
    options,
    importId: importIdOf(task.import_id, files, 0, identity),
    begunAtMicros: Date.now() * 1_000,
    processBits: drawProcessBits(),
    place: BEGINNING,
    counts: { imported: 0, refused: 0 },
    reportBytes: 0,
    isDone: false,
  };
  const report = await Report.open(reportPath, state.reportBytes);
  opened.move();
  return { file, state, report, isFresh: kept === undefined };
}

function listHash(files: readonly SourceFile[]): string {
  const text = files.map(({ name, bytes }) => `${bytes}:${name}\n`).join('');
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/**
 * What names the lines of a file that have no id. Without a given one a file has the same in every import; with it, the
 * files of one import are told apart by their names.
 */
export function importIdOf(
  given: string | null,
  files: readonly SourceFile[],
  index: number,
  { hash }: FileIdentity,
): string {
  if (given === null) return hash;
  if (files.length < 2) return given;
  const name = files[index]?.name ?? '';
  // Files of two folders may have one name.
  const before = files.slice(0, index).filter((file) => file.name === name).length;
  return before === 0 ? `${given}/${name}` : `${given}/${name}/${before}`;
}

/**
 * The names are those that 0.3.0 wrote, so that its imports can go on: `timezone` is the project's, `zone` is what the
 * request calls `timezone`. Those of the second object are left out where they are not given.
 */
function optionsOf(task: ImportTask): ImportState['options'] {
  const { project, projectTimezone, type, format, import_id, delimiter, types, json_columns, map, set } = task;
  const { preset, timezone: zone, time_format: timeFormat, encoding, columns, text_columns } = task;
  const texts = text_columns.length > 0 ? text_columns : null;
  const given = { ...(Object.keys(set).length > 0 && { set }), texts, preset, zone, timeFormat, encoding, columns };
  return {
    project,
    timezone: projectTimezone,
    type,
    format,
    import_id,
    csv: { delimiter, typed: types, jsonColumns: json_columns, renamed: Object.entries(map) },
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)),
  };
}
