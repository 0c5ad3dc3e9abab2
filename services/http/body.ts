import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { brotliDecompressSync, constants, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { isSdkBody } from '../messages/sdk/sdk-body.ts';
import type { Refusal } from './problems.ts';
import { type BodyBytes, TOO_MUCH_RECEIVED } from './receiving-bytes.ts';

const CONTENT_ENCODINGS = ['identity', 'gzip', 'deflate', 'br', 'zstd'] as const;
type Encoding = (typeof CONTENT_ENCODINGS)[number];

/** Why there is no body: the refusal to send, or that the client has disconnected. */
export type NoBody = Refusal | 'client-gone';

/**
 * Refuses, from the head of the request alone, what would be refused with any body: its type, its encoding,
 * a length over the limit.
 *
 * @param anyType Whether the type does not matter.
 */
export function refuseHead(headers: IncomingHttpHeaders, limitBytes: number, anyType = false): Refusal | undefined {
  if (!anyType && !isJson(headers)) return UNSUPPORTED_TYPE;
  const encoding = encodingOf(headers);
  if (encoding === undefined) {
    return { refused: 'unsupported-encoding', detail: `Content-Encoding must be ${CONTENT_ENCODINGS.join(', ')}.` };
  }
  const length = headers['content-length'];
  return length !== undefined && Number(length) > rawLimit(encoding, limitBytes) ? tooLarge(limitBytes) : undefined;
}

export const UNSUPPORTED_TYPE: Refusal = {
  refused: 'unsupported-type',
  detail: 'Content-Type must be application/json, in UTF-8.',
};

/** Whether the request says that its body is JSON in UTF-8. */
export function isJson({ 'content-type': type }: IncomingHttpHeaders): boolean {
  return type === 'application/json' || isJsonType(type);
}

/**
 * The body, valid UTF-8. Call `refuseHead` first. Holds at most the limit, and as much again while decompressing.
 *
 * @param mayBeSdk Whether what SDKs send may begin with a byte order mark, which is left out.
 * @param held Its share of the bytes that all incomplete bodies may take. Decompression is synchronous: one body at a time.
 */
export async function readBody(
  req: IncomingMessage,
  limitBytes: number,
  held: BodyBytes,
  mayBeSdk = false,
): Promise<{ readonly body: Buffer } | NoBody> {
  const encoding = encodingOf(req.headers) ?? 'identity';
  const raw = await readBytes(req, rawLimit(encoding, limitBytes), held);
  if (raw === 'too-large') return tooLarge(limitBytes);
  if (!Buffer.isBuffer(raw)) return raw;
  const bytes = encoding === 'identity' ? raw : decompress(raw, encoding, limitBytes);
  if (!Buffer.isBuffer(bytes)) return bytes;
  if (!isUtf8(bytes)) return undecodable('The body is not valid UTF-8.');
  if (bytes[0] !== 0xef || bytes[1] !== 0xbb || bytes[2] !== 0xbf) return { body: bytes };
  const body = bytes.subarray(3);
  return mayBeSdk && isSdkBody(body.toString('utf8'))
    ? { body }
    : undecodable('The body begins with a byte order mark.');
}

/** Reads at most `maxBytes`. Never rejects; a connection lost, or closed for being slow, is 'client-gone'. */
function readBytes(req: IncomingMessage, maxBytes: number, held: BodyBytes): Promise<Buffer | 'too-large' | NoBody> {
  return new Promise((resolve) => {
    const collected = new Collector({ maxBytes, wholeBytes: Number(req.headers['content-length']), held });
    const finish = (outcome: Buffer | 'too-large' | NoBody): void => {
      held.hold(0);
      resolve(outcome);
    };
    const refuse = (why: 'too-large' | Refusal): void => {
      req.removeAllListeners('data');
      // `send` decides whether the rest is read and dropped, or the connection closed.
      if (why === 'too-large') req.pause();
      else req.resume();
      finish(why);
    };
    held.whenDropped(() => refuse(collected.drop(TOO_MUCH_RECEIVED)));
    req.on('data', (chunk: Buffer) => {
      const why = collected.add(chunk);
      if (why !== undefined) refuse(why);
    });
    req.on('end', () => finish(collected.bytes));
    // After 'end' it changes nothing. Node tells an 'error' only to those who listen for one.
    req.on('close', () => finish('client-gone'));
  });
}

interface CollectorParts {
  readonly maxBytes: number;
  /** What the head says that the body has; NaN where it does not. */
  readonly wholeBytes: number;
  readonly held: BodyBytes;
}

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * One buffer that grows by doubling: a body sent byte by byte costs no more than one sent whole. The usual body is one
 * chunk and is neither copied nor counted.
 */
class Collector {
  readonly #parts: CollectorParts;
  #held: Buffer = NOTHING;
  #length = 0;

  constructor(parts: CollectorParts) {
    this.#parts = parts;
  }

  get bytes(): Buffer {
    return this.#length === this.#held.length ? this.#held : this.#held.subarray(0, this.#length);
  }

  /** Why it cannot be, holding nothing any more, where that would be too much. */
  add(chunk: Buffer): 'too-large' | Refusal | undefined {
    const { maxBytes, wholeBytes, held } = this.#parts;
    const length = this.#length + chunk.length;
    if (length > maxBytes) return this.drop('too-large');
    if (this.#length === 0) {
      if (length !== wholeBytes && !held.hold(length)) return this.drop(TOO_MUCH_RECEIVED);
      this.#held = chunk;
    } else {
      if (length > this.#held.length && !this.#grow(length)) return this.drop(TOO_MUCH_RECEIVED);
      chunk.copy(this.#held, this.#length);
    }
    this.#length = length;
    return undefined;
  }

  /** False where all hold too much for that. */
  #grow(length: number): boolean {
    const { maxBytes, wholeBytes, held } = this.#parts;
    const size = Math.min(wholeBytes || maxBytes, maxBytes, 2 * length);
    if (!held.hold(size)) return false;
    const grown = Buffer.allocUnsafe(size);
    this.#held.copy(grown, 0, 0, this.#length);
    this.#held = grown;
    return true;
  }

  drop<T>(why: T): T {
    this.#held = NOTHING;
    this.#length = 0;
    return why;
  }
}

/**
 * Stops at the limit, so that a bomb costs no more than an honest body. On this thread: 500 KB take 1 to 3 ms, and what
 * the thread pool would save is less than what its queue costs the usual small body.
 */
function decompress(raw: Buffer, encoding: Exclude<Encoding, 'identity'>, limitBytes: number): Buffer | Refusal {
  try {
    const { buffer, engine } = inflated(raw, encoding, limitBytes);
    // zlib takes what follows the end of the stream for somebody else's bytes and says nothing.
    return engine.bytesWritten === raw.length ? buffer : undecodable(`Bytes follow the end of the ${encoding} body.`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(limitBytes);
    return undecodable(`The body is not valid ${encoding}.`);
  }
}

interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

// RFC 9659: a decoder of this content coding needs to support windows of up to 8 MiB, and no more.
const ZSTD_WINDOW_LOG_MAX = 23;

const DECOMPRESS = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync, zstd: zstdDecompressSync };

function inflated(raw: Buffer, encoding: Exclude<Encoding, 'identity'>, limitBytes: number): Inflated {
  const params = encoding === 'zstd' ? { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX } : undefined;
  const options = { info: true, maxOutputLength: limitBytes, ...(params === undefined ? {} : { params }) };
  // With `info` it returns the buffer and the engine, which the types do not say.
  return DECOMPRESS[encoding](raw, options) as unknown as Inflated;
}

/**
 * How many bytes may come in: incompressible bytes grow when compressed, by less than this in every encoder (stored
 * blocks of 5 bytes each, head and tail).
 */
function rawLimit(encoding: Encoding, limitBytes: number): number {
  return encoding === 'identity' ? limitBytes : limitBytes + (limitBytes >> 3) + 1_024;
}

function encodingOf(headers: IncomingHttpHeaders): Encoding | undefined {
  const given = headers['content-encoding'];
  if (given === undefined) return 'identity';
  const name = given.toLowerCase();
  // RFC 9110, 8.4.1.3. There is no such name for another encoding that is known here.
  if (name === 'x-gzip') return 'gzip';
  return CONTENT_ENCODINGS.find((encoding) => encoding === name);
}

const JSON_TYPE =
  /^application\/json[ \t]*((?:;[ \t]*[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"[^"]*")[ \t]*)*(?:;[ \t]*)?)$/i;
const CHARSET = /;[ \t]*charset=(?:"([^"]*)"|([^;\s]*))/gi;

function isJsonType(type: string | undefined): boolean {
  const parameters = JSON_TYPE.exec(type ?? '')?.[1];
  if (parameters === undefined) return false;
  return [...parameters.matchAll(CHARSET)].every(([, quoted, plain]) => /^utf-?8$/i.test(quoted ?? plain ?? ''));
}

function tooLarge(limitBytes: number): Refusal {
  const detail = `The body is over ${limitBytes} bytes, which is the most that this path takes (decompressed).`;
  return { refused: 'too-large', detail, limitBytes };
}

function undecodable(detail: string): Refusal {
  return { refused: 'undecodable-body', detail };
}
