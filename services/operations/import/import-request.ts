/** What an import over HTTP is to do: plain JSON, as its job keeps it. */
import { join } from 'node:path';
import { microsAt } from '../../messages/timestamp.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import type { ImportTask } from './begin.ts';
import type { DefaultType } from './judge.ts';
import type { ReadOptions } from './record-reader.ts';
import type { Format } from './record.ts';
import type { ImportSource } from './source.ts';

/** How a file is read. Null is the default, as where the option of `tidemark import` is left out. */
export interface FileOptions {
  readonly type: DefaultType | null;
  readonly format: Format | null;
  readonly delimiter: string;
  readonly types: boolean;
  readonly json_columns: readonly string[];
  readonly map: Readonly<Record<string, string | null>>;
  // Those below are not there in a job of an earlier version.
  readonly preset?: string | null;
  readonly set?: Readonly<Record<string, string>>;
  readonly timezone?: string | null;
  readonly time_format?: string | null;
  readonly encoding?: string | null;
  readonly columns?: readonly string[] | null;
}

export interface ImportRequest extends FileOptions {
  /** Id of the project. */
  readonly project: string;
  /** The file's name, for people. */
  readonly name: string;
  /** Id of an uploaded file; null where it is another. */
  readonly file: string | null;
  /** That of a file or a folder: absolute, on the machine of the process that runs the import; null where it is another. */
  readonly path: string | null;
  /** Ids of several uploaded files, with the names that they were uploaded under. */
  readonly files?: readonly string[] | null;
  readonly names?: readonly string[];
  readonly paths?: readonly string[] | null;
  /** Whether `path` may lie anywhere: whoever can open the Unix socket owns the files of the service anyway. */
  readonly anywhere: boolean;
  /** The name of that machine. */
  readonly host: string;
  /** The folder of report and state, in the folder of imports. */
  readonly folder: string;
  readonly rate: number | null;
  readonly import_id: string | null;
  readonly dry_run: boolean;
  /** Files of report and state elsewhere; null for those in the folder. */
  readonly report: string | null;
  readonly state: string | null;
  readonly restart: boolean;
  /** Whether any number of lines may have no time. Not there in a job of an earlier version. */
  readonly untimed?: boolean;
}

/** Where imports over HTTP keep their files. */
export function importsFolderOf(dataDir: string): string {
  return join(dataDir, 'imports');
}

/** The data of an uploaded file. @param id As `isFileId` has it. */
export function uploadPath(folder: string, id: string): string {
  return join(folder, id, 'data');
}

const FILE_ID = /^file_[0-9a-f]{20}$/;

export function isFileId(text: string): boolean {
  return FILE_ID.test(text);
}

/** The folders that imports over HTTP know. */
export interface ImportFolders {
  /** The folder of all imports: see `importsFolderOf`. */
  readonly folder: string;
  /** `IMPORT_DIR`, in which a path lies that came over the network; without it there can be none. */
  readonly importDir: string | undefined;
}

/** The ids of the uploaded files. */
export function uploadsOf({ file, files }: ImportRequest): readonly string[] {
  return file === null ? (files ?? []) : [file];
}

/** What is imported. @throws TidemarkError `COMMAND_INVALID` where only the socket takes paths. */
export function sourcesOf({ folder, importDir }: ImportFolders, request: ImportRequest): readonly ImportSource[] {
  const { path, paths, names, name, anywhere } = request;
  const uploads = uploadsOf(request);
  if (uploads.length > 0)
    return uploads.map((id, index) => ({ path: uploadPath(folder, id), name: names?.[index] ?? name }));
  // A job of an earlier version does not say where its path came from.
  if (!anywhere && importDir === undefined) throw new TidemarkError('COMMAND_INVALID', NO_PATHS);
  return (paths ?? [path ?? '']).map((each) => ({ path: each, within: anywhere ? undefined : importDir }));
}

const NO_PATHS =
  'Over the network a file is imported by its path only where IMPORT_DIR names the folder of such files. Upload it, or import it on the machine of the service.';

export function reportPathOf(folder: string, request: Pick<ImportRequest, 'folder' | 'report'>): string {
  return request.report ?? join(folder, request.folder, 'refused.ndjson');
}

/** @param timezone The project's. */
export function readOptionsOf(options: FileOptions, timezone: string): ReadOptions & Pick<ImportTask, 'encoding'> {
  const { type, format, delimiter, types, json_columns: jsonColumns, map, set = {}, preset, columns } = options;
  return {
    timezone,
    zone: options.timezone ?? undefined,
    timeFormat: options.time_format ?? undefined,
    encoding: options.encoding ?? undefined,
    type: type ?? undefined,
    format: format ?? undefined,
    preset: preset ?? undefined,
    map: Object.entries(map),
    set,
    csv: { delimiter, typed: types, jsonColumns, columns: columns ?? undefined },
  };
}

export function taskOfRequest(
  folders: ImportFolders,
  request: ImportRequest,
  { timezone, createdAtMs }: Pick<Project, 'timezone' | 'createdAtMs'>,
): ImportTask {
  const { project, dry_run: isDry, restart, import_id: importId, rate } = request;
  const reportPath = reportPathOf(folders.folder, request);
  return {
    ...readOptionsOf(request, timezone),
    sources: sourcesOf(folders, request),
    projectId: project,
    reportPath,
    statePath: isDry ? undefined : (request.state ?? `${reportPath}.state.json`),
    restarts: restart,
    importId: importId ?? undefined,
    rate: rate ?? undefined,
    // What the service was sent since is newer than an export without a time, and what history says of before is older.
    profilesAsOf: microsAt(createdAtMs),
    takesUntimed: request.untimed === true,
  };
}
