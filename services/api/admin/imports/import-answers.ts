import { hostname } from 'node:os';
import { invalid, type Refusal } from '../../../http/problems.ts';
import type { Answer, Route, RouteSet } from '../../../http/route.ts';
import { type ImportRequest, reportPathOf, uploadsOf } from '../../../operations/import/import-request.ts';
import { route } from '../../input.ts';
import { encodeId, pageAnswer, readCursor, refuseBody } from '../../query.ts';
import type { Catalog } from '../../../questions/catalog/catalog.ts';
import { hasCode } from '../../../runtime/errors.ts';
import { inTime } from '../../../runtime/pause.ts';
import { ADMIN, ADMIN_BODY, type AdminCall, answerJob, answerStarted, NDJSON, notFound } from '../answers.ts';
import { isFinished, type Job } from '../../../operations/jobs/job.ts';
import { jobsPage, waitForJob } from '../job-answers.ts';
import { jobJson } from '../job-json.ts';
import { refusalForOperators } from '../failures.ts';
import type { AdminPorts } from '../../../operations/ports.ts';
import { importName, readImport } from './read-import.ts';
import { readRejected, streamRejected } from './rejected-lines.ts';
import { uploadRoutes } from './upload-answers.ts';
import type { UploadedFiles } from './uploaded-files.ts';

const KIND = 'import';

/** A guess waits no longer for them. */
const EVENTS_WAIT_MS = 2_000;

export interface ImportParts extends Pick<AdminPorts, 'imports' | 'jobs' | 'projects'> {
  readonly catalog: Pick<Catalog, 'events'>;
  readonly files: UploadedFiles;
  /** Whether files are taken: where another process of the service would not find them, they are not. */
  readonly takesFiles: boolean;
}

/** What operators import over HTTP. */
export function importRoutes(parts: ImportParts): RouteSet {
  return { routes: [...newImportRoutes(parts), ...begunImportRoutes(parts), ...uploadRoutes(parts)] };
}

function newImportRoutes(parts: ImportParts): Route[] {
  const { imports, jobs, files } = parts;
  return [
    route('POST /v1/admin/imports', ADMIN_BODY, async (call) => {
      const request = await readNamed('POST /v1/admin/imports', parts, call);
      if ('refused' in request) return request;
      const found = await namingSource(request, imports.check(request));
      if ('refused' in found) return found;
      for (const id of uploadsOf(request)) await files.touch(id);
      const args = { ...request, project: found.project };
      return answerJob(jobs, call, { kind: KIND, args }, request.dry_run ? undefined : 'import.start');
    }),
    // The first twenty rows of a file.
    route('POST /v1/admin/imports/preview', ADMIN_BODY, async (call) => {
      const request = await readNamed('POST /v1/admin/imports/preview', parts, call);
      if ('refused' in request) return request;
      const known = await knownEvents(parts, request.project);
      const preview = await namingSource(request, imports.preview({ ...request, known_events: known }));
      return 'refused' in preview ? preview : { status: 200, body: JSON.stringify(preview) };
    }),
  ];
}

/** The names of the project's events, where analytics says them soon. */
async function knownEvents({ projects, catalog }: ImportParts, named: string): Promise<readonly string[]> {
  const project = await projects.findProjectNamed(named);
  const found = project && (await inTime(EVENTS_WAIT_MS, () => catalog.events(project)));
  return found?.entries.map(({ name }) => name) ?? [];
}

