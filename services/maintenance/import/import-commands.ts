import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Command, type CommandArguments, type CommandCall, commandInvalid } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Project, ProjectStore } from '../../stores/projects/project-store.ts';
import type { ImportTask } from './begin.ts';
import type { ImportResult } from './import-file.ts';
import { dataPathOf, type ImportRequest, readOptionsOf, taskOfRequest } from './import-request.ts';
import { type Preview, previewFile } from './preview.ts';

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

export interface ImportCommandParts {
  readonly projects: Pick<ProjectStore, 'listProjects'>;
  /** Of all imports: see `importsFolderOf`. */
  readonly folder: string;
  readonly importer: ImportRunner;
}

/** Their arguments are an `ImportRequest`, which whoever takes the request has read. */
export function importCommands(parts: ImportCommandParts): ImportCommands {
  const { projects, folder, importer } = parts;
  return {
    import: async (args, call) => {
      const request = requestIn(args);
      const { timezone } = await projectNamed(projects, request.project);
      await mkdir(join(folder, request.folder), { recursive: true, mode: 0o700 });
      const { imported, ...result } = await importer.run(
        taskOfRequest(folder, request, timezone),
        request.dry_run,
        call,
      );
      call.signal.throwIfAborted();
      // Nobody needs it any more.
      if (request.file !== null && !request.dry_run)
        await rm(dirname(dataPathOf(folder, request)), { recursive: true, force: true });
      const { refused, lines, resumedAtLine } = result;
      return { accepted: imported, refused, lines, resumed_at_line: resumedAtLine };
    },
    'import check': async (args) => {
      const request = requestIn(args);
      const [{ id }, bytes] = [await projectNamed(projects, request.project), await sizeOfFile(folder, request)];
      return { project: id, bytes };
    },
    'import preview': async (args) => {
      const request = requestIn(args);
      const { timezone } = await projectNamed(projects, request.project);
      await sizeOfFile(folder, request);
      return previewFile(dataPathOf(folder, request), readOptionsOf(request, timezone));
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
  if (found === undefined) throw new TidemarkError('PROJECT_UNKNOWN', 'There is no project of this id or name.');
  return found;
}

/** Looked at before it is opened: opening a pipe would wait for somebody to write. */
async function sizeOfFile(folder: string, request: ImportRequest): Promise<number> {
  const stats = await stat(dataPathOf(folder, request)).catch((error: unknown) => error as NodeJS.ErrnoException);
  if (!(stats instanceof Error) && stats.isFile()) return stats.size;
  const { file, path, host } = request;
  if (file !== null) throw commandInvalid(`There is no such uploaded file on ${host}. Upload it again.`);
  const reason = stats instanceof Error ? stats.message : 'it is no regular file';
  throw commandInvalid(`${path} cannot be read on ${host}: ${reason}.`);
}
