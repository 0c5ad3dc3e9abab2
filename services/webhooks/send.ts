/** One attempt to deliver a message over HTTP. */
import { lookup as lookUp, type LookupAddress } from 'node:dns';
import { type IncomingMessage, request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { literalAddressIn, NOT_ENCRYPTED, type WebhookAddresses } from './addresses.ts';
import { readRetryAfter } from './retry-schedule.ts';

/** What came of an attempt. */
export interface Attempt {
  /** That was answered; null where no answer came, and of a topic. */
  readonly status: number | null;
  /** In words, why no answer came; null where one came. */
  readonly error: string | null;
  readonly tookMs: number;
  /** The first 200 bytes of the answer, as text. */
  readonly answer: string;
  /** What the answer says of the next attempt. */
  readonly retryAfterMs: number | null;
}

export interface WebhookMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SendOptions {
  readonly addresses: WebhookAddresses;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

/** All of an attempt, from the lookup of the name to the end of the answer. */
const ATTEMPT_TIMEOUT_MS = 15_000;
/** What is read of an answer. */
const MAX_ANSWER_BYTES = 65_536;
/** What is kept of an answer. */
const KEPT_ANSWER_BYTES = 200;

/** Nothing else is a success: a redirect is not followed, and a topic has no status. */
export function isDelivered({ status, error }: Attempt): boolean {
  return status === null ? error === null : status >= 200 && status < 300;
}

/** Posts a message. Never rejects, and never takes longer than the timeout. */
export async function postWebhook(message: WebhookMessage, options: SendOptions): Promise<Attempt> {
  const { signal, timeoutMs = ATTEMPT_TIMEOUT_MS } = options;
  const startedMs = performance.now();
  const timeout = AbortSignal.timeout(timeoutMs);
  const outcome = await post(message, options.addresses, AbortSignal.any([signal, timeout])).catch((error: unknown) => {
    const words = timeout.aborted ? `no answer within ${timeoutMs / 1_000} s` : wordsOf(error);
    return { ...NO_ANSWER, error: words };
  });
  return { ...outcome, tookMs: Math.round(performance.now() - startedMs) };
}

type AnsweredAttempt = Omit<Attempt, 'tookMs'>;

const NO_ANSWER = { status: null, answer: '', retryAfterMs: null } as const;

async function post(
  { url, headers, body }: WebhookMessage,
  addresses: WebhookAddresses,
  signal: AbortSignal,
): Promise<AnsweredAttempt> {
  const target = new URL(url);
  const why = addresses.whyNot(target);
  if (why !== undefined) return { ...NO_ANSWER, error: `the URL ${why}` };
  const answer = await answerTo(target, body, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Tidemark-Webhooks',
      ...headers,
    },
    // A connection of its own: one that is kept would be to an address of another check.
    agent: false,
    signal,
    ...(literalAddressIn(target) === undefined && { lookup: lookupIn(addresses, target) }),
  });
  const retryAfterMs = readRetryAfter(answer.headers['retry-after'], Date.now());
  return { status: answer.statusCode ?? null, error: null, answer: await keptAnswerOf(answer), retryAfterMs };
}

function answerTo(url: URL, body: string, options: RequestOptions): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options);
  request.on('response', resolve).on('error', reject);
  request.end(body);
  return promise;
}

/** Reads the answer, up to a limit: the status counts, whatever becomes of the rest. */
async function keptAnswerOf(answer: IncomingMessage): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      if (bytes < KEPT_ANSWER_BYTES) kept.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) break;
    }
  } catch {
    // It was cut, or took too long.
  } finally {
    answer.destroy();
  }
  // Postgres has no text with a NUL.
  return Buffer.concat(kept).subarray(0, KEPT_ANSWER_BYTES).toString('utf8').replaceAll('\0', '\uFFFD');
}

class InnerAddressError extends Error {}

/** Looks up a name as Node does, and has only the addresses that may be sent to: one of these is connected to. */
function lookupIn(addresses: WebhookAddresses, { hostname, protocol }: URL): LookupFunction {
  const mayUse = (address: string): boolean =>
    protocol === 'https:' ? addresses.isAllowed(address) : addresses.isNamed(address);
  return (name, options, done) => {
    lookUp(name, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, []);
      const usable = found.filter(({ address }) => mayUse(address));
      const [first] = usable;
      if (first === undefined) return done(new InnerAddressError(whyNone(found)), []);
      return options.all === true ? done(null, usable) : done(null, first.address, first.family);
    });
  };

  function whyNone(found: readonly LookupAddress[]): string {
    const isAnyAllowed = found.some(({ address }) => addresses.isAllowed(address));
    return isAnyAllowed
      ? `the URL ${NOT_ENCRYPTED}`
      : `${hostname} leads to an inner address, which WEBHOOK_ALLOW does not name`;
  }
}

/** OpenSSL's own text has addresses in memory and names of source files around the reason. */
const OPENSSL_REASON = /:SSL routines:[^:]*:([^:]+)/;

function wordsOf(error: unknown): string {
  if (error instanceof InnerAddressError) return error.message;
  const { code, message: text } = error as NodeJS.ErrnoException;
  const tls = OPENSSL_REASON.exec(text)?.[1];
  const message = tls === undefined ? text : `TLS: ${tls}`;
  return code === undefined ? message : `${message} (${code})`;
}
