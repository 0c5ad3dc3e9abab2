/** What people keep on the first page of the console, and notes on its charts. */
import { BODY_LIMIT_BYTES } from '../http/body-limits.ts';
import type { Refusal } from '../http/problems.ts';
import type { Route } from '../http/route.ts';
import { formatMicros, microsAt } from '../messages/timestamp.ts';
import { DAY_MICROS } from '../messages/day-and-hour.ts';
import type { SqlPinsAndNotes } from '../stores/service-state/sql-pins-and-notes.ts';
import { readBody, route } from './input.ts';
import { readRange, readTime, refuseParameter } from './query.ts';
import { READ } from './route-parts.ts';

export interface PinsAndNotesParts {
  readonly pinsAndNotes: SqlPinsAndNotes;
}

export function pinsAndNotesRoutes({ pinsAndNotes: kept }: PinsAndNotesParts): Route[] {
  return [...pinRoutes(kept), ...noteRoutes(kept)];
}

const CHANGE = { ...READ, scope: 'audiences' } as const;
const WRITE = { ...CHANGE, bodyLimitBytes: BODY_LIMIT_BYTES };

function pinRoutes(kept: SqlPinsAndNotes): Route[] {
  return [
    route('GET /v1/pins', READ, async ({ project }) => {
      return { status: 200, body: JSON.stringify({ pins: await kept.pins(project.id) }) };
    }),
    route('PUT /v1/pins/{name}', WRITE, async (call, { path: { name } }) => {
      const read = readBody('PUT /v1/pins/{name}', call);
      if (!read.ok) return read.refusal;
      if (isUnreadable(name)) return UNREADABLE_NAME;
      const pin = { name, address: read.value.body.address };
      await kept.pin(call.project.id, pin);
      const body = JSON.stringify(pin);
      return { status: 200, body, audit: { action: 'pin.save', object: name, after: body } };
    }),
    route('DELETE /v1/pins/{name}', CHANGE, async ({ project }, { path: { name } }) => {
      if (!(await kept.unpin(project.id, name))) return NO_PIN;
      const body = JSON.stringify({ name, deleted: true });
      return { status: 200, body, audit: { action: 'pin.delete', object: name } };
    }),
  ];
}

const NO_PIN: Refusal = { refused: 'not-found', detail: 'This project has no such pin.' };
export const UNREADABLE_NAME = refuseParameter(
  'name',
  'must be readable: no spaces around it, and no control characters',
).refusal;

export function isUnreadable(name: string): boolean {
  return name.trim() !== name || /\p{Cc}/u.test(name);
}

const LISTED_DAYS = 90n;

function noteRoutes(kept: SqlPinsAndNotes): Route[] {
  return [
    route('GET /v1/notes', READ, async ({ project }, { query }) => {
      const range = readRange(query, project.timezone);
      if (!range.ok) return range.refusal;
      const now = microsAt(Date.now());
      const { since = now - LISTED_DAYS * DAY_MICROS, until = now + 1n } = range.value;
      const notes = await kept.notes(project.id, since, until);
      const body = { notes: notes.map(({ at, ...note }) => ({ ...note, at: formatMicros(at) })) };
      return { status: 200, body: JSON.stringify(body) };
    }),
    route('POST /v1/notes', WRITE, async (call) => {
      const read = readBody('POST /v1/notes', call);
      if (!read.ok) return read.refusal;
      const { text } = read.value.body;
      const at = readTime('at', read.value.body.at, call.project.timezone);
      if (!at.ok) return at.refusal;
      if (at.value === undefined) return refuseParameter('at', 'is missing').refusal;
      const by = call.key?.id ?? null;
      const id = await kept.addNote(call.project.id, { at: at.value, text }, by);
      const body = JSON.stringify({ id, at: formatMicros(at.value), text });
      return { status: 201, body, audit: { action: 'note.save', object: id, after: body } };
    }),
    route('DELETE /v1/notes/{id}', CHANGE, async ({ project }, { path: { id } }) => {
      if (!(await kept.removeNote(project.id, id))) return NO_NOTE;
      return { status: 200, body: JSON.stringify({ id, deleted: true }), audit: { action: 'note.delete', object: id } };
    }),
  ];
}

const NO_NOTE: Refusal = { refused: 'not-found', detail: 'This project has no such note.' };
