import type { AnalyticsReader, QueryLimits } from '../../stores/analytics/analytics-store.ts';
import type { SavedAudience } from '../../audience/saved/audience-store.ts';
import { compileMembers } from '../../audience/sql/compile-members.ts';
import { definitionOf } from '../../audience/saved/audience-scheduler.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { isHex } from '../../messages/hex.ts';
import type { Micros } from '../../messages/message.ts';
import { EARLIEST, formatMicros, parseTimestamp } from '../../messages/timestamp.ts';
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
import { ndjsonAnswer } from '../ndjson.ts';
import { type QueryRequest, type Checked, refuseParameter, single } from '../query.ts';
import { readTimeParameter } from './past.ts';
import { findAudience, NO_AUDIENCE, readCursor, type SavedAudienceParts } from './saved.ts';

export interface StreamParts extends Pick<SavedAudienceParts, 'saved'> {
  readonly analytics: Pick<AnalyticsReader, 'stream' | 'audienceChanges' | 'finalizedAt'>;
  readonly limitsOf: (project: Project) => QueryLimits;
  readonly nowMs?: () => number;
}

/** `GET /v1/audiences/:id/members` */
export async function answerMembers(parts: StreamParts, call: QueryRequest): Promise<Answer | Refusal> {
  const audience = await findAudience(parts, call);
  if (audience === undefined) return NO_AUDIENCE;
  const asked = readStreamQuery(call.query, decodeMembersCursor);
  if (!asked.ok) return asked.refusal;
  const { limit, after, cursor } = asked.value;
  if (cursor !== undefined && cursor.audienceId !== audience.id) return FOREIGN_CURSOR;
  if (cursor !== undefined && cursor.version !== audience.version) return CHANGED;
  if (after !== undefined && cursor === undefined) return AFTER_WHAT;
  const place = { ...(cursor ?? beginning(audience, parts)), ...(after !== undefined && { after }) };
  const { project } = call;
  const query = compileMembers(definitionOf(audience, project), { projectId: project.id, ...place, limit });
  const lines = await parts.analytics.stream(query, parts.limitsOf(project));
  return ndjsonAnswer(lines, {
    counts: limit !== null,
    end: (ending) => {
      if (ending.lines !== limit) return { next_cursor: null };
      const { internal_id: last } = JSON.parse(ending.lastLine) as { internal_id: string };
      return { next_cursor: encodeMembersCursor({ ...place, after: userNumberOf(last) }) };
    },
    headers: { 'Tidemark-Cursor': encodeMembersCursor(place) },
  });
}

/** `GET /v1/audiences/:id/changes` */
export async function answerChanges(parts: StreamParts, call: QueryRequest): Promise<Answer | Refusal> {
  const request = await readChangesRequest(parts, call);
  return 'refused' in request ? request : changesAnswer(parts, call.project, request);
}

/** The changes of an audience after a position. */
export interface ChangesRequest extends Omit<ChangesCursor, 'audienceId'> {
  readonly audience: SavedAudience;
  readonly limit: number | null;
}

export async function readChangesRequest(parts: StreamParts, call: QueryRequest): Promise<ChangesRequest | Refusal> {
  const audience = await findAudience(parts, call);
  if (audience === undefined) return NO_AUDIENCE;
  const query = readStreamQuery(call.query, decodeChangesCursor);
  if (!query.ok) return query.refusal;
  const since = single(call.query, 'since', (text) => readTimeParameter('since', text, call.project.timezone));
  if (!since.ok) return since.refusal;
  const { limit, after, cursor } = query.value;
  if (cursor !== undefined && cursor.audienceId !== audience.id) return FOREIGN_CURSOR;
  if (cursor !== undefined && (since.value !== undefined || after !== undefined)) return EITHER;
  if (after !== undefined && since.value === undefined) return AFTER_WHEN;
  const { at, after: user } = cursor ?? { at: since.value ?? EARLIEST, after: after ?? BEHIND_ALL };
  return { audience, at, after: user, limit };
}

export async function changesAnswer(
  { analytics, limitsOf }: Pick<StreamParts, 'analytics' | 'limitsOf'>,
  project: Project,
  request: ChangesRequest,
): Promise<Answer> {
  const { audience, at, after: user, limit } = request;
  const names = { projectId: project.id, audienceId: audience.id };
  const until = await analytics.finalizedAt(project.id, audience.id);
  const query = { ...names, after: { at, user }, until: until ?? EARLIEST, limit };
  return linesOfChanges(await analytics.audienceChanges(query, limitsOf(project)), request, until);
}

/** Streams changes. @param until The last evaluation that they may be of. */
export function linesOfChanges(
  lines: AsyncIterable<Uint8Array>,
  { audience, limit }: Pick<ChangesRequest, 'audience' | 'limit'>,
  until: Micros | null,
): Answer {
  const through = until === null ? null : formatMicros(until);
  return ndjsonAnswer(lines, {
    counts: limit !== null,
    end: (ending) => {
      if (ending.lines !== limit) return { next_cursor: null, through };
      const last = JSON.parse(ending.lastLine) as { internal_id: string; at: string };
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
  return { audienceId: id, version, now: BigInt(Math.floor(nowMs())) * 1000n, after: BEFORE_ALL };
}

interface StreamQuery<T> {
  readonly limit: number | null;
  readonly after: bigint | undefined;
  readonly cursor: T | undefined;
}

function readStreamQuery<T>(query: URLSearchParams, decode: (text: string) => T | undefined): Checked<StreamQuery<T>> {
  const limit = single(query, 'limit', readStreamLimit);
  if (!limit.ok) return limit;
  const after = single(query, 'after', readInternalId);
  if (!after.ok) return after;
  const cursor = single(query, 'cursor', (text) => readCursor(text, decode));
  if (!cursor.ok) return cursor;
  return { ok: true, value: { limit: limit.value, after: after.value, cursor: cursor.value } };
}

/** The most lines; without a limit, all. */
function readStreamLimit(text: string | undefined): Checked<number | null> {
  if (text === undefined) return { ok: true, value: null };
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return limit > 0 ? { ok: true, value: limit } : refuseParameter('limit', 'is a whole number from 1 to 999999999');
}

function readInternalId(text: string | undefined): Checked<bigint | undefined> {
  if (text === undefined) return { ok: true, value: undefined };
  if (!isHex(text, 64)) return refuseParameter('after', 'is not an internal id');
  return { ok: true, value: userNumberOf(text) };
}

function microsOf(time: string): Micros {
  const read = parseTimestamp(time, 'UTC');
  if (!read.ok) throw new Error(`not a time of ours: ${time}`);
  return read.micros;
}
