import type { AnalyticsParts } from '../../questions/query-budget.ts';
import type { SavedAudience } from '../../questions/saved/audience-store.ts';
import { compileMembers } from '../../questions/sql/compile-members.ts';
import { readableChanges, readableUntil } from '../../questions/saved/readable-history.ts';
import { definitionOf } from '../../questions/saved/references.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { Micros } from '../../messages/message.ts';
import { EARLIEST, formatMicros, microsAt, parseTimestamp } from '../../messages/timestamp.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import {
  BEFORE_ALL,
  BEHIND_ALL,
  type ChangesCursor,
  decodeChangesCursor,
  decodeMembersCursor,
  encodeChangesCursor,
  encodeMembersCursor,
  type MembersCursor,
  userNumberOf,
} from './cursor.ts';
import { CountedLines, type Ending } from '../ndjson.ts';
import { type QueryRequest, readCursor, readTime, refuseParameter } from '../query.ts';
import { refuseTimes, TIME_COLUMNS, withTimes } from './member-times.ts';
import { readOfAudience, type SavedAudienceParts } from './saved.ts';
import { readUserForm, type TraitsParts, type UserForm, usersAnswer } from './user-lines.ts';

export interface StreamParts extends Pick<SavedAudienceParts, 'saved'>, AnalyticsParts, TraitsParts {
  readonly nowMs?: () => number;
}

/** `GET /v1/audiences/:id/members` */
export async function answerMembers(parts: StreamParts, call: QueryRequest): Promise<Answer | Refusal> {
  const found = await readOfAudience('GET /v1/audiences/{id}/members', parts, call);
  if ('refused' in found) return found;
  const { audience, query: given } = found;
  const { limit = null, times } = given;
  const form = readUserForm(given);
  if (!form.ok) return form.refusal;
  const refusal = times ? refuseTimes(limit) : undefined;
  if (refusal !== undefined) return refusal;
  const from = membersFrom(parts, audience, given);
  if ('refused' in from) return from;
  const { project } = call;
  const definition = await definitionOf(parts.saved, audience, project);
  const query = compileMembers(definition, { projectId: project.id, joins: project.joinIds, ...from, limit });
  const { lines, ending } = countedWhere(limit !== null, await parts.analytics.stream(query, parts.limitsOf(project)));
  const timed = times ? await withTimes(parts, lines, { audience, definition, project, now: from.now }) : lines;
  return usersAnswer(timed, form.value, {
    profiles: parts.profiles,
    projectId: project.id,
    columns: times ? [...ID_COLUMNS, ...TIME_COLUMNS] : ID_COLUMNS,
    end: () => {
      const { lines: count, lastLine } = ending();
      if (count !== limit) return { next_cursor: null };
      const { internal_id: last } = JSON.parse(lastLine) as { internal_id: string };
      return { next_cursor: encodeMembersCursor({ ...from, after: userNumberOf(last) }) };
    },
    headers: { 'Tidemark-Cursor': encodeMembersCursor(from) },
  });
}

/** Where the members begin: at a cursor, or after a user of its stream. */
function membersFrom(
  parts: StreamParts,
  audience: SavedAudience,
  given: { readonly cursor?: string; readonly after?: string },
): MembersCursor | Refusal {
  const after = numberIn(given.after);
  const position = readCursor(given.cursor, decodeMembersCursor);
  if (!position.ok) return position.refusal;
  const cursor = position.value;
  if (cursor !== undefined && cursor.audienceId !== audience.id) return FOREIGN_CURSOR;
  if (cursor !== undefined && cursor.version !== audience.version) return CHANGED;
  if (after !== undefined && cursor === undefined) return AFTER_WHAT;
  return { ...(cursor ?? beginning(audience, parts)), ...(after !== undefined && { after }) };
}

const ID_COLUMNS = ['user_id', 'anonymous_id', 'internal_id'];
const CHANGE_COLUMNS = [...ID_COLUMNS, 'change', 'at', 'version', 'cause', 'person'];

/** The lines of a stream, counted only where somebody looks at the count. */
function countedWhere(counts: boolean, lines: AsyncIterable<Uint8Array>) {
  if (!counts) return { lines, ending: () => NOT_COUNTED };
  const counted = new CountedLines(lines);
  return { lines: counted, ending: () => counted.ending() };
}

const NOT_COUNTED: Ending = { lines: 0, lastLine: '' };

