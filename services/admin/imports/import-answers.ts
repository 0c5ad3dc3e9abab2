import { hostname } from 'node:os';
import { invalid, type Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { CheckedImport } from '../../maintenance/import/import-commands.ts';
import { type ImportRequest, reportPathOf } from '../../maintenance/import/import-request.ts';
import {
  type Checked,
  encodeId,
  readLimit,
  readWait,
  refuseBody,
  refuseParameter,
  single,
} from '../../query-api/query.ts';
import { type AdminPort, waitForJob } from '../admin-commands.ts';
import { type AdminCall, answerCommand, answerJob, answerStarted, NDJSON, resultOf } from '../answers.ts';
import { isFinished, type Job } from '../jobs/job.ts';
import { jobsPage } from '../jobs/job-answers.ts';
import { jobJson } from '../jobs/job-json.ts';
import { notFound } from '../reading.ts';
import { readImport, readSource } from './read-import.ts';
import { readRejected, streamRejected } from './rejected-lines.ts';
import type { UploadedFiles } from './uploaded-files.ts';

const KIND = 'import';

export interface ImportParts {
  readonly admin: AdminPort;
  readonly files: UploadedFiles;
  /** Whether files are taken: where another process of the service would not find them, they are not. */
  readonly takesFiles: boolean;
}

/** `GET /v1/admin/imports` */
export async function answerImports({ admin }: ImportParts, call: AdminCall): Promise<Answer | Refusal> {
  const page = await jobsPage(admin, call, KIND);
  if (!page.ok) return page.refusal;
  const { jobs, next } = page.value;
  return { status: 200, body: `{"imports":[${jobs.join(',')}],"next_cursor":${JSON.stringify(next)}}` };
}

/** `GET /v1/admin/imports/:id` */
export async function answerImport({ admin }: ImportParts, call: AdminCall): Promise<Answer | Refusal> {
  const wait = single(call.query, 'wait', readWait);
  if (!wait.ok) return wait.refusal;
  const job = await waitForJob(admin, call.params['id'] ?? '', wait.value, call.signal);
  return isImport(job) ? { status: 200, body: jobJson(job) } : NO_IMPORT;
}

/** `POST /v1/admin/imports`: 202 and its job. */
export async function answerNewImport(parts: ImportParts, call: AdminCall): Promise<Answer | Refusal> {
  const read = readImport(call);
  if (!read.ok) return read.refusal;
  const request = await named(parts, read.value);
  if ('refused' in request) return request;
  const found = refuseFile(
    request,
    await resultOf<CheckedImport>(parts.admin, call, importOrder('import check', request)),
  );
  if ('refused' in found) return found;
  if (request.file !== null) await parts.files.touch(request.file);
  const args = { ...request, project: found.project };
  return answerJob(parts.admin, call, { kind: KIND, args }, request.dry_run ? undefined : 'import.start');
}

/** `POST /v1/admin/imports/preview`: the first twenty rows of a file. */
export async function answerPreview(parts: ImportParts, call: AdminCall): Promise<Answer | Refusal> {
  const read = readSource(call);
  if (!read.ok) return read.refusal;
  return refuseFile(read.value, await answerCommand(parts.admin, call, importOrder('import preview', read.value)));
}

/** `POST /v1/admin/imports/:id/resume` */
export async function answerResume(parts: ImportParts, call: AdminCall): Promise<Answer | Refusal> {
  const { admin } = parts;
  const job = await admin.findJob(call.params['id'] ?? '');
  if (!isImport(job)) return NO_IMPORT;
  const request = requestOf(job);
  const conflict = conflictOf(job) ?? (call.isLocal ? undefined : refuseLocal(request));
  if (conflict !== undefined) return conflict;
  const found = await resultOf<CheckedImport>(admin, call, importOrder('import check', request));
  if ('refused' in found) return found.refused === 'invalid-body' ? { ...found, refused: 'conflict' } : found;
  if (request.file !== null) await parts.files.touch(request.file);
  const resumed = await admin.resumeJob(job.id);
  if (resumed === undefined) return { refused: 'conflict', detail: 'The import was continued by somebody else.' };
  return answerStarted(admin, call, async () => resumed, 'import.resume');
}

/** `GET /v1/admin/imports/:id/refused`: a page, or the whole report as lines where the client accepts those. */
export async function answerRejectedLines(parts: ImportParts, call: AdminCall): Promise<Answer | Refusal> {
  const limit = single(call.query, 'limit', readLimit);
  if (!limit.ok) return limit.refusal;
  const offset = single(call.query, 'cursor', readOffset);
  if (!offset.ok) return offset.refusal;
  const job = await parts.admin.findJob(call.params['id'] ?? '');
  if (!isImport(job)) return NO_IMPORT;
  const path = reportPathOf(parts.files.folder, requestOf(job));
  if (call.headers.accept?.includes(NDJSON) === true) {
    const body = await streamRejected(path);
    return body === undefined ? reportMissing(job) : { status: 200, type: NDJSON, body };
  }
  const page = await readRejected(path, offset.value, limit.value);
  if (page === undefined) return reportMissing(job);
  const { lines, next } = page;
  const cursor = next === null ? null : encodeId(String(next));
  return { status: 200, body: JSON.stringify({ refused: lines, next_cursor: cursor }) };
}

const NO_IMPORT = notFound('There is no such import.');

function isImport(job: Job | undefined): job is Job {
  return job?.kind === KIND;
}

function requestOf({ args }: Job): ImportRequest {
  return args as unknown as ImportRequest;
}

function importOrder(name: string, request: ImportRequest) {
  return { name, args: { ...request } };
}

/** With the name that the file was uploaded under. */
async function named({ files }: ImportParts, request: ImportRequest): Promise<ImportRequest | Refusal> {
  if (request.file === null) return request;
  const found = await files.find(request.file);
  return found === undefined
    ? invalid('invalid-body', [{ path: '/file', message: `names no file that was uploaded to ${hostname()}` }])
    : { ...request, name: found.name };
}

/** Says which member of the body is at fault where the file cannot be used. */
function refuseFile<T extends object>({ file }: ImportRequest, answer: T | Refusal): T | Refusal {
  if (!('refused' in answer) || answer.errorCode !== 'COMMAND_INVALID') return answer;
  const { refusal } = refuseBody([{ path: file === null ? '/path' : '/file', message: answer.detail }]);
  return { ...refusal, detail: answer.detail, errorCode: answer.errorCode };
}

function conflictOf(job: Job): Refusal | undefined {
  if (!isFinished(job)) {
    const detail = 'The import is under way. After the end of its process it takes 20 seconds until that is known.';
    return { refused: 'conflict', detail };
  }
  return job.state === 'done' ? { refused: 'conflict', detail: 'The import is complete.' } : undefined;
}

/** Its file may lie anywhere, and only the owner of the service's files may say that it is read again. */
function refuseLocal({ path, anywhere, host }: ImportRequest): Refusal | undefined {
  if (path === null || !anywhere) return undefined;
  return { refused: 'conflict', detail: `The import was started on ${host} itself. Continue it there.` };
}

/** What has not begun has refused nothing. */
function reportMissing(job: Job): Answer | Refusal {
  if (!isFinished(job)) return { status: 200, body: '{"refused":[],"next_cursor":null}' };
  const { host } = requestOf(job);
  const detail = `The refused lines are not on ${hostname()}: the import ran on ${host}, or they have been removed after 30 days.`;
  return { refused: 'conflict', detail };
}

function readOffset(text: string | undefined): Checked<number> {
  if (text === undefined) return { ok: true, value: 0 };
  const [offset] = /^\d{1,15}$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (offset === undefined) return refuseParameter('cursor', 'is not one that this service gave');
  return { ok: true, value: Number(offset) };
}
