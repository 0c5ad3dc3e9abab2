/** Requests to a service, and what their answers mean to a command. */
import type { Progress } from '../../runtime/command.ts';
import { type ErrorCode, TidemarkError } from '../../runtime/errors.ts';
import { type JsonObject, readOpenApiFiles } from '../../../schemas/openapi-files.ts';
import type { Schemas } from '../../../schemas/openapi-types.ts';
import type { Operation } from '../../../schemas/operations.ts';
import { badKey, type KeyScope, notTidemark, type ServiceClient, ServiceUnreachable } from './service-client.ts';

export interface ServiceRequest<T = unknown> extends Operation<T> {
  /** Whether it is answered in lines: progress, and at last the result. */
  readonly streams?: boolean;
}

export interface AskOptions {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called with the path of the job that the request became. */
  readonly onJob?: (path: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** A question may take ten minutes, in which the service sends nothing. */
const ANSWER_WITHIN_MS = 660_000;
/** A service that carries out a command sends a line every second. */
const LINE_WITHIN_MS = 60_000;
const CANCEL_WITHIN_MS = 5_000;
const NDJSON = 'application/x-ndjson';

/**
 * Resolves with the JSON text of the result.
 *
 * @throws TidemarkError what the service says; `COMMAND_INVALID` where it refuses the request; `CONTROL_LOST` where the
 *   connection ended before the answer, so that it may or may not have been done; ServiceUnreachable; the reason of the
 *   signal.
 */
export async function ask(client: ServiceClient, request: ServiceRequest, options: AskOptions = {}): Promise<string> {
  options.signal?.throwIfAborted();
  return request.streams === true ? askForLines(client, request, options) : askOnce(client, request, options);
}

/** A reviver for JSON.parse: a number that a double would alter stays as it was written. */
export function keepDigits(_name: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value !== 'number' || source === undefined || String(value) === source ? value : JSON.rawJSON(source);
}

/** The result, every digit of its numbers kept. @throws as `ask`. */
export async function askFor<T>(
  client: ServiceClient,
  request: ServiceRequest<T>,
  options: AskOptions = {},
): Promise<T> {
  return JSON.parse(await ask(client, request, options), keepDigits) as T;
}

async function askOnce(client: ServiceClient, request: ServiceRequest, { signal }: AskOptions): Promise<string> {
  const timeout = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  try {
    return await (await send(client, request, either)).text();
  } catch (error) {
    throw lostOf(client, error, signal);
  }
}

const LINES_TOGETHER = 1_000;

/** The lines of the answer with their ends, whatever they hold, many at once. @throws as `ask`. */
export async function* linesTogether(
  client: ServiceClient,
  request: ServiceRequest,
  { signal }: AskOptions,
): AsyncGenerator<readonly string[]> {
  let waiting: string[] = [];
  try {
    const response = await send(client, request, signal);
    for await (const line of blocksOf(response, '\n')) {
      if (waiting.push(`${line}\n`) < LINES_TOGETHER) continue;
      yield waiting;
      waiting = [];
    }
    if (waiting.length > 0) yield waiting;
  } catch (error) {
    throw lostOf(client, error, signal);
  }
}

async function askForLines(
  client: ServiceClient,
  request: ServiceRequest,
  { onProgress, onJob, signal }: AskOptions,
): Promise<string> {
  const ending = new AbortController();
  const leave = (): void => ending.abort();
  let timer = setTimeout(leave, LINE_WITHIN_MS);
  // Undefined before the service has answered; null of what is no job.
  let job: string | null | undefined;
  const cancel = (): void => {
    clearTimeout(timer);
    // Its end is awaited, so that it does not go on behind the caller's back.
    timer = setTimeout(leave, job === null ? 0 : CANCEL_WITHIN_MS);
    if (typeof job === 'string') void client.fetch(job, { method: 'DELETE' }).catch(leave);
  };
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const response = await send(client, request, ending.signal, { accept: NDJSON });
    job = response.headers.get('location');
    if (job !== null) onJob?.(job);
    if (signal?.aborted === true) cancel();
    return await resultIn(response, request, (progress) => {
      if (signal?.aborted !== true) timer.refresh();
      if (progress !== null) onProgress?.(progress);
    });
  } catch (error) {
    throw lostOf(client, error, signal);
  } finally {
    signal?.removeEventListener('abort', cancel);
    clearTimeout(timer);
    ending.abort();
  }
}

async function resultIn(
  response: Response,
  request: ServiceRequest,
  onLine: (progress: Progress | null) => void,
): Promise<string> {
  // What was done at once became no job, and has no lines.
  if (response.headers.get('content-type')?.includes(NDJSON) !== true) return response.text();
  for await (const text of blocksOf(response, '\n')) {
    const line = JSON.parse(text) as Line;
    if ('problem' in line) throw errorOf(line.problem, request);
    // The text itself, so that no digit is lost.
    if ('result' in line) return text.slice('{"result":'.length, -1);
    onLine(line.progress);
  }
  throw new Error('The connection ended before the answer.');
}

type Line = { readonly progress: Progress | null } | { readonly result: unknown } | { readonly problem: ProblemText };

type ProblemText = Partial<Omit<Schemas['Problem'], 'error_code'>> & { readonly error_code?: ErrorCode };

/** @throws as `ask`, where the service refuses it too. */
async function send(
  client: ServiceClient,
  request: ServiceRequest,
  signal: AbortSignal | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { method, path, body } = request;
  const type = body instanceof Uint8Array ? { 'content-type': 'application/octet-stream' } : {};
  // Blobs are sent by browsers alone.
  const sent = body as Exclude<typeof body, Blob>;
  const options = { method, headers: { ...type, ...headers }, signal, ...(sent !== undefined && { body: sent }) };
  const response = await client.fetch(path, options);
  if (response.ok) return response;
  throw errorOfAnswer(client, request, response.status, await response.text());
}

/** What ends with `end`, without it. @param onPiece Called whenever anything has arrived. */
export async function* blocksOf(response: Response, end: string, onPiece?: () => void): AsyncGenerator<string> {
  let begun = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    onPiece?.();
    const blocks = (begun + piece).split(end);
    begun = blocks.pop() ?? '';
    yield* blocks;
  }
}