/** The changes of an audience after a position. */
export interface ChangesRequest extends Omit<ChangesCursor, 'audienceId'> {
  readonly audience: SavedAudience;
  readonly limit: number | null;
  readonly form: UserForm;
  readonly waitMs: number;
}

export async function readChangesRequest(parts: StreamParts, call: QueryRequest): Promise<ChangesRequest | Refusal> {
  const found = await readOfAudience('GET /v1/audiences/{id}/changes', parts, call);
  if ('refused' in found) return found;
  const { audience, query } = found;
  const position = readCursor(query.cursor, decodeChangesCursor);
  if (!position.ok) return position.refusal;
  const since = readTime('since', query.since, call.project.timezone);
  if (!since.ok) return since.refusal;
  const form = readUserForm(query);
  if (!form.ok) return form.refusal;
  const { limit = null, wait } = query;
  const from = positionOf(audience, position.value, since.value, numberIn(query.after));
  return 'refused' in from ? from : { ...from, audience, limit, form: form.value, waitMs: wait * 1_000 };
}

/** Where the changes begin: at a cursor, or after a user of the evaluation at `since`. */
function positionOf(
  { id }: SavedAudience,
  cursor: ChangesCursor | undefined,
  since: Micros | undefined,
  after: bigint | undefined,
): Omit<ChangesCursor, 'audienceId'> | Refusal {
  if (cursor === undefined) {
    if (after !== undefined && since === undefined) return AFTER_WHEN;
    return { at: since ?? EARLIEST, after: after ?? BEHIND_ALL };
  }
  if (cursor.audienceId !== id) return FOREIGN_CURSOR;
  return since === undefined && after === undefined ? { at: cursor.at, after: cursor.after } : EITHER;
}

function numberIn(internalId: string | undefined): bigint | undefined {
  return internalId === undefined ? undefined : userNumberOf(internalId);
}

export async function changesAnswer(parts: StreamParts, project: Project, request: ChangesRequest): Promise<Answer> {
  const until = await readableUntil(parts, project.id, request.audience.id);
  return linesOfChanges(parts, await changesWanted(parts, project, request, until ?? EARLIEST), request, until);
}

/** The changes that are asked for, up to `until`. */
export function changesWanted(
  parts: StreamParts,
  project: Project,
  { audience, at, after: user, limit }: Pick<ChangesRequest, 'audience' | 'at' | 'after' | 'limit'>,
  until: Micros,
): Promise<AsyncIterable<Uint8Array>> {
  const query = { projectId: audience.projectId, audienceId: audience.id, after: { at, user }, until, limit };
  return readableChanges(parts, query, parts.limitsOf(project));
}

/** Streams changes. @param until The last evaluation that they may be of. */
export function linesOfChanges(
  { profiles }: TraitsParts,
  found: AsyncIterable<Uint8Array>,
  { audience, limit, form }: Pick<ChangesRequest, 'audience' | 'limit' | 'form'>,
  until: Micros | null,
): Promise<Answer> {
  const through = until === null ? null : formatMicros(until);
  const { lines, ending } = countedWhere(limit !== null, found);
  return usersAnswer(lines, form, {
    profiles,
    projectId: audience.projectId,
    columns: CHANGE_COLUMNS,
    end: () => {
      const { lines: count, lastLine } = ending();
      if (count !== limit) return { next_cursor: null, through };
      const last = JSON.parse(lastLine) as { internal_id: string; at: string };
      const cursor = { audienceId: audience.id, at: microsOf(last.at), after: userNumberOf(last.internal_id) };
      return { next_cursor: encodeChangesCursor(cursor), through: last.at };
    },
  });
}

const FOREIGN_CURSOR = refuseParameter('cursor', 'is that of another audience').refusal;
const AFTER_WHAT = refuseParameter('after', 'goes with the cursor of the stream that it continues').refusal;
const AFTER_WHEN = refuseParameter('after', 'goes with the since of the change that it names').refusal;
const EITHER = refuseParameter('cursor', 'stands in place of since and after').refusal;

const CHANGED: Refusal = {
  refused: 'conflict',
  detail: 'The definition was changed since this cursor was given. Begin again without one.',
};

function beginning({ id, version }: SavedAudience, { nowMs = Date.now }: StreamParts): MembersCursor {
  return { audienceId: id, version, now: microsAt(nowMs()), after: BEFORE_ALL };
}

function microsOf(time: string): Micros {
  const read = parseTimestamp(time, 'UTC');
  if (!read.ok) throw new Error(`not a time of ours: ${time}`);
  return read.micros;
}
