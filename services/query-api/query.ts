import type { Call } from '../http/call.ts';
import { invalid, type Refusal } from '../http/problems.ts';
import type { Micros, Problem } from '../messages/message.ts';
import { parseTimestamp } from '../messages/timestamp.ts';

/** A request for data, over HTTP or as a command. */
export type QueryRequest = Pick<Call, 'project' | 'params' | 'query' | 'text'>;

/** A value that a caller sent, or why it is refused. */
export type Checked<T> = { readonly ok: true; readonly value: T } | Refused;

interface Refused {
  readonly ok: false;
  readonly refusal: Refusal;
}

/** The longest user id and name of an event, in code points. */
const MAX_NAME_LENGTH = 512;

export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 1_000;
const MAX_WAIT_S = 30;

/** Refuses an invalid parameter. @param name As in the URL, so that the caller finds it. */
export function refuseParameter(name: string, message: string): Refused {
  return { ok: false, refusal: { refused: 'invalid-parameter', detail: `${name} ${message}` } };
}

/** The refusal of a body with these problems. */
export function refuseBody(problems: readonly Problem[]): Refused {
  return { ok: false, refusal: invalid('invalid-body', problems) };
}

/** Reads the one value of a query parameter, undefined if absent. Refuses a parameter that is given twice. */
export function single<T>(
  query: URLSearchParams,
  name: string,
  read: (text: string | undefined) => Checked<T>,
): Checked<T> {
  const values = query.getAll(name);
  return values.length > 1 ? refuseParameter(name, 'may be given once only') : read(values[0]);
}

/** Reads a value that may be left out. */
export function readIfGiven<T>(text: string | undefined, read: (text: string) => Checked<T>): Checked<T | undefined> {
  return text === undefined ? { ok: true, value: undefined } : read(text);
}

/** A user id or the name of an event: what ingest would have taken as one. */
export function readName(name: string, text: string): Checked<string> {
  // A character is one or two UTF-16 units, so most need no counting.
  const length = text.length > MAX_NAME_LENGTH ? Array.from(text).length : text.length;
  if (length < 1 || length > MAX_NAME_LENGTH) return refuseParameter(name, `takes 1 to ${MAX_NAME_LENGTH} characters`);
  return text.includes('\0') ? refuseParameter(name, 'holds a NUL character') : { ok: true, value: text };
}

/** Whether ingest would have taken it as a user id or the name of an event. */
export function isName(text: string): boolean {
  // A character is one or two UTF-16 units, so most need no counting.
  const length = text.length > MAX_NAME_LENGTH ? Array.from(text).length : text.length;
  return length >= 1 && length <= MAX_NAME_LENGTH && !text.includes('\0');
}

/** A position that this service gave, undefined if absent. */
export function readCursor<T>(
  text: string | undefined,
  decode: (text: string) => T | undefined,
  refused = 'was not given by this service',
): Checked<T | undefined> {
  const place = text === undefined ? undefined : decode(text);
  return text !== undefined && place === undefined ? refuseParameter('cursor', refused) : { ok: true, value: place };
}

/** A time, without an offset in this time zone; undefined if absent. */
export function readTime(name: string, text: string | undefined, timezone: string): Checked<Micros | undefined> {
  if (text === undefined) return { ok: true, value: undefined };
  const read = parseTimestamp(text, timezone);
  return read.ok ? { ok: true, value: read.micros } : refuseParameter(name, read.message);
}

/** The parameters `since` and `until`, those that are there. */
export function readRange(
  { since, until }: { readonly since?: string; readonly until?: string },
  timezone: string,
): Checked<{ readonly since?: Micros; readonly until?: Micros }> {
  const from = readTime('since', since, timezone);
  if (!from.ok) return from;
  const to = readTime('until', until, timezone);
  return to.ok ? { ok: true, value: given({ since: from.value, until: to.value }) } : to;
}

/** The members that are not undefined. */
export function given<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** How many entries a page has at most. */
export function readLimit(text: string | undefined): Checked<number> {
  if (text === undefined) return { ok: true, value: DEFAULT_LIMIT };
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LIMIT) return refuseParameter('limit', `is a whole number from 1 to ${MAX_LIMIT}`);
  return { ok: true, value: limit };
}

/** Seconds to wait, as milliseconds. */
export function readWait(text: string | undefined): Checked<number> {
  if (text === undefined) return { ok: true, value: 0 };
  const seconds = /^\d{1,2}(\.\d{1,3})?$/.test(text) ? Number(text) : Infinity;
  if (seconds > MAX_WAIT_S) return refuseParameter('wait', `is a number of seconds from 0 to ${MAX_WAIT_S}`);
  return { ok: true, value: Math.round(seconds * 1_000) };
}

/** A page of a list that is there whole, newest first. The cursor is the id of the last before it. */
export function pageOf<T>(
  all: readonly T[],
  query: URLSearchParams,
  idOf: (item: T) => string,
): Checked<{ readonly items: readonly T[]; readonly next: string | null }> {
  const limit = single(query, 'limit', readLimit);
  if (!limit.ok) return limit;
  const cursor = query.get('cursor');
  const after = cursor === null ? -1 : all.findIndex((item) => encodeId(idOf(item)) === cursor);
  if (cursor !== null && after === -1) return refuseParameter('cursor', 'is not one that this service gave');
  const items = all.slice(after + 1, after + 1 + limit.value);
  const last = items.at(-1);
  const hasMore = after + 1 + items.length < all.length;
  return { ok: true, value: { items, next: hasMore && last !== undefined ? encodeId(idOf(last)) : null } };
}

export function encodeId(id: string): string {
  return Buffer.from(id).toString('base64url');
}
