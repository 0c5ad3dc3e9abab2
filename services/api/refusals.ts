import type { Route } from '../http/route.ts';
import type { Answer } from '../../schemas/operations.ts';
import { formatMs } from '../messages/timestamp.ts';
import { type ListedRefusals, NO_PROJECT_ID, type RefusalCursor } from '../stores/service-state/refusal-store.ts';
import type { SqlRefusalStore } from '../stores/service-state/sql-refusal-store.ts';
import { route } from './input.ts';
import { pageFrom, readCursor } from './query.ts';
import { type Limited, READ } from './route-parts.ts';

export interface RefusalParts {
  readonly refusals: SqlRefusalStore;
}

export function refusalsRoute({ refusals }: RefusalParts, pages: Limited): Route {
  const how = { ...READ, ...pages, isProjectOptional: true };
  return route('GET /v1/refusals', how, async ({ projectId }, { query: { limit, cursor } }) => {
    const after = readCursor(cursor, decodeRefusalCursor);
    if (!after.ok) return after.refusal;
    const found = await refusals.list(projectId ?? NO_PROJECT_ID, limit + 1, after.value);
    const { items, next } = pageFrom(found, limit, encodeRefusalCursor);
    return { status: 200, body: JSON.stringify({ refusals: items.map(refusalAnswer), next_cursor: next }) };
  });
}

export function refusalAnswer(listed: ListedRefusals): Answer<'GET /v1/refusals'>['refusals'][number] {
  const { keyId, path, code, pointer, message, count, firstAtMs, lastAtMs, example, userAgent, keyName } = listed;
  return {
    key_id: keyId === '' ? null : keyId,
    key_name: keyName,
    path: path === '' ? null : path,
    code,
    pointer,
    message,
    count,
    first: formatMs(firstAtMs),
    last: formatMs(lastAtMs),
    example,
    user_agent: userAgent,
  };
}

/** base64url of the time, in eight bytes, and of the group's id, in sixteen. */
function encodeRefusalCursor({ lastAtMs, id }: RefusalCursor): string {
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(lastAtMs));
  return Buffer.concat([time, Buffer.from(id, 'hex')]).toString('base64url');
}

function decodeRefusalCursor(text: string): RefusalCursor | undefined {
  const bytes = Buffer.from(text.slice(0, 64), 'base64url');
  const isCursor = text.length === 32 && bytes.length === 24 && bytes.toString('base64url') === text;
  const lastAtMs = isCursor ? Number(bytes.readBigUInt64BE()) : Infinity;
  return lastAtMs <= Number.MAX_SAFE_INTEGER ? { lastAtMs, id: bytes.toString('hex', 8) } : undefined;
}