function begunImportRoutes({ imports, jobs, files }: ImportParts): Route[] {
  return [
    route('GET /v1/admin/imports', ADMIN, async (_, { query }) => {
      const page = await jobsPage(jobs, { ...query, kind: KIND });
      return page.ok ? pageAnswer('imports', page.value) : page.refusal;
    }),
    route('GET /v1/admin/imports/{id}', ADMIN, async ({ signal }, { path, query }) => {
      const job = await waitForJob(jobs, path.id, query.wait * 1_000, signal);
      return isImport(job) ? { status: 200, body: jobJson(job) } : NO_IMPORT;
    }),
    route('POST /v1/admin/imports/{id}/resume', ADMIN, async (call, { path }) => {
      const job = await jobs.find(path.id);
      if (!isImport(job)) return NO_IMPORT;
      const request = requestOf(job);
      const conflict = conflictOf(job) ?? (call.isLocal ? undefined : refuseLocal(request));
      if (conflict !== undefined) return conflict;
      try {
        await imports.check(request);
      } catch (error) {
        const refusal = refusalForOperators(error, 'POST');
        if (refusal.refused === 'invalid-body') return { ...refusal, refused: 'conflict' };
        throw error;
      }
      for (const id of uploadsOf(request)) await files.touch(id);
      const resumed = await jobs.resume(job.id);
      if (resumed === undefined) return { refused: 'conflict', detail: 'The import was continued by somebody else.' };
      return answerStarted(jobs, call, resumed, 'import.resume');
    }),
    // A page, or the whole report as lines where the client accepts those.
    route('GET /v1/admin/imports/{id}/refused', ADMIN, async ({ headers }, { path: { id }, query }) => {
      const offset = readCursor(query.cursor, decodeOffset);
      if (!offset.ok) return offset.refusal;
      const job = await jobs.find(id);
      if (!isImport(job)) return NO_IMPORT;
      const path = reportPathOf(files.folder, requestOf(job));
      if (headers.accept?.includes(NDJSON) === true) {
        const body = await streamRejected(path);
        return body === undefined ? reportMissing(job) : { status: 200, type: NDJSON, body };
      }
      const page = await readRejected(path, offset.value ?? 0, query.limit);
      if (page === undefined) return reportMissing(job);
      const { lines, next } = page;
      const cursor = next === null ? null : encodeId(String(next));
      return { status: 200, body: JSON.stringify({ refused: lines, next_cursor: cursor }) };
    }),
  ];
}

const NO_IMPORT = notFound('There is no such import.');

function isImport(job: Job | undefined): job is Job {
  return job?.kind === KIND;
}

function requestOf({ args }: Job): ImportRequest {
  return args as unknown as ImportRequest;
}

/** With the names that the files were uploaded under. */
async function readNamed(
  operation: Parameters<typeof readImport>[0],
  { files }: ImportParts,
  call: AdminCall,
): Promise<ImportRequest | Refusal> {
  const read = readImport(operation, call);
  if (!read.ok) return read.refusal;
  const request = read.value;
  const uploads = uploadsOf(request);
  const names: string[] = [];
  for (const id of uploads) {
    const found = await files.find(id);
    const path = request.file === null ? `/files/${names.length}` : '/file';
    if (found === undefined)
      return invalid('invalid-body', [{ path, message: `names no file that was uploaded to ${hostname()}` }]);
    names.push(found.name);
  }
  const [first] = names;
  return first === undefined ? request : { ...request, names, name: importName(first, names.length) };
}

/** Says which member of the body is at fault where the file cannot be used. */
function namingSource<T extends object>(request: ImportRequest, found: Promise<T>): Promise<T | Refusal> {
  return found.catch((error: unknown) => {
    if (!hasCode(error, 'COMMAND_INVALID')) throw error;
    const { code: errorCode, message } = error;
    const member = (['file', 'files', 'paths'] as const).find((name) => (request[name] ?? null) !== null) ?? 'path';
    const { refusal } = refuseBody([{ path: `/${member}`, message }]);
    return { ...refusal, detail: message, errorCode };
  });
}

function conflictOf(job: Job): Refusal | undefined {
  if (!isFinished(job)) {
    const detail = 'The import is under way. After the end of its process it takes 20 seconds until that is known.';
    return { refused: 'conflict', detail };
  }
  return job.state === 'done' ? { refused: 'conflict', detail: 'The import is complete.' } : undefined;
}

/** Its file may lie anywhere, and only the owner of the service's files may say that it is read again. */
function refuseLocal(request: ImportRequest): Refusal | undefined {
  const { anywhere, host } = request;
  if (uploadsOf(request).length > 0 || !anywhere) return undefined;
  return { refused: 'conflict', detail: `The import was started on ${host} itself. Continue it there.` };
}

/** What has not begun has refused nothing. */
function reportMissing(job: Job): Answer | Refusal {
  if (!isFinished(job)) return { status: 200, body: '{"refused":[],"next_cursor":null}' };
  const { host } = requestOf(job);
  const detail = `The refused lines are not on ${hostname()}: the import ran on ${host}, or they have been removed after 30 days.`;
  return { refused: 'conflict', detail };
}

function decodeOffset(text: string): number | undefined {
  const [offset] = /^\d{1,15}$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return offset === undefined ? undefined : Number(offset);
}
