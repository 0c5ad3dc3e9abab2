import type { Call } from '../http/call.ts';
import { invalid, type Refusal } from '../http/problems.ts';
import type { CompileOptions } from '../questions/sql/compile.ts';
import type { Micros, Problem } from '../messages/message.ts';
import { microsAt, parseTimestamp } from '../messages/timestamp.ts';
import type { Project } from '../stores/projects/project-store.ts';

/** A request for data, over HTTP or as a command. */
export type QueryRequest = Pick<Call, 'project' | 'projectId' | 'params' | 'query' | 'text'>;

/** The project, now, which relative times count back from, and whether ids are joined. */
export function contextOf({ id, joinIds }: Project): CompileOptions {
  return { projectId: id, now: microsAt(Date.now()), joins: joinIds };
}

/** A value that a caller sent, or why it is refused. */
export type Checked<T> = { readonly ok: true; readonly value: T } | Refused;

interface Refused {
  readonly ok: false;
  readonly refusal: Refusal;
}

/** Refuses an invalid parameter. @param name As in the URL, so that the caller finds it. */
export function refuseParameter(name: string, message: string): Refused {
  return { ok: false, refusal: { refused: 'invalid-parameter', detail: `${name} ${message}` } };
}

/** The refusal of a body with these problems. */
export function refuseBody(problems: readonly Problem[]): Refused {
  return { ok: false, refusal: invalid('invalid-body', problems) };
}

/** A position that this service gave, undefined if absent. */
export function readCursor<T>(
  text: string | undefined,
  decode: (text: string) => T | undefined,
  message = 'was not given by this service',
): Checked<T | undefined> {
  const position = text === undefined ? undefined : decode(text);
  return text !== undefined && position === undefined
    ? refuseParameter('cursor', message)
    : { ok: true, value: position };
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

/** Which part of a list is asked for. */
export interface Page {
  readonly limit: number;
  readonly cursor?: string;
}

/** What a page of a list has, and the cursor of the next; null where it is the last. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** A page of a list whose items are JSON text. @param before The members before it, each with a comma behind it. */
export function pageAnswer(name: string, { items, next }: ListPage<string>, before = '') {
  return { status: 200, body: `{${before}"${name}":[${items.join(',')}],"next_cursor":${JSON.stringify(next)}}` };
}

/** A page of a list, of which one more than its `limit` was asked for: that one tells whether there is another page. */
export function pageFrom<T>(found: readonly T[], limit: number, cursorOf: (last: T) => string): ListPage<T> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last !== undefined ? cursorOf(last) : null };
}

/** A page of a list that is there whole, newest first. The cursor is the id of the last before it. */
export function pageOf<T>(all: readonly T[], { limit, cursor }: Page, idOf: (item: T) => string): Checked<ListPage<T>> {
  const after = cursor === undefined ? -1 : all.findIndex((item) => encodeId(idOf(item)) === cursor);
  if (cursor !== undefined && after === -1) return refuseParameter('cursor', 'was not given by this service');
  return { ok: true, value: pageFrom(all.slice(after + 1), limit, (last) => encodeId(idOf(last))) };
}

export function encodeId(id: string): string {
  return Buffer.from(id).toString('base64url');
}
