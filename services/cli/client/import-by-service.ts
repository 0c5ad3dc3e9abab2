/** An import that a service carries out: the one at --url, which is sent the file, or the one on this machine. */
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ImportTask } from '../../operations/import/begin.ts';
import type { ImportProgress, ImportResult } from '../../operations/import/import-file.ts';
import { type ErrorCode, TidemarkError } from '../../runtime/errors.ts';
import { type Answer, operation, type Sent } from '../../../schemas/operations.ts';
import { askFor } from './ask.ts';
import { ServiceClient } from './service-client.ts';
import { keyOf, serviceUrl } from './service-options.ts';
import { clientOfRunning } from './with-service.ts';
import type { CliContext } from '../context.ts';

const IMPORTS = '/v1/admin/imports';
/** Below what proxies take where nobody has changed that: 1 MiB. */
const PART_BYTES = 1_000_000;
const STOP_WITHIN_MS = 10_000;

type ImportJob = Answer<'GET /v1/admin/imports/{id}'>;

/**
 * Undefined where no service is to be asked: none is named and none runs here, or a pipe is read, which only this process
 * can.
 *
 * @throws as `ask`; what the import failed with; the reason of the context's signal, once the import has been stopped.
 */
export async function importByService(
  context: CliContext,
  task: ImportTask,
  isDry: boolean,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportResult | undefined> {
  const { service, signal } = context;
  if (service?.url !== undefined) {
    const target = { url: serviceUrl(context, service.url), key: keyOf(context, service) };
    const client = new ServiceClient(target, undefined);
    const file = await upload(client, task.path, signal);
    const { id, result } = await runJob(client, { ...optionsOf(task, isDry), file }, onProgress, signal);
    await saveReport(client, id, task.reportPath);
    return result;
  }
  const client = task.path === undefined ? undefined : await clientOfRunning({ ...context, signal: undefined });
  if (client === undefined || task.path === undefined) return undefined;
  // In the same files as where no service runs: whoever comes next goes on from them.
  const [path, report] = [resolve(task.path), resolve(task.reportPath)];
  const state = task.statePath === undefined || isDry ? {} : { state: resolve(task.statePath) };
  const body = { ...optionsOf(task, isDry), path, report, ...state, restart: task.restarts };
  try {
    return (await runJob(client, body, onProgress, signal)).result;
  } catch (error) {
    if (signal?.aborted === true) context.err('Not finished: the same command goes on from here.\n');
    throw error;
  }
}

function optionsOf(task: ImportTask, isDry: boolean) {
  const { projectId: project, type, format, csv, rate, importId } = task;
  const { delimiter, typed: types, jsonColumns, renamed } = csv;
  const columns = { delimiter, types, json_columns: jsonColumns, map: Object.fromEntries(renamed) };
  return { project, type, format, ...columns, rate, import_id: importId, dry_run: isDry };
}

/** The id of the file. @param path Undefined for standard input. */
async function upload(
  client: ServiceClient,
  path: string | undefined,
  signal: AbortSignal | undefined,
): Promise<string> {
  const name = basename(path ?? 'stdin').slice(-255);
  let file: Answer<'POST /v1/admin/imports/files'> | undefined;
  for await (const body of fileParts(path, signal)) {
    const request =
      file === undefined
        ? operation('POST /v1/admin/imports/files', { query: { name }, body })
        : operation('PATCH /v1/admin/imports/files/{id}', {
            path: { id: file.id },
            query: { offset: file.bytes },
            body,
          });
    file = await askFor(client, request, { signal });
  }
  return file?.id ?? '';
}

/** One at least. */
async function* fileParts(
  path: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  let part: Buffer[] = [];
  let bytes = 0;
  let isFirst = true;
  const source = path === undefined ? process.stdin : createReadStream(path);
  // The reader gets its errors. The source may end before anything reads it.
  source.on('error', () => undefined);
  for await (const chunk of signal === undefined ? source : addAbortSignal(signal, source)) {
    part.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes < PART_BYTES - 65_536) continue;
    yield Buffer.concat(part);
    [part, bytes, isFirst] = [[], 0, false];
  }
  if (bytes > 0 || isFirst) yield Buffer.concat(part);
}

/** Starts it and waits for its end. Where the signal aborts, the import is stopped first. */
async function runJob(
  client: ServiceClient,
  body: Sent<'POST /v1/admin/imports'>,
  onProgress: (progress: ImportProgress) => void,
  signal: AbortSignal | undefined,
): Promise<{ readonly id: string; readonly result: ImportResult }> {
  signal?.throwIfAborted();
  let job: ImportJob = await askFor(client, operation('POST /v1/admin/imports', { body }));
  const path = { id: job.id };
  const look = (wait: number): Promise<ImportJob> =>
    askFor(client, operation('GET /v1/admin/imports/{id}', { path, query: { wait } }));
  while (!isOver(job)) {
    if (signal?.aborted === true) {
      await stop(client, job, look);
      throw signal.reason;
    }
    job = await look(0.5);
    if (job.progress?.lines !== undefined) onProgress(progressIn(job));
  }
  const { result, problem } = job;
  if (result === null) throw errorIn(problem);
  return { id: job.id, result: { ...progressIn(job), resumedAtLine: result.resumed_at_line, isDone: true } };
}

async function stop(client: ServiceClient, job: ImportJob, look: (waitS: number) => Promise<ImportJob>): Promise<void> {
  await askFor(client, operation('DELETE /v1/admin/jobs/{id}', { path: { id: job.id } }));
  await Promise.race([look(10), delay(STOP_WITHIN_MS, undefined, { ref: false })]);
}

function isOver({ state }: ImportJob): boolean {
  return state !== 'queued' && state !== 'running';
}

function progressIn({ result, progress }: ImportJob): ImportProgress {
  const { accepted = 0, refused = 0, lines = 0 } = result ?? progress ?? {};
  return { imported: accepted, refused, lines, bytesRead: progress?.done ?? 0, bytes: progress?.total };
}

function errorIn(problem: ImportJob['problem']): Error {
  const { detail = 'the import was stopped', error_code: code } = problem ?? {};
  return code === undefined ? new Error(detail) : new TidemarkError(code as ErrorCode, detail);
}

async function saveReport(client: ServiceClient, id: string, reportPath: string): Promise<void> {
  const headers = { accept: 'application/x-ndjson' };
  const response = await client.expectOk(await client.fetch(`${IMPORTS}/${id}/refused`, { headers }));
  await writeFile(reportPath, response.body ?? '', { mode: 0o600 });
}
