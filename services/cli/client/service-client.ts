/** The HTTP client of the command line: of a service at an address, or at the Unix socket in its data folder. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { userInfo } from 'node:os';
import { Readable } from 'node:stream';
import { TidemarkError } from '../../runtime/errors.ts';

export interface ClientTarget {
  /** Without a slash at the end. */
  readonly url: string;
  /** Connected to instead of the host of the URL. */
  readonly socketPath?: string;
  readonly key?: string | undefined;
}

export interface ClientRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
}

/** The service answered a request with an error. */
export class HttpStatusError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'HttpStatusError';
    this.status = status;
  }
}

/** Nothing answers at the address, or the connection broke. */
export class ServiceUnreachable extends Error {
  constructor(url: string, cause: unknown) {
    super(`No service answers at ${url} (${reasonOf(cause)}). Start it with npm start, or name its address by --url.`, {
      cause,
    });
    this.name = 'ServiceUnreachable';
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return code ?? message;
}

export class ServiceClient {
  readonly url: string;
  readonly #target: ClientTarget;
  readonly #signal: AbortSignal | undefined;
  readonly #agent = new Agent({ keepAlive: false });
  #hasConnected = false;

  constructor(target: ClientTarget, signal: AbortSignal | undefined) {
    this.url = target.url;
    this.#target = target;
    this.#signal = signal;
  }

  /** For people: the socket of this machine has no address that they know. */
  get place(): string {
    return this.#target.socketPath === undefined ? `at ${this.url}` : 'on this machine';
  }

  /** Whether any connection was made: then the service may have done something. */
  get hasConnected(): boolean {
    return this.#hasConnected;
  }

  /**
   * The answer to a GET, whatever its status is.
   *
   * @throws ServiceUnreachable
   */
  get(path: string, headers: Readonly<Record<string, string>> = {}, signal?: AbortSignal): Promise<Response> {
    const signals = [this.#signal, signal].filter((one) => one !== undefined);
    return this.fetch(path, { headers, signal: AbortSignal.any(signals) });
  }

  /**
   * The answer to any request, whatever its status is. A redirect is an answer: the key is for this service alone.
   *
   * @throws ServiceUnreachable; the reason of the client's signal once that is aborted.
   */
  async fetch(path: string, request: ClientRequest): Promise<Response> {
    try {
      const answer = await this.#send(path, request);
      const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
      const status = answer.statusCode ?? 500;
      const hasBody = status !== 204 && status !== 304;
      return new Response(hasBody ? (Readable.toWeb(answer) as ReadableStream) : null, { status, headers });
    } catch (error) {
      this.#signal?.throwIfAborted();
      throw new ServiceUnreachable(this.url, error);
    }
  }

  async #send(path: string, { method = 'GET', headers, body, signal }: ClientRequest): Promise<IncomingMessage> {
    const { url, socketPath, key } = this.#target;
    const options: RequestOptions = {
      method,
      headers: {
        ...(key !== undefined && { api_key: key }),
        ...(socketPath !== undefined && { 'tidemark-user': userInfo().username }),
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        ...headers,
      },
      ...(socketPath !== undefined && { socketPath }),
      ...(signal !== undefined && { signal }),
      ...(url.startsWith('http:') && { agent: this.#agent }),
    };
    const sent = (url.startsWith('https:') ? requestHttps : requestHttp)(url + path, options);
    sent.once('socket', (socket) => socket.once('connect', () => (this.#hasConnected = true)));
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return answer;
  }

  /**
   * @param scope Scope of the key that is needed.
   * @throws TidemarkError `COMMAND_INVALID` where the service does not take the key; HttpStatusError; ServiceUnreachable.
   */
  async expectOk(response: Response, scope?: KeyScope): Promise<Response> {
    if (response.ok) return response;
    if (response.status === 401) throw badKey(this.url, scope);
    const { status } = response;
    const problem = (await response.json().catch(() => undefined)) as { readonly detail?: unknown } | null | undefined;
    const { detail } = problem ?? {};
    throw new HttpStatusError(
      status,
      typeof detail === 'string' ? `${detail} (${status})` : notTidemark(this.url, status),
    );
  }
}

export function notTidemark(url: string, status: number): string {
  return `${url} answered ${status}; is this a Tidemark service?`;
}

export type KeyScope = 'read' | 'audiences' | 'admin' | 'flags' | 'write';

/** A key that the service does not take for this. */
export class WrongKey extends TidemarkError {}

/** What 401 means to every command: it was used wrongly. @param scope Scope of the key that is needed. */
export function badKey(url: string, scope: KeyScope = 'read'): TidemarkError {
  const message = `${url} does not take this key: it is wrong or revoked, or its scope is not ${scope}. ${howToMake(scope)}`;
  return new WrongKey('COMMAND_INVALID', message);
}

export function howToMake(scope: KeyScope): string {
  return `Make one with: ./tidemark key create ${scope === 'admin' ? '' : '--project PROJECT '}--scope ${scope}`;
}
