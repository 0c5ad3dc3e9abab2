/** The user whom a request names, in its path or by a parameter. */
import { isHex } from '../../messages/hex.ts';
import { anonymousKeyOf, userKeyOf } from '../../messages/user-key.ts';
import { type Checked, type QueryRequest, readIfGiven, readName, refuseParameter, single } from '../query.ts';

type IdKind = 'user_id' | 'anonymous_id' | 'internal_id';

const ID_KINDS: readonly string[] = ['user_id', 'anonymous_id', 'internal_id'] satisfies readonly IdKind[];

/** The internal id of the user that the path names: by `user_id` or, with `by`, by another of a user's ids. */
export function readNamedUser({ project, params, query }: QueryRequest): Checked<string> {
  const by = single(query, 'by', readIdKind);
  if (!by.ok) return by;
  const id = params['user_id'] ?? '';
  if (by.value === 'internal_id') return readInternalId('user_id', id);
  const name = readName('user_id', id);
  if (!name.ok) return name;
  const keyOf = by.value === 'user_id' ? userKeyOf : anonymousKeyOf;
  return { ok: true, value: keyOf(project.id, name.value) };
}

/** The parameter of `readNamedUser`. */
export const BY = 'by';

function readIdKind(text = 'user_id'): Checked<IdKind> {
  const isKind = ID_KINDS.includes(text);
  return isKind ? { ok: true, value: text as IdKind } : refuseParameter(BY, `is not one of ${ID_KINDS.join(', ')}`);
}

/** An id other than the caller's: exactly one of them is given. */
export interface OtherId {
  readonly anonymousId?: string;
  readonly internalId?: string;
}

/** The one of `anonymous_id` and `internal_id` that is given. */
export function readOtherId(query: URLSearchParams): Checked<OtherId> {
  const anonymousId = single(query, 'anonymous_id', (text) => readIfGiven(text, (id) => readName('anonymous_id', id)));
  if (!anonymousId.ok) return anonymousId;
  const internalId = single(query, 'internal_id', (text) =>
    readIfGiven(text, (id) => readInternalId('internal_id', id)),
  );
  if (!internalId.ok) return internalId;
  if ((anonymousId.value === undefined) === (internalId.value === undefined))
    return refuseParameter('anonymous_id', 'or internal_id is needed, and only one of them');
  if (anonymousId.value !== undefined) return { ok: true, value: { anonymousId: anonymousId.value } };
  return { ok: true, value: { internalId: internalId.value ?? '' } };
}

/** The internal id of the user known by this id alone. */
export function userKeyIn(projectId: string, { anonymousId, internalId }: OtherId): string {
  return internalId ?? anonymousKeyOf(projectId, anonymousId ?? '');
}

function readInternalId(name: string, text: string): Checked<string> {
  return isHex(text, 64) ? { ok: true, value: text } : refuseParameter(name, 'is not 64 hexadecimal digits');
}
