import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Call } from './call.ts';
import { renderRefusal, type ErrorStyle, type Refusal } from './problems.ts';
import type { Answer } from './route.ts';

// A refused body up to this long is read and dropped, and the connection kept; a longer one is not worth the caller's upload.
const MAX_DISCARDED_BYTES = 512_000;
const DRAIN_MS = 1_000;

/** What is written at once: small enough that a slow client's progress shows, large enough to cost nothing. */
export const PIECE_BYTES = 65_536;

/** Sends what came of a request, unless it has been ended. */
export function send(call: Call, outcome: Answer | Refusal, style: ErrorStyle): void {
  if (call.ending !== undefined) discard(outcome);
  else if ('refused' in outcome) sendRefusal(call, outcome, style);
  else sendAnswer(call, outcome);
}

function discard(outcome: Answer | Refusal): void {
  if ('body' in outcome && outcome.body instanceof Readable) outcome.body.destroy();
}

/** Whether `endAnswer` would end it: what changes something is carried out, and its answer tells that. */
export function canEnd({ route, req, res }: Call): boolean {
  return res.headersSent || !req.complete || route?.method === 'GET' || route?.scope === 'read';
}

/**
 * Ends an answer that has not left whole. Where nothing of it has, the refusal is sent in its place; else a stream says
 * why it ends if its format can, and any other answer is cut. Idempotent.
 */
export function endAnswer(call: Call, why: Refusal): void {
  if (call.ending !== undefined || !canEnd(call)) return;
  if (!call.res.headersSent) sendRefusal(call, why, call.route?.style ?? 'problem');
  call.end(why);
}

function sendAnswer(call: Call, answer: Answer): void {
  const { body } = answer;
  const type = answer.type ?? 'application/json';
  if (body instanceof Readable) {
    call.res.writeHead(answer.status, headersOf(call, type, undefined, answer.headers));
    pipe(call, body, answer.lastWords);
    return;
  }
  // What a 304 has not changed must not be said to be empty.
  const length = answer.status === 304 ? undefined : byteLength(body);
  call.answerBytes = length ?? 0;
  call.res.writeHead(answer.status, headersOf(call, type, length, answer.headers));
  if (length === undefined) call.res.end();
  else sendBody(call, body, length);
}

function sendBody(call: Call, body: string | Uint8Array, length: number): void {
  if (length > PIECE_BYTES) sendPieces(call, body);
  // As many bytes as characters: all of it is ASCII, which goes out as Latin-1 without being measured and encoded again.
  else if (typeof body === 'string') call.res.end(body, length === body.length ? 'latin1' : 'utf8');
  else call.res.end(body);
}

/** In one write, how much of it has been read would not show before all has. */
function sendPieces(call: Call, body: string | Uint8Array): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  let at = 0;
  pipe(
    call,
    new Readable({
      read() {
        const piece = bytes.subarray(at, at + PIECE_BYTES);
        at += piece.length;
        this.push(piece.length === 0 ? null : piece);
      },
    }),
  );
}

function pipe(call: Call, body: Readable, lastWords?: Answer['lastWords']): void {
  if (call.req.method === 'HEAD') {
    body.destroy();
    call.res.end();
    return;
  }
  // The client is gone already: `pipeline` would throw, and what the body reads from would stay open.
  if (call.res.destroyed) {
    body.destroy();
    return;
  }
  // The head is out: a failure from here on can only be signalled by cutting the answer short.
  pipeline(body, call.res, { end: false }).then(
    () => call.res.end(),
    () => call.ending ?? call.res.destroy(),
  );
  // At once: what the body is made from may take its time to end.
  const end = (): void => {
    body.destroy();
    if (call.ending === undefined || lastWords === undefined) call.res.destroy();
    else call.res.end(lastWords(call.ending));
  };
  call.signal.addEventListener('abort', end, { once: true });
}

function sendRefusal(call: Call, refusal: Refusal, style: ErrorStyle): void {
  const { status, type, headers, body } = renderRefusal(refusal, style);
  const drained = status === 401 || status === 413 || !isWorthKeeping(call.req);
  if (drained) call.res.shouldKeepAlive = false;
  call.res.writeHead(status, headersOf(call, type, Buffer.byteLength(body), headers));
  if (drained) endDrained(call, body);
  else call.res.end(body);
}

function headersOf(
  call: Call,
  type: string,
  length: number | undefined,
  more: Readonly<Record<string, string>> | undefined,
): string[] {
  const headers = ['Content-Type', type, 'X-Request-Id', call.requestId];
  if (length !== undefined) headers.push('Content-Length', String(length));
  if (call.req.method === 'GET' && more?.['Cache-Control'] === undefined) headers.push('Cache-Control', 'no-store');
  if (more !== undefined) for (const name of Object.keys(more)) headers.push(name, more[name] ?? '');
  return headers;
}

/** Whether the next request on this connection can be had at a bounded price. */
function isWorthKeeping({ headers, complete }: IncomingMessage): boolean {
  if (complete) return true;
  if (headers['transfer-encoding'] !== undefined) return false;
  const length = Number(headers['content-length'] ?? 0);
  // A client that expects a 100 and is refused may send the body or not: the bytes that follow could be either.
  return length === 0 || (length <= MAX_DISCARDED_BYTES && headers.expect === undefined);
}

/**
 * Closes the connection without losing the answer: closing while bytes wait unread resets the connection, and the reset
 * may overtake the answer. So the whole answer goes out first and ends only when the body has, or after a second.
 */
function endDrained({ req, res }: Call, body: string): void {
  res.write(body);
  const end = (): void => {
    clearTimeout(timer);
    res.end();
  };
  const timer = setTimeout(end, DRAIN_MS);
  req.once('end', end);
  req.once('close', end);
  req.resume();
}

function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}
