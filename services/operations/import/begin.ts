/** Where an import begins: at the first line, or where it was left. */
import type { FileHandle } from 'node:fs/promises';
import { drawProcessBits } from '../../messages/version.ts';
import { type FileIdentity, identify } from './input.ts';
import type { ReadOptions } from './read-records.ts';
import { BEGINNING } from './record.ts';
import { Report } from './report.ts';
import { checkState, FORMAT, type ImportState, readState } from './state.ts';

export interface ImportTask extends ReadOptions {
  readonly projectId: string;
  readonly path: string;
  /** As `ImportSource` has it. */
  readonly within?: string | undefined;
  readonly reportPath: string;
  /** None: for one that only looks. */
  readonly statePath: string | undefined;
  /** Begins at the first line, whatever was imported before. */
  readonly restarts: boolean;
  readonly importId: string | undefined;
  readonly rate: number | undefined;
}

export interface Begun {
  readonly file: FileHandle;
  readonly state: ImportState;
  readonly report: Report;
  readonly isFresh: boolean;
}

export async function begin(task: ImportTask, file: FileHandle, isDry: boolean): Promise<Begun> {
  const { statePath, restarts, reportPath } = task;
  const identity = await identify(file);
  const options = optionsOf(task);
  const kept = statePath === undefined || restarts || isDry ? undefined : await readState(statePath);
  if (kept !== undefined) checkState(kept, identity, options);
  const state = kept ?? fresh(task, identity, options);
  const report = await Report.open(reportPath, state.reportBytes);
  return { file, state, report, isFresh: kept === undefined };
}

function fresh({ importId }: ImportTask, file: FileIdentity, options: ImportState['options']): ImportState {
  return {
    format: FORMAT,
    file,
    options,
    importId: importId ?? file.hash,
    begunAtMicros: Date.now() * 1_000,
    processBits: drawProcessBits(),
    place: BEGINNING,
    counts: { imported: 0, refused: 0 },
    reportBytes: 0,
    isDone: false,
  };
}

function optionsOf({ projectId, timezone, type, format, csv, importId }: ImportTask): ImportState['options'] {
  const { delimiter, typed, jsonColumns, renamed } = csv;
  return {
    project: projectId,
    timezone,
    type: type ?? null,
    format: format ?? null,
    import_id: importId ?? null,
    csv: { delimiter, typed, jsonColumns, renamed: [...renamed] },
  };
}
