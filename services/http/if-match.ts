import type { Call } from './call.ts';
import type { Refusal } from './problems.ts';

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
