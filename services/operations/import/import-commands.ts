import { type FileHandle, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type CommandArguments, type CommandCall, commandInvalid } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Project, ProjectStore } from '../../stores/projects/project-store.ts';
import type { ImportTask } from './begin.ts';
import type { ImportResult } from './import-file.ts';
import { type ImportFolders, type ImportRequest, readOptionsOf, sourceOf, taskOfRequest } from './import-request.ts';
import { type Preview, previewFile } from './preview.ts';
import { openSource } from './source.ts';

const LOOK_EVERY_MS = 2_000;

/** What an import has done. */
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

/** Runs an import apart from whoever calls: its work must not delay requests or readers. */
export interface ImportRunner {
  /** Resolves once it is done or, with a signal that aborts, once what was done is noted. */
  run(task: ImportTask, isDry: boolean, call: CommandCall): Promise<ImportResult>;
}

/** What is looked at before an import, as HTTP calls it, from another thread too. */
export interface ImportChecks {
  /** @throws TidemarkError `PROJECT_UNKNOWN`; `COMMAND_INVALID` where the file cannot be read. */
  check(request: ImportRequest): Promise<CheckedImport>;
  /** @throws TidemarkError as `check`; `IMPORT_UNREADABLE`. */
  preview(request: ImportRequest): Promise<Preview>;
}

export interface ImportCheckParts extends ImportFolders {
  readonly projects: Pick<ProjectStore, 'findProject' | 'findProjectNamed'>;
}

export interface ImportCommandParts extends ImportCheckParts {
  readonly importer: ImportRunner;
  /** @throws TidemarkError where the log is not to be appended to. */
  readonly checkLog: () => Promise<void>;
}

/** The job `import`: its arguments are an `ImportRequest`, which whoever takes the request has read. */
export async function importFile(
  parts: ImportCommandParts,
  args: CommandArguments,
  call: CommandCall,
): Promise<ImportedFile> {
  const { projects, folder, importer, checkLog } = parts;
  const request = args as unknown as ImportRequest;
  // By its id alone: another one may have been given that as its name.
  const named = await projects.findProject(request.project);
  if (named === undefined) throw projectUnknown();
  if (!request.dry_run) await checkLog();
  if (request.report === null) await mkdir(join(folder, request.folder), { recursive: true, mode: 0o700 });
  const task = taskOfRequest(parts, request, named.timezone);
  const { imported, ...result } = await whileProjectExists(
    async () => (await projects.findProject(request.project)) !== undefined,
    call.signal,
    (signal) => importer.run(task, request.dry_run, { ...call, signal }),
  );
  call.signal.throwIfAborted();
  // Nobody needs it any more.
  if (request.file !== null && !request.dry_run)
    await rm(dirname(sourceOf(parts, request).path), { recursive: true, force: true });
  const { refused, lines, resumedAtLine } = result;
  return { accepted: imported, refused, lines, resumed_at_line: resumedAtLine };
}

/**
 * Runs an import, and ends it once its project is deleted, as a write key ends. What cannot be asked now is asked again.
 *
 * @param exists Whether the project is there.
 * @param run Ends once its signal aborts.
 * @throws TidemarkError `PROJECT_UNKNOWN`, also where the project was deleted shortly before the end; what `run` throws.
 */
async function whileProjectExists<T>(
  exists: () => Promise<boolean>,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deleted = new AbortController();
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    if (!(await exists())) deleted.abort(new TidemarkError('PROJECT_UNKNOWN', 'The project was deleted.'));
    looking = undefined;
  };
  const timer = setInterval(() => {
    looking ??= look().catch(() => (looking = undefined));
  }, LOOK_EVERY_MS);
  try {
    const result = await run(AbortSignal.any([signal, deleted.signal]));
    if (!signal.aborted) await look();
    deleted.signal.throwIfAborted();
    return result;
  } finally {
    clearInterval(timer);
  }
}

/** See `ImportChecks`. */
export async function checkImport(parts: ImportCheckParts, request: ImportRequest): Promise<CheckedImport> {
  const { id } = await projectNamed(parts, request);
  await using file = await opened(parts, request);
  return { project: id, bytes: (await file.stat()).size };
}

/** See `ImportChecks`. */
export async function previewImport(
  parts: ImportCheckParts,
  request: ImportRequest,
  signal: AbortSignal,
): Promise<Preview> {
  const { timezone } = await projectNamed(parts, request);
  await using file = await opened(parts, request);
  return await previewFile(file, readOptionsOf(request, timezone), signal);
}

async function projectNamed({ projects }: ImportCheckParts, { project }: ImportRequest): Promise<Project> {
  const found = await projects.findProjectNamed(project);
  if (found === undefined) throw projectUnknown();
  return found;
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
