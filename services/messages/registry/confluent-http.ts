import http from 'node:http';
import https from 'node:https';
import { reasonOf } from '../../runtime/transport-faults.ts';

/** Where a registry is and how to get in. */
export interface RegistryAddress {
  /** Without name, password, query and trailing slash: it may be shown. */
  readonly base: string;
  /** The value of the header of that name. Secret. */
  readonly authorization: string | undefined;
  /** PEM, instead of the authorities that Node trusts. */
  readonly ca: string | undefined;
}

/** No answer, or another than the one asked for. */
export class RegistryError extends Error {
  /** HTTP's; 0 where no answer came. */
  readonly status: number;
  /** The registry's own, finer than HTTP's. https://docs.confluent.io/platform/current/schema-registry/develop/api.html */
  readonly errorCode: number | undefined;

  constructor(status: number, message: string, options?: { errorCode?: number | undefined; cause?: unknown }) {
    super(message, { cause: options?.cause });
    this.name = 'RegistryError';
    this.status = status;
    this.errorCode = options?.errorCode;
  }
}

export type Method = 'GET' | 'POST' | 'PUT';

/** The whole of one request, its body included. */
const REQUEST_MS = 6_000;
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** JSON over HTTP to one registry; every request ends in bounded time and space. */
export class ConfluentHttp {
  readonly #address: RegistryAddress;
  readonly #agent: http.Agent;

  constructor(address: RegistryAddress) {
    this.#address = address;
    // A connection a request: they are few, and one that rested would fail on a registry that was started anew.
    this.#agent = isSecure(address)
      ? new https.Agent({ keepAlive: false, ca: address.ca })
      : new http.Agent({ keepAlive: false });
  }

  /** @throws RegistryError */
  async send(method: Method, url: string, body?: string): Promise<unknown> {
    const { status, text } = await this.#exchange(method, url, body).catch((cause: unknown) => {
      throw new RegistryError(0, isTimeout(cause) ? `it did not answer within ${REQUEST_MS} ms` : reasonOf(cause), {
        cause,
      });
    });
    if (status >= 200 && status < 300) return parsed(status, text);
    throw refusal(status, text);
  }

  async #exchange(method: Method, url: string, body?: string): Promise<{ status: number; text: string }> {
    const signal = AbortSignal.timeout(REQUEST_MS);
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const { request } = isSecure(this.#address) ? https : http;
      request(url, { method, agent: this.#agent, headers: this.#headers(body), signal }, resolve)
        .on('error', reject)
        .end(body);
    });
    return { status: response.statusCode ?? 0, text: await textOf(response) };
  }

  #headers(body: string | undefined): http.OutgoingHttpHeaders {
    const { authorization } = this.#address;
    return {
      accept: 'application/vnd.schemaregistry.v1+json, application/json',
      ...(body !== undefined && { 'content-type': 'application/vnd.schemaregistry.v1+json' }),
      ...(authorization !== undefined && { authorization }),
    };
  }
}

function isSecure({ base }: RegistryAddress): boolean {
  return base.startsWith('https:');
}

async function textOf(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`its answer is longer than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(status: number, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new RegistryError(status, `its answer is no JSON`, { cause });
  }
}

function refusal(status: number, text: string): RegistryError {
  const { message, error_code: errorCode } = detailsOf(text);
  const says = typeof message === 'string' ? `: ${message.slice(0, 1_000)}` : '';
  return new RegistryError(status, `it answered ${status}${says}`, {
    errorCode: typeof errorCode === 'number' ? errorCode : undefined,
  });
}

function detailsOf(text: string): { readonly message?: unknown; readonly error_code?: unknown } {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}

function isTimeout(cause: unknown): boolean {
  return cause instanceof Error && (cause.name === 'AbortError' || cause.name === 'TimeoutError');
}
