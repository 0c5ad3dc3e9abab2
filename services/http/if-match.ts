import type { Call } from './call.ts';
import type { Refusal } from './problems.ts';

/** The longest version that is a whole number that JavaScript holds exactly. */
const ETAG = /^"(\d{1,15})"$/;

/**
 * The version that the caller saw last (`If-Match: "7"`): the change is to be refused 412 where the object has another.
 * `*` is `'any'`: the object must exist. Undefined where the header is absent.
 */
export function readIfMatch({ headers }: Pick<Call, 'headers'>): number | 'any' | undefined | Refusal {
  const given = headers['if-match']?.trim();
  if (given === undefined) return undefined;
  if (given === '*') return 'any';
  const [, version] = ETAG.exec(given) ?? [];
  return version === undefined ? NOT_A_VERSION : Number(version);
}

/** As `If-Match` takes it back. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

const NOT_A_VERSION: Refusal = {
  refused: 'invalid-parameter',
  detail: 'If-Match takes the ETag of an answer, such as "7", or *',
};
