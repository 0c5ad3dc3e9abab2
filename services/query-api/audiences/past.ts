/** What a saved audience was before: its definitions, and its size at every evaluation. */
import type { AudienceStore, AudienceVersion, LastEvaluation } from '../../audience/saved/audience-store.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { Micros } from '../../messages/message.ts';
import { formatMicros, parseTimestamp } from '../../messages/timestamp.ts';
import { type Checked, type QueryRequest, readLimit, refuseParameter, single } from '../query.ts';
import { instant } from './audience-json.ts';
import { decodeHistoryCursor, decodeVersionsCursor, encodeHistoryCursor, encodeVersionsCursor } from './cursor.ts';
import { findAudience, NO_AUDIENCE, readCursor } from './saved.ts';

export interface PastParts {
  readonly saved: Pick<AudienceStore, 'find' | 'versions' | 'evaluations'>;
}

export const VERSIONS_QUERY = ['limit', 'cursor'] as const;
export const HISTORY_QUERY = ['limit', 'cursor', 'since', 'until', 'per'] as const;

/** `GET /v1/audiences/:id/versions` */
export async function answerVersions({ saved }: PastParts, call: QueryRequest): Promise<Answer | Refusal> {
  const checked = readPage(call.query, decodeVersionsCursor);
  if (!checked.ok) return checked.refusal;
  const audience = await findAudience({ saved }, call);
  if (audience === undefined) return NO_AUDIENCE;
  const { limit, cursor } = checked.value;
  if (cursor !== undefined && cursor.audienceId !== audience.id) return FOREIGN_CURSOR;
  // One more than the page holds tells whether there is another.
  const found = await saved.versions(call.project.id, audience.id, limit + 1, cursor?.version);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const next = last && encodeVersionsCursor({ audienceId: audience.id, version: last.version });
  return pageAnswer('versions', page.map(versionJson), next);
}

/** `GET /v1/audiences/:id/history` */
export async function answerHistory({ saved }: PastParts, call: QueryRequest): Promise<Answer | Refusal> {
  const checked = readPage(call.query, decodeHistoryCursor);
  if (!checked.ok) return checked.refusal;
  const range = readRange(call);
  if (!range.ok) return range.refusal;
  const audience = await findAudience({ saved }, call);
  if (audience === undefined) return NO_AUDIENCE;
  const { limit, cursor } = checked.value;
  if (cursor !== undefined && cursor.audienceId !== audience.id) return FOREIGN_CURSOR;
  const { since, until, perMicros } = range.value;
  const before = earlier(until, cursor?.before);
  const found = await saved.evaluations(call.project.id, audience.id, {
    limit: limit + 1,
    ...(since !== undefined && { since }),
    ...(before !== undefined && { before }),
    ...(perMicros !== undefined && { perMicros }),
  });
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  // The entry of a period stands for all of its evaluations: the next page begins before the period.
  const next =
    last && encodeHistoryCursor({ audienceId: audience.id, before: last.at - (last.at % (perMicros ?? 1n)) });
  return pageAnswer('history', page.map(entryJson), next);
}

const FOREIGN_CURSOR = refuseParameter('cursor', 'is that of another audience').refusal;

function pageAnswer(name: string, entries: readonly string[], cursor: string | undefined): Answer {
  const body = `{"${name}":[${entries.join(',')}],"next_cursor":${JSON.stringify(cursor ?? null)}}`;
  return { status: 200, body };
}

/** The definition is JSON text already and goes in untouched, every digit kept. */
function versionJson({ version, definition, changedAtMs, changedBy }: AudienceVersion): string {
  const changed = { changed_at: changedAtMs === null ? null : instant(changedAtMs), changed_by: changedBy };
  return `{"version":${version},"definition":${definition},${JSON.stringify(changed).slice(1)}`;
}

function entryJson({ at, version, cause, members: count, entered, left }: LastEvaluation): string {
  return JSON.stringify({ at: formatMicros(at), version, cause, count, entered, left });
}

function readPage<T>(
  query: URLSearchParams,
  decode: (text: string) => T | undefined,
): Checked<{ readonly limit: number; readonly cursor: T | undefined }> {
  const limit = single(query, 'limit', readLimit);
  if (!limit.ok) return limit;
  const cursor = single(query, 'cursor', (text) => readCursor(text, decode));
  return cursor.ok ? { ok: true, value: { limit: limit.value, cursor: cursor.value } } : cursor;
}

interface Range {
  readonly since: Micros | undefined;
  readonly until: Micros | undefined;
  readonly perMicros: Micros | undefined;
}

function readRange({ query, project: { timezone } }: QueryRequest): Checked<Range> {
  const since = single(query, 'since', (text) => readTimeParameter('since', text, timezone));
  if (!since.ok) return since;
  const until = single(query, 'until', (text) => readTimeParameter('until', text, timezone));
  if (!until.ok) return until;
  const per = single(query, 'per', readPer);
  if (!per.ok) return per;
  return { ok: true, value: { since: since.value, until: until.value, perMicros: per.value } };
}

/** Reads a time, without an offset in the project's time zone; undefined if absent. */
export function readTimeParameter(
  name: string,
  text: string | undefined,
  timezone: string,
): Checked<Micros | undefined> {
  if (text === undefined) return { ok: true, value: undefined };
  const read = parseTimestamp(text, timezone);
  return read.ok ? { ok: true, value: read.micros } : refuseParameter(name, read.message);
}

const PERIODS: ReadonlyMap<string, Micros> = new Map([
  ['hour', 3_600_000_000n],
  ['day', 86_400_000_000n],
]);

function readPer(text: string | undefined): Checked<Micros | undefined> {
  const perMicros = text === undefined ? undefined : PERIODS.get(text);
  if (text !== undefined && perMicros === undefined) return refuseParameter('per', 'is hour or day');
  return { ok: true, value: perMicros };
}

function earlier(one: Micros | undefined, other: Micros | undefined): Micros | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}