/** What the key of a request needs, as the document says. */
function scopeFor({ method, path }: ServiceRequest): KeyScope {
  const [asked = ''] = path.split('?');
  for (const [template, item] of Object.entries(readOpenApiFiles().paths)) {
    if (!new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(asked)) continue;
    const { scope } = (item as Readonly<Record<string, JsonObject>>)[method.toLowerCase()] ?? {};
    if (scope !== undefined) return scope as KeyScope;
  }
  return 'admin';
}

function errorOfAnswer(client: ServiceClient, request: ServiceRequest, status: number, text: string): Error {
  if (status === 401) return badKey(client.url, scopeFor(request));
  try {
    return errorOf({ status, ...(JSON.parse(text) as ProblemText) }, request);
  } catch {
    return new Error(notTidemark(client.url, status));
  }
}

/** What a 404 means that names no code: `why` knows no such user. */
function notFoundOf({ path }: ServiceRequest, message: string): Error {
  if (path.startsWith('/v1/users/')) return new Error(`${message} (404)`);
  const isOfAudience = /^\/v1\/audiences\/(?!why\b)/.test(path);
  return new TidemarkError(isOfAudience ? 'AUDIENCE_UNKNOWN' : 'COMMAND_INVALID', message);
}

function errorOf(problem: ProblemText, request: ServiceRequest): Error {
  const { status = 500, detail = 'no reason given', error_code: code, errors = [] } = problem;
  const lines = errors.map(({ path, message }) => `  ${path === '' ? 'it' : path} ${message}\n`).join('');
  const message = lines === '' ? detail : `The request is refused:\n${lines}`;
  if (code !== undefined) return new TidemarkError(code, message);
  if (status === 404) return notFoundOf(request, message);
  if (status === 503) return new TidemarkError('STORE_UNAVAILABLE', message);
  if (status === 429) return new TidemarkError('TOO_MANY_QUESTIONS', message);
  return status < 500 ? new TidemarkError('COMMAND_INVALID', message) : new Error(message);
}

/** A connection that broke, or that was given up, once the service may have heard the request. @throws the signal's reason. */
function lostOf(client: ServiceClient, error: unknown, signal: AbortSignal | undefined): unknown {
  signal?.throwIfAborted();
  if (error instanceof TidemarkError) return error;
  if (error instanceof ServiceUnreachable && !client.hasConnected) return error;
  const isBroken = error instanceof ServiceUnreachable || !(error instanceof Error) || isTransport(error);
  if (!isBroken) return error;
  return new TidemarkError('CONTROL_LOST', 'The service did not answer; it may have carried out the command.', {
    cause: error,
  });
}

function isTransport(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return error.name === 'AbortError' || error.message.startsWith('The connection ended') || code !== undefined;
}
