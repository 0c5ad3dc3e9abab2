/** Commands that ask a service over HTTP, as anybody's program does: they open no store. */
import type { Command } from 'commander';
import { readConfig } from '../runtime/config.ts';
import { TidemarkError } from '../runtime/errors.ts';
import { hostInUrl } from '../runtime/server-url.ts';
import type { CliContext } from './context.ts';

export interface ServiceOptions {
  readonly url?: string;
  readonly key?: string;
}

const URL_OPTION = [
  '--url <url>',
  'address of the service (default: http://HOST:PORT, as the service is set)',
] as const;

export function addUrlOption(command: Command): Command {
  return command.option(...URL_OPTION);
}

/** For commands that a read key opens. */
export function addServiceOptions(command: Command): Command {
  return addUrlOption(command).option('--key <key>', 'a key with the scope read (default: TIDEMARK_KEY)');
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

/** fetch wraps what happened in a TypeError. */
function reasonOf(error: unknown): string {
  const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return code ?? message;
}

export class ServiceClient {
  readonly url: string;
  readonly #key: string | undefined;
  readonly #signal: AbortSignal | undefined;

  constructor(url: string, key: string | undefined, signal: AbortSignal | undefined) {
    this.url = url;
    this.#key = key;
    this.#signal = signal;
  }

  /**
   * The answer to a GET, whatever its status is.
   *
   * @throws ServiceUnreachable
   */
  async get(path: string, headers: Readonly<Record<string, string>> = {}, signal?: AbortSignal): Promise<Response> {
    const signals = [this.#signal, signal].filter((one) => one !== undefined);
    try {
      return await fetch(this.url + path, {
        headers: { ...(this.#key !== undefined && { api_key: this.#key }), ...headers },
        signal: AbortSignal.any(signals),
        // The key is for the service that the user named.
        redirect: 'manual',
      });
    } catch (error) {
      this.#signal?.throwIfAborted();
      throw new ServiceUnreachable(this.url, error);
    }
  }

  /** @throws HttpStatusError | ServiceUnreachable */
  async expectOk(response: Response): Promise<Response> {
    if (response.ok) return response;
    const text = await response.text().catch(() => '');
    throw new HttpStatusError(response.status, refusalText(this.url, response.status, text));
  }
}

function refusalText(url: string, status: number, text: string): string {
  if (status === 401) {
    return `${url} does not take this key: it is wrong or revoked, or its scope is not read. ${HOW_TO_MAKE_A_KEY}`;
  }
  const detail = detailIn(text);
  return detail === undefined ? `${url} answered ${status}; is this a Tidemark service?` : `${detail} (${status})`;
}

/** Of a problem document. */
function detailIn(text: string): string | undefined {
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown };
    return typeof detail === 'string' ? detail : undefined;
  } catch {
    return undefined;
  }
}

const HOW_TO_MAKE_A_KEY = 'Make one with: npx tidemark key create --project PROJECT --scope read';

/** @throws TidemarkError `COMMAND_INVALID` where no key is given or the address is not usable. */
export function clientWithKey(context: CliContext, options: ServiceOptions): ServiceClient {
  const key = options.key ?? context.env['TIDEMARK_KEY'];
  if (key === undefined || key === '') {
    throw new TidemarkError(
      'COMMAND_INVALID',
      `This needs a key with the scope read, by --key or TIDEMARK_KEY. ${HOW_TO_MAKE_A_KEY}`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new TidemarkError('COMMAND_INVALID', 'The key has characters that no key has.');
  return new ServiceClient(serviceUrl(context, options.url), key, context.signal);
}

/** For what a service answers without a key. @throws TidemarkError `COMMAND_INVALID` */
export function clientWithoutKey(context: CliContext, options: ServiceOptions): ServiceClient {
  return new ServiceClient(serviceUrl(context, options.url), undefined, context.signal);
}

/** Without a slash at the end. */
function serviceUrl({ env }: CliContext, given: string | undefined): string {
  if (given !== undefined) {
    const isUsable = URL.canParse(given) && /^https?:$/.test(new URL(given).protocol);
    if (isUsable) return given.replace(/\/+$/, '');
    throw new TidemarkError('COMMAND_INVALID', `--url ${given} is not an address such as http://127.0.0.1:8080`);
  }
  const { host, port } = readConfig(env);
  if (port === 0) throw new TidemarkError('COMMAND_INVALID', 'PORT is 0: name the address of the service by --url.');
  return `http://${hostToAsk(host)}:${port}`;
}

/** A service that listens on every address is asked on this machine's own. */
function hostToAsk(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return hostInUrl(host === '::' ? '::1' : host);
}
