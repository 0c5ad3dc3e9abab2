/** What an import over HTTP is to do: plain JSON, as its job keeps it. */
import { join } from 'node:path';
import { microsAt } from '../../messages/timestamp.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { keptFrom } from '../../stores/projects/kept-events.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import type { ImportTask } from './begin.ts';
import { IMPORT_DEFAULTS, type ImportOptions } from './import-options.ts';
import type { ImportSource } from './source.ts';

export type ImportRequest = ImportOptions & {
  /** Id of the project. */
  readonly project: string;
  /** The file's name, for people. */
  readonly name: string;
  /** The names that `files` were uploaded under. */
  readonly names?: readonly string[];
  /** Whether `path` may lie anywhere: whoever can open the Unix socket owns the files of the service anyway. */
  readonly anywhere: boolean;
  /** The name of the machine of the process that runs the import. */
  readonly host: string;
  /** The folder of report and state, in the folder of imports. */
  readonly folder: string;
  /** For a guess: names of events that the project has. */
  readonly known_events?: readonly string[];
};

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

export function taskOfRequest(
  folders: ImportFolders,
  request: ImportRequest,
  project: Pick<Project, 'timezone' | 'createdAtMs' | 'keepEventsMonths' | 'eventsFrom'>,
): ImportTask {
  const reportPath = reportPathOf(folders.folder, request);
  return {
    // A job of an earlier version lacks what came since.
    ...IMPORT_DEFAULTS,
    ...request,
    projectTimezone: project.timezone,
    eventsFrom: keptFrom(project, Date.now())?.from,
    sources: sourcesOf(folders, request),
    reportPath,
    statePath: request.dry_run ? undefined : (request.state ?? `${reportPath}.state.json`),
    // What the service was sent since is newer than an export without a time, and what history says of before is older.
    profilesAsOf: microsAt(project.createdAtMs),
  };
}
