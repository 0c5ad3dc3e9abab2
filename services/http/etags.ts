import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Call } from './call.ts';
import type { Refusal } from './problems.ts';
import type { Answer } from './route.ts';

const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
/** One entity tag or more, with a comma between two (RFC 9110, 8.8.3 and 5.6.1). */
const LIST = new RegExp(String.raw`^[ \t,]*${TAG}(?:[ \t]*,[ \t,]*${TAG})*[ \t,]*$`);
/** A tag that `etagOf` may have made: a whole number that JavaScript holds exactly. A weak one never matches (13.1.1). */
const OWN_TAG = /(?<!W\/)"(0|[1-9]\d{0,14})"/g;

/**
 * The versions that the caller may have seen last (`If-Match: "7"`): the change is to be refused 412 where the object has
 * none of them. `*` is `'any'`: the object must exist. Undefined where the header is absent.
 */
export function readIfMatch({ headers }: Pick<Call, 'headers'>): readonly number[] | 'any' | undefined | Refusal {
  const given = headers['if-match']?.trim();
  if (given === undefined) return undefined;
  if (given === '*') return 'any';
  if (!LIST.test(given)) return NO_TAGS;
  return given
    .matchAll(OWN_TAG)
    .map(([, version]) => Number(version))
    .toArray();
}

/** As `If-Match` takes it back. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

const NO_TAGS: Refusal = {
  refused: 'invalid-parameter',
  detail: 'If-Match takes ETags of answers, such as "7" or "7", "8", or *',
};

// 132 bits.
const ETAG_CHARS = 22;

/**
 * An answer that may be kept, and is asked for again with its ETag each time: 304 where the caller has it (RFC 9110,
 * 13.1.2). The ETag is the same in every process.
 */
export function revalidated({ headers }: Pick<Call, 'headers'>, answer: Answer | Refusal): Answer | Refusal {
  if ('refused' in answer || answer.body instanceof Readable) return answer;
  const etag = `"${hash('sha256', answer.body, 'base64url').slice(0, ETAG_CHARS)}"`;
  const kept = { ...answer, headers: { ...answer.headers, ETag: etag, 'Cache-Control': 'no-cache' } };
  const given = headers['if-none-match'] ?? '';
  // No other tag contains this one, and a weak one counts here.
  return given.trim() === '*' || given.includes(etag) ? { ...kept, status: 304, body: '' } : kept;
}
