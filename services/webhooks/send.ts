/** One attempt to deliver a message over HTTP. */
import type { LookupAddress } from 'node:dns';
import { type IncomingMessage, request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { untilAborted } from '../runtime/pause.ts';
import { literalAddressIn, NOT_ENCRYPTED, type WebhookAddresses } from './addresses.ts';
import type { LastAttempt } from './endpoint-store.ts';
import { lookUp } from './names.ts';
import { readRetryAfter } from './retry-schedule.ts';

/** What came of an attempt. It has an error where no answer came. */
export interface Attempt extends Omit<LastAttempt, 'atMs' | 'tookMs'> {
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

/** From the lookup of the name to the head of the answer. */
const ATTEMPT_TIMEOUT_MS = 15_000;
/** How long the rest of an answer is waited for: its head says what became of the message. */
const REST_TIMEOUT_MS = 500;
/** What is read before the head of the answer has come, informational answers with it, and what is read of its body. */
const MAX_ANSWER_BYTES = 65_536;
/** What is kept of an answer. */
const KEPT_ANSWER_BYTES = 200;

/** Nothing else is a success: a redirect is not followed, and a topic has no status. */
export function isDelivered({ status, error }: Attempt): boolean {
  return status === null ? error === null : status >= 200 && status < 300;
}

/** Posts a message. Never rejects, and never takes longer than the timeout, whatever the other side does. */
export async function postWebhook(message: WebhookMessage, options: SendOptions): Promise<Attempt> {
  const { signal, timeoutMs = ATTEMPT_TIMEOUT_MS } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  return post(message, options.addresses, AbortSignal.any([signal, timeout])).catch((error: unknown) => {
    const words = timeout.aborted ? `no answer within ${timeoutMs / 1_000} s` : wordsOf(error);
    return { ...NO_ANSWER, error: words };
  });
}

const NO_ANSWER = { status: null, answer: '', retryAfterMs: null } as const;

async function post(
  { url, headers, body }: WebhookMessage,
  addresses: WebhookAddresses,
  signal: AbortSignal,
): Promise<Attempt> {
  const target = new URL(url);
  const why = addresses.whyNot(target);
  if (why !== undefined) return { ...NO_ANSWER, error: `the URL ${why}` };
  const answering = answerTo(target, body, {
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
    ...(literalAddressIn(target) === undefined && { lookup: lookupIn(addresses, target, signal) }),
  });
  const answer = await untilAborted(answering, signal);
  const retryAfterMs = readRetryAfter(answer.headers['retry-after'], Date.now());
  return { status: answer.statusCode ?? null, error: null, answer: await keptAnswerOf(answer, signal), retryAfterMs };
}

function answerTo(url: URL, body: string, options: RequestOptions): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options);
  let bytes = 0;
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) request.destroy(new Error('no answer within the first 64 KB'));
  };
  request.on('socket', (socket) => socket.on('data', count));
  request.on('response', (answer) => {
    answer.socket.off('data', count);
    resolve(answer);
  });
  // Node has neither a response nor an error for the status 101, and leaves the connection to whoever listens.
  request.on('upgrade', (answer, socket) => {
    socket.destroy();
    resolve(answer);
  });
  request.on('error', reject);
  request.end(body);
  return promise;
}

/** Reads the rest of the answer, as far as it comes soon: the status counts, whatever becomes of the rest. */
async function keptAnswerOf(answer: IncomingMessage, signal: AbortSignal): Promise<string> {
  const kept: Buffer[] = [];
  const soon = AbortSignal.any([signal, AbortSignal.timeout(REST_TIMEOUT_MS)]);
  // It was cut, or takes too long.
  await untilAborted(readInto(kept, answer), soon).catch(() => undefined);
  answer.destroy();
  // Postgres has no text with a NUL.
  return Buffer.concat(kept).subarray(0, KEPT_ANSWER_BYTES).toString('utf8').replaceAll('\0', '\uFFFD');
}

async function readInto(kept: Buffer[], answer: AsyncIterable<Buffer>): Promise<void> {
  let bytes = 0;
  for await (const chunk of answer) {
    if (bytes < KEPT_ANSWER_BYTES) kept.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) return;
  }
}

class InnerAddressError extends Error {}

/** Looks up a name, and has only the addresses that may be sent to: one of these is connected to. */
function lookupIn(addresses: WebhookAddresses, { hostname, protocol }: URL, signal: AbortSignal): LookupFunction {
  const mayUse = (address: string): boolean =>
    protocol === 'https:' ? addresses.isAllowed(address) : addresses.isNamed(address);
  const usableOf = callbackify(async (name: string): Promise<readonly [LookupAddress, ...LookupAddress[]]> => {
    const found = await lookUp(name, signal);
    const [first, ...others] = found.filter(({ address }) => mayUse(address));
    if (first === undefined) throw new InnerAddressError(whyNone(found));
    return [first, ...others];
  });
  return (name, options, done) => {
    usableOf(name, (error, usable) => {
      if (error !== null) return done(error, []);
      return options.all === true ? done(null, [...usable]) : done(null, usable[0].address, usable[0].family);
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
