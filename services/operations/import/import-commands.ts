import { type FileHandle, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Answer } from '../../../schemas/operations.ts';
import { type CommandCall, commandInvalid } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import type { SqlProjectStore } from '../../stores/projects/sql-project-store.ts';
import type { Queryable } from '../../stores/database/database.ts';
import { type ErasedUsers, isDeleted } from '../../stores/erasures/erased-users.ts';
import { lastLeftOut, leftOutOf } from '../../stores/erasures/left-out.ts';
import type { ImportTask } from './begin.ts';
import type { ImportPreview } from './import-options.ts';
import type { ImportResult } from './import-result.ts';
import {
  type ImportFolders,
  type ImportRequest,
  sourcesOf,
  taskOfRequest,
  uploadPath,
  uploadsOf,
} from './import-request.ts';
import { previewFile } from './preview.ts';
import { RecordReader } from './record-reader.ts';
import { filesOf, openSource, type SourceFile } from './source.ts';

/** Runs an import apart from whoever calls: its work must not delay requests or readers. */
export interface ImportRunner {
  /**
   * Resolves once it is done or, with a signal that aborts, once what was done is noted.
   *
   * @param forgotten Who is forgotten, in any project: asked again and again. Where it throws, the import ends.
   */
  run(task: ImportTask, call: CommandCall, forgotten: () => Promise<ErasedUsers>): Promise<ImportResult>;
}

/** What is looked at before an import, as HTTP calls it, from another thread too. */
export interface ImportChecks {
  /** The project by its id. @throws TidemarkError `PROJECT_UNKNOWN`; `COMMAND_INVALID` where the file cannot be read. */
  check(request: ImportRequest): Promise<Pick<ImportRequest, 'project'>>;
  /** @throws TidemarkError as `check`; `IMPORT_UNREADABLE`. */
  preview(request: ImportRequest): Promise<ImportPreview>;
}

export interface ImportCheckParts extends ImportFolders {
  readonly projects: Pick<SqlProjectStore, 'findProject' | 'findProjectNamed'>;
}

export interface ImportCommandParts extends ImportCheckParts {
  readonly importer: ImportRunner;
  readonly database: Queryable;
  /** @throws TidemarkError where the log is not to be appended to. */
  readonly checkLog: () => Promise<void>;
}

/** The job `import`. It ends once its project is deleted, as a write key ends: everybody of it is forgotten. */
export async function importFile(
  parts: ImportCommandParts,
  request: ImportRequest,
  call: CommandCall,
): Promise<Answer<'GET /v1/admin/imports/{id}'>['result']> {
  const { projects, database, folder, importer, checkLog } = parts;
  // By its id alone: another one may have been given that as its name.
  const named = await projects.findProject(request.project);
  if (named === undefined) throw projectUnknown();
  if (!request.dry_run) await checkLog();
  if (request.report === null) await mkdir(join(folder, request.folder), { recursive: true, mode: 0o700 });
  const task = taskOfRequest(parts, request, named);
  const leftOut = lastLeftOut(leftOutOf(database));
  const { imported, ...result } = await importer.run(task, call, async () => {
    const forgotten = await leftOut();
    if (isDeleted(forgotten, request.project)) throw projectDeleted();
    return forgotten;
  });
  call.signal.throwIfAborted();
  if ((await projects.findProject(request.project)) === undefined) throw projectDeleted();
  // Nobody needs it any more.
  for (const id of request.dry_run ? [] : uploadsOf(request))
    await rm(dirname(uploadPath(folder, id)), { recursive: true, force: true });
  const { refused, dropped = 0, lines, resumedAtLine, refusals, warnings } = result;
  return { accepted: imported, refused, dropped, lines, resumed_at_line: resumedAtLine, refusals, warnings };
}

/** See `ImportChecks`. */
export async function checkImport(parts: ImportCheckParts, request: ImportRequest): ReturnType<ImportChecks['check']> {
  const { id, timezone } = await projectNamed(parts, request);
  const files = await filesOfRequest(parts, request);
  // What cannot be read any more is told before the import begins.
  for (const file of files.slice(0, MOST_OPENED)) await (await opened(file, request)).close();
  // Its options are tried too.
  void new RecordReader({ ...request, projectTimezone: timezone });
  return { project: id };
}

const MOST_OPENED = 100;

/** See `ImportChecks`. The first of several files. */
export async function previewImport(
  parts: ImportCheckParts,
  request: ImportRequest,
  signal: AbortSignal,
): Promise<ImportPreview> {
  const { timezone } = await projectNamed(parts, request);
  const files = await filesOfRequest(parts, request);
  const [first] = files as readonly [SourceFile];
  await using file = await opened(first, request);
  const preview = await previewFile(file, { ...request, projectTimezone: timezone, name: first.name }, signal);
  return { ...preview, files: files.slice(0, MOST_NAMED).map(({ name }) => name), file_count: files.length };
}

const MOST_NAMED = 100;

async function projectNamed({ projects }: ImportCheckParts, { project }: ImportRequest): Promise<Project> {
  const found = await projects.findProjectNamed(project);
  if (found === undefined) throw projectUnknown();
  return found;
}

function projectDeleted(): TidemarkError {
  return new TidemarkError('PROJECT_UNKNOWN', 'The project was deleted.');
}

function projectUnknown(): TidemarkError {
  return new TidemarkError('PROJECT_UNKNOWN', 'There is no project of this id or name.');
}

async function filesOfRequest(folders: ImportFolders, request: ImportRequest): Promise<readonly SourceFile[]> {
  return orUploadAgain(request, () => filesOf(sourcesOf(folders, request)));
}

async function opened(file: SourceFile, request: ImportRequest): Promise<FileHandle> {
  return orUploadAgain(request, () => openSource(file));
}

async function orUploadAgain<T>(request: ImportRequest, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (uploadsOf(request).length === 0) throw error;
    throw commandInvalid(`There is no such uploaded file on ${request.host}. Upload it again.`);
  }
}
