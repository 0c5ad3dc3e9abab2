/** The one place that talks to the service: documented HTTP, with the session's cookie in place of a key. */
import type { Raw } from './types.ts';
import { parseJson } from './json.ts';
import type { Schemas } from '../../../schemas/openapi-types.ts';
import type { Operation } from '../../../schemas/operations.ts';

/** What is asked, as the document of the interface describes it: screens have it from here, with `ask`. */
export { type Body, operation, type Operation, type Query, type Sent } from '../../../schemas/operations.ts';

/** A refusal (RFC 9457), or `network` where no answer came. */
export class ApiError extends Error {
  /** 0 where no answer came. */
  readonly status: number;
  /** `unavailable`, `query-limit`, …: the member `code` of the problem. */
  readonly code: string;
  readonly title: string;
  readonly errors: Schemas['Errors'];
  readonly retryAfterS: number | undefined;
  readonly requestId: string | undefined;

  constructor(parts: Partial<ApiError> & Pick<ApiError, 'status' | 'code' | 'title' | 'message'>) {
    super(parts.message);
    this.status = parts.status;
    this.code = parts.code;
    this.title = parts.title;
    this.errors = parts.errors ?? [];
    this.retryAfterS = parts.retryAfterS;
    this.requestId = parts.requestId;
  }
}

export interface Request<T = unknown> extends Operation<T> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Statuses of refusals whose bodies are answers here. */
  readonly takes?: readonly number[];
}

/** Told of every answer that says the session is over. */
export const onSignedOut: { tell: () => void } = { tell: () => undefined };

/** The project that an admin key looks at; a key of one project needs none. */
export const chosenProject: { id: string | undefined } = { id: undefined };

/** The service's own address: the console is served one folder below it. */
export const SERVICE = new URL('..', document.baseURI.replace(/[?#].*$/, ''));

/** The address of a path of the interface, below the service's own. */
export function urlOf(path: string): string {
  return new URL(path.slice(1), SERVICE).href;
}

/** The answer, once its head is there. @throws ApiError where it is a refusal. */
export async function send(request: Request): Promise<Response> {
  const { method, path, body, headers, signal, takes = [] } = request;
  const project = chosenProject.id;
  let response: Response;
  try {
    response = await fetch(urlOf(path), {
      method,
      headers: {
        'Tidemark-Console': '1',
        ...(project !== undefined && { 'Tidemark-Project': project }),
        ...(typeof body === 'string' && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw noAnswer();
  }
  if (response.ok || takes.includes(response.status)) return response;
  const refusal = await refusalOf(response);
  if (refusal.status === 401 && path !== '/console/session') onSignedOut.tell();
  throw refusal;
}

/** The answer's body as JSON, its numbers as text: of an `operation`, as the document describes it. @throws ApiError */
export async function ask<T>(request: Request<T>): Promise<Raw<T>> {
  const response = await send(request);
  return parseJson(await response.text()) as Raw<T>;
}

/** What stands between separators as text, as it comes: whole lines. @throws TypeError where the connection breaks. */
export async function* linesOfAnswer(response: Response, separator = '\n'): AsyncGenerator<string> {
  if (response.body === null) return;
  let rest = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const lines = (rest + read.value).split(separator);
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    // Whoever stops early needs no more of it.
    await reader.cancel().catch(() => undefined);
  }
}

/** What was thrown as a refusal. @throws anything else. */
export function refusalIn(thrown: unknown): ApiError {
  if (!(thrown instanceof ApiError)) throw thrown;
  return thrown;
}

export function noAnswer(): ApiError {
  const message = 'The service did not answer. It may be restarting, or the connection is down.';
  return new ApiError({ status: 0, code: 'network', title: 'No answer', message });
}

async function refusalOf(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  // What is no problem document, as the page of a proxy, says nothing.
  const problem = (await response
    .text()
    .then(parseJson)
    .catch(() => null)) as Partial<Raw<Schemas['Problem']>> | null;
  const retryAfter = Number(headers.get('Retry-After') ?? Number.NaN);
  const requestId = headers.get('X-Request-Id');
  return new ApiError({
    status,
    code: problem?.code ?? 'unknown',
    title: problem?.title ?? `The service answered ${status}`,
    message: problem?.detail ?? 'It gave no reason.',
    errors: problem?.errors ?? [],
    ...(Number.isFinite(retryAfter) && { retryAfterS: retryAfter }),
    ...(requestId !== null && { requestId }),
  });
}
