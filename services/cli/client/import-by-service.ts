/** An import, as the service carries it out that a command asks. */
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type ErrorCode, TidemarkError } from '../../runtime/errors.ts';
import { type Answer, operation, type Sent } from '../../../schemas/operations.ts';
import { askFor } from './ask.ts';
import type { ServiceClient } from './service-client.ts';
import { withService } from './with-service.ts';
import type { CliContext } from '../context.ts';

const IMPORTS = '/v1/admin/imports';
/** Below what proxies take where nobody has changed that: 1 MiB. */
const PART_BYTES = 1_000_000;
const STOP_WITHIN_MS = 10_000;

/** What is imported, and the files beside it. */
export interface ImportFiles {
  /** Undefined for standard input. */
  readonly path: string | undefined;
  readonly report: string;
  readonly state: string;
  /** Whether it begins at the first line, whatever the state says. */
  readonly restart: boolean;
}

/** How it is imported. */
export type ImportOptions = Omit<Sent<'POST /v1/admin/imports'>, 'file' | 'path' | 'report' | 'state' | 'restart'>;

type ImportJob = Answer<'GET /v1/admin/imports/{id}'>;
export type ImportResult = NonNullable<ImportJob['result']>;
export type ImportProgress = NonNullable<ImportJob['progress']>;

/**
 * A service on this machine reads the file where it is, and writes report and state where they are wanted. It is sent
 * standard input, and a service elsewhere any file; then the report comes back at the end.
 *
 * @throws as `ask`; what the import failed with; the reason of the context's signal, once the import has been stopped.
 */
export function importByService(
  context: CliContext,
  files: ImportFiles,
  options: ImportOptions,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportResult> {
  const { service, signal } = context;
  const { path } = files;
  const use = async (client: ServiceClient): Promise<ImportResult> => {
    if (service?.url !== undefined || path === undefined) {
      const file = await upload(client, path, signal);
      const { id, result } = await runJob(client, { ...options, file }, onProgress, signal);
      await saveReport(client, id, files.report);
      return result;
    }
    const [report, state] = [resolve(files.report), resolve(files.state)];
    const body = { ...options, path: resolve(path), report, state, restart: files.restart };
    try {
      return (await runJob(client, body, onProgress, signal)).result;
    } catch (error) {
      if (signal?.aborted === true) context.err('Not finished: the same command goes on from here.\n');
      throw error;
    }
  };
  // Without the signal: it is the service that stops the import, and has to be asked for that.
  return withService({ ...context, signal: undefined }, use, { needs: ['eventLogUrl', 'profilesUrl'] });
}

/**
 * The id of the file. @param path Undefined for standard input: of it nothing is read before the service has answered,
 * since what was read cannot be sent to another one.
 */
async function upload(
  client: ServiceClient,
  path: string | undefined,
  signal: AbortSignal | undefined,
): Promise<string> {
  const name = basename(path ?? 'stdin').slice(-255);
  const begun = operation('POST /v1/admin/imports/files', { query: { name }, body: new Uint8Array() });
  let { id, bytes } = await askFor(client, begun, { signal });
  for await (const body of partsOf(path, signal)) {
    const part = { path: { id }, query: { offset: bytes }, body };
    ({ id, bytes } = await askFor(client, operation('PATCH /v1/admin/imports/files/{id}', part), { signal }));
  }
  return id;
}

async function* partsOf(
  path: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  let part: Buffer[] = [];
  let bytes = 0;
  const source = path === undefined ? process.stdin : createReadStream(path);
  // The reader gets its errors. The source may end before anything reads it.
  source.on('error', () => undefined);
  for await (const chunk of signal === undefined ? source : addAbortSignal(signal, source)) {
    part.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes < PART_BYTES - 65_536) continue;
    yield Buffer.concat(part);
    [part, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(part);
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
    if (job.progress?.lines !== undefined) onProgress(job.progress);
  }
  const { result, problem } = job;
  if (result === null) throw errorIn(problem);
  return { id: job.id, result };
}

async function stop(client: ServiceClient, job: ImportJob, look: (waitS: number) => Promise<ImportJob>): Promise<void> {
  await askFor(client, operation('DELETE /v1/admin/jobs/{id}', { path: { id: job.id } }));
  await Promise.race([look(10), delay(STOP_WITHIN_MS, undefined, { ref: false })]);
}

function isOver({ state }: ImportJob): boolean {
  return state !== 'queued' && state !== 'running';
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
