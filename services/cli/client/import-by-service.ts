/** An import, as the service carries it out that a command asks. */
import { createReadStream } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { Progress } from '../../runtime/command.ts';
import { importableFilesOf } from '../../runtime/importable-files.ts';
import { type Answer, operation, pathTo, type Sent } from '../../../schemas/operations.ts';
import { askFor } from './ask.ts';
import { job, type JobResults } from './carry-out.ts';
import type { ServiceClient } from './service-client.ts';
import { withService } from './with-service.ts';
import { projectOf } from '../project.ts';
import type { CliContext } from '../context.ts';

/** Below what proxies take where nobody has changed that: 1 MiB. */
const PART_BYTES = 1_000_000;

/** What is imported, and the files beside it. */
export interface ImportFiles {
  /** The id or name of the project; undefined for the only one. */
  readonly project: string | undefined;
  /** Files and folders; none for standard input. */
  readonly paths: readonly string[];
  readonly report: string;
  readonly state: string;
  /** Whether it begins at the first line, whatever the state says. */
  readonly restart: boolean;
}

/** How it is imported. */
export type ImportOptions = Omit<Sent<'POST /v1/admin/imports'>, 'file' | 'path' | 'files' | keyof ImportFiles>;

export type ImportResult = JobResults['POST /v1/admin/imports'];

/**
 * A service on this machine reads the file where it is, and writes report and state where they are wanted. It is sent
 * standard input, and a service elsewhere any file; then the report comes back at the end.
 *
 * @throws as `projectOf` and `ask`: what the import failed with; the reason of the context's signal, once the import has been stopped.
 */
export function importByService(
  context: CliContext,
  { project: named, paths, restart, ...files }: ImportFiles,
  options: ImportOptions,
  onProgress: (progress: Progress) => void,
): Promise<ImportResult> {
  const { service, signal } = context;
  const [report, state] = [resolve(files.report), resolve(files.state)];
  const sendsFiles = service?.url !== undefined || paths.length === 0;
  const use = async (client: ServiceClient): Promise<ImportResult> => {
    const { id: project } = await projectOf({ ...context, client }, named);
    const source = sendsFiles ? await uploaded(client, paths, signal) : { ...sourceOf(paths), report, state, restart };
    const request = job('POST /v1/admin/imports', { body: { ...options, ...source, project } });
    let id = '';
    const onJob = (jobPath: string): void => void (id = basename(jobPath));
    const result = await askFor(client, request, { onProgress, signal, onJob });
    if (sendsFiles) await saveReport(client, id, report);
    return result;
  };
  return withService(context, use, { needs: ['eventLogUrl', 'profilesUrl'] });
}

/** The first rows of the first file, and what it seems to be. A service elsewhere is sent its beginning alone. */
export function previewByService(
  context: CliContext,
  { project: named, paths }: Pick<ImportFiles, 'project' | 'paths'>,
  options: Omit<Sent<'POST /v1/admin/imports/preview'>, 'file' | 'path' | 'files' | keyof ImportFiles>,
): Promise<Answer<'POST /v1/admin/imports/preview'>> {
  const { service, signal } = context;
  const use = async (client: ServiceClient): Promise<Answer<'POST /v1/admin/imports/preview'>> => {
    const { id: project } = await projectOf({ ...context, client }, named);
    const ask = (source: object) => {
      const body = { ...options, ...source, project };
      return askFor(client, operation('POST /v1/admin/imports/preview', { body }), { signal });
    };
    if (service?.url === undefined && paths.length > 0) return ask(sourceOf(paths));
    const [first] = await filesIn(paths.slice(0, 1));
    const file = await upload(client, first, signal, PREVIEWED_BYTES);
    try {
      return await ask({ file });
    } finally {
      await askFor(client, operation('DELETE /v1/admin/imports/files/{id}', { path: { id: file } }), {});
    }
  };
  return withService(context, use, { needs: ['profilesUrl'] });
}

/** As much as is looked at, packed or not. */
const PREVIEWED_BYTES = 4 * 2 ** 20;

function sourceOf(paths: readonly string[]): { readonly path: string } | { readonly paths: readonly string[] } {
  const [path = '', ...others] = paths.map((one) => resolve(one));
  return others.length === 0 ? { path } : { paths: [path, ...others] };
}

/** Files of folders too. */
async function filesIn(paths: readonly string[]): Promise<readonly string[]> {
  const files: string[] = [];
  for (const path of paths) {
    if (!(await stat(path)).isDirectory()) files.push(path);
    else files.push(...(await importableFilesOf(path)));
  }
  return files;
}

async function uploaded(
  client: ServiceClient,
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ readonly file: string } | { readonly files: readonly string[] }> {
  const files = paths.length === 0 ? [undefined] : await filesIn(paths);
  const ids: string[] = [];
  for (const file of files) ids.push(await upload(client, file, signal));
  const [file = ''] = ids;
  return ids.length === 1 ? { file } : { files: ids };
}

/**
 * The id of the file. @param path Undefined for standard input: of it nothing is read before the service has answered,
 * since what was read cannot be sent to another one.
 */
async function upload(
  client: ServiceClient,
  path: string | undefined,
  signal: AbortSignal | undefined,
  most = Infinity,
): Promise<string> {
  const name = basename(path ?? 'stdin').slice(-255);
  const begun = operation('POST /v1/admin/imports/files', { query: { name }, body: new Uint8Array() });
  let { id, bytes } = await askFor(client, begun, { signal });
  for await (const body of partsOf(path, signal)) {
    const part = { path: { id }, query: { offset: bytes }, body };
    ({ id, bytes } = await askFor(client, operation('PATCH /v1/admin/imports/files/{id}', part), { signal }));
    if (bytes >= most) break;
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

async function saveReport(client: ServiceClient, id: string, reportPath: string): Promise<void> {
  const path = pathTo('GET /v1/admin/imports/{id}/refused', { path: { id } });
  const response = await client.expectOk(await client.fetch(path, { headers: { accept: 'application/x-ndjson' } }));
  await writeFile(reportPath, response.body ?? '', { mode: 0o600 });
}
