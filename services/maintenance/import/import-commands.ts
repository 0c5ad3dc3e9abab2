import { type FileHandle, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Command, type CommandArguments, type CommandCall, commandInvalid } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Project, ProjectStore } from '../../stores/projects/project-store.ts';
import type { ImportTask } from './begin.ts';
import type { ImportResult } from './import-file.ts';
import { type ImportFolders, type ImportRequest, readOptionsOf, sourceOf, taskOfRequest } from './import-request.ts';
import { type Preview, previewFile } from './preview.ts';
import { openSource } from './source.ts';
import { whileProjectExists } from './while-project-exists.ts';

/** What an import over HTTP has done. */
export interface ImportedFile {
  /** Lines that are safe in the log; with `dry_run` those that would be. */
  readonly accepted: number;
  readonly refused: number;
  readonly lines: number;
  /** The line that was done last when it went on; 0 where it began anew. */
  readonly resumed_at_line: number;
}

/** What is known of a file before it is imported. */
export interface CheckedImport {
  /** Id of the project. */
  readonly project: string;
  readonly bytes: number;
}

export interface ImportCommandResults {
  readonly import: ImportedFile;
  readonly 'import check': CheckedImport;
  readonly 'import preview': Preview;
}

export type ImportCommands = {
  readonly [Name in keyof ImportCommandResults]: Command<ImportCommandResults[Name]>;
};

/** Runs an import apart from whoever calls: its work must not delay requests or readers. */
export interface ImportRunner {
  /** Resolves once it is done or, with a signal that aborts, once what was done is noted. */
  run(task: ImportTask, isDry: boolean, call: CommandCall): Promise<ImportResult>;
}

export interface ImportCommandParts extends ImportFolders {
  readonly projects: Pick<ProjectStore, 'listProjects'>;
  readonly importer: ImportRunner;
  /** @throws TidemarkError where the log is not to be appended to. */
  readonly checkLog: () => Promise<void>;
}

/** Their arguments are an `ImportRequest`, which whoever takes the request has read. */
export function importCommands(parts: ImportCommandParts): ImportCommands {
  const { projects, folder, importer, checkLog } = parts;
  return {
    import: async (args, call) => {
      const request = requestIn(args);
      // By its id alone: another one may have been given that as its name.
      const named = await projectOfId(projects, request.project);
      if (named === undefined) throw projectUnknown();
      if (!request.dry_run) await checkLog();
      await mkdir(join(folder, request.folder), { recursive: true, mode: 0o700 });
      const task = taskOfRequest(parts, request, named.timezone);
      const { imported, ...result } = await whileProjectExists(
        async () => (await projectOfId(projects, request.project)) !== undefined,
        call.signal,
        (signal) => importer.run(task, request.dry_run, { ...call, signal }),
      );
      call.signal.throwIfAborted();
      // Nobody needs it any more.
      if (request.file !== null && !request.dry_run)
        await rm(dirname(sourceOf(parts, request).path), { recursive: true, force: true });
      const { refused, lines, resumedAtLine } = result;
      return { accepted: imported, refused, lines, resumed_at_line: resumedAtLine };
    },
    'import check': async (args) => {
      const request = requestIn(args);
      const { id } = await projectNamed(projects, request.project);
      await using file = await opened(parts, request);
      return { project: id, bytes: (await file.stat()).size };
    },
    'import preview': async (args, { signal }) => {
      const request = requestIn(args);
      const { timezone } = await projectNamed(projects, request.project);
      await using file = await opened(parts, request);
      return await previewFile(file, readOptionsOf(request, timezone), signal);
    },
  };
}

function requestIn(args: CommandArguments): ImportRequest {
  return args as unknown as ImportRequest;
}

/** By its id or its name. */
async function projectNamed(projects: ImportCommandParts['projects'], idOrName: string): Promise<Project> {
  const all = await projects.listProjects();
  const found = all.find(({ id }) => id === idOrName) ?? all.find(({ name }) => name === idOrName);
  if (found === undefined) throw projectUnknown();
  return found;
}

async function projectOfId(projects: ImportCommandParts['projects'], wanted: string): Promise<Project | undefined> {
  return (await projects.listProjects()).find(({ id }) => id === wanted);
}

function projectUnknown(): TidemarkError {
  return new TidemarkError('PROJECT_UNKNOWN', 'There is no project of this id or name.');
}

async function opened(folders: ImportFolders, request: ImportRequest): Promise<FileHandle> {
  try {
    return await openSource(sourceOf(folders, request));
  } catch (error) {
    if (request.file === null) throw error;
    throw commandInvalid(`There is no such uploaded file on ${request.host}. Upload it again.`);
  }
}
