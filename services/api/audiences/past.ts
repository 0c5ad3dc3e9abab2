/** What a saved audience was before: its definitions, and its size at every evaluation. */
import type { AudienceVersion, LastEvaluation } from '../../questions/saved/audience-store.ts';
import { type AudienceNames, namesReferredTo } from '../../questions/saved/references.ts';
import type { SqlAudienceStore } from '../../questions/saved/sql-audience-store.ts';
import type { Refusal } from '../../http/problems.ts';
import { mapYielding } from '../../runtime/event-loop-yielder.ts';
import type { Answer } from '../../http/route.ts';
import type { Micros } from '../../messages/message.ts';
import { formatMicros, formatMs } from '../../messages/timestamp.ts';
import type { Input } from '../input.ts';
import { given, pageAnswer, pageFrom, type QueryRequest, readCursor, readRange, refuseParameter } from '../query.ts';
import { definitionJson } from './audience-json.ts';
import { decodeHistoryCursor, decodeVersionsCursor, encodeHistoryCursor, encodeVersionsCursor } from './cursor.ts';
import { findAudience, NO_AUDIENCE } from './saved.ts';

export interface PastParts {
  readonly saved: Pick<SqlAudienceStore, 'find' | 'findAll' | 'versions' | 'evaluations'>;
}

/** `GET /v1/audiences/:id/versions` */
export async function answerVersions(
  { saved }: PastParts,
  call: QueryRequest,
  { limit, cursor: text }: Input<'GET /v1/audiences/{id}/versions'>['query'],
): Promise<Answer | Refusal> {
  const position = readCursor(text, decodeVersionsCursor);
  if (!position.ok) return position.refusal;
  const cursor = position.value;
  const audience = await findAudience({ saved }, call);
  if (audience === undefined) return NO_AUDIENCE;
  if (cursor !== undefined && cursor.audienceId !== audience.id) return FOREIGN_CURSOR;
  const found = await saved.versions(call.project.id, audience.id, limit + 1, cursor?.version);
  const cursorOf = ({ version }: AudienceVersion) => encodeVersionsCursor({ audienceId: audience.id, version });
  const { items, next } = pageFrom(found, limit, cursorOf);
  const names = await namesReferredTo(saved, call.project.id, items);
  const versions = await mapYielding(items, (version) => versionJson(version, call.project, names));
  return pageAnswer('versions', { items: versions, next });
}

/** `GET /v1/audiences/:id/history` */
export async function answerHistory(
  { saved }: PastParts,
  call: QueryRequest,
  { limit, per, ...rest }: Input<'GET /v1/audiences/{id}/history'>['query'],
): Promise<Answer | Refusal> {
  const { id: projectId, timezone } = call.project;
  const cursor = readCursor(rest.cursor, decodeHistoryCursor);
  if (!cursor.ok) return cursor.refusal;
  const range = readRange(rest, timezone);
  if (!range.ok) return range.refusal;
  const audience = await findAudience({ saved }, call);
  if (audience === undefined) return NO_AUDIENCE;
  if (cursor.value !== undefined && cursor.value.audienceId !== audience.id) return FOREIGN_CURSOR;
  const perMicros = per && PERIODS[per];
  const { since, until } = range.value;
  const before = earlier(until, cursor.value?.before);
  const wanted = { limit: limit + 1, ...given({ since, before, perMicros }) };
  const found = await saved.evaluations(projectId, audience.id, wanted);
  // The entry of a period stands for all of its evaluations: the next page begins before the period.
  const cursorOf = ({ at }: LastEvaluation) =>
    encodeHistoryCursor({ audienceId: audience.id, before: at - (at % (perMicros ?? 1n)) });
  const { items, next } = pageFrom(found, limit, cursorOf);
  return pageAnswer('history', { items: items.map(entryJson), next });
}

const FOREIGN_CURSOR = refuseParameter('cursor', 'is that of another audience').refusal;

function versionJson(saved: AudienceVersion, project: QueryRequest['project'], names: AudienceNames): string {
  const { version, changedAtMs, changedBy, changedByName } = saved;
  const changed = {
    changed_at: changedAtMs === null ? null : formatMs(changedAtMs),
    changed_by: changedBy,
    changed_by_name: changedByName,
  };
  return `{"version":${version},${definitionJson(saved, project, names)},${JSON.stringify(changed).slice(1)}`;
}

function entryJson({ at, version, cause, members: count, entered, left }: LastEvaluation): string {
  return JSON.stringify({ at: formatMicros(at), version, cause, count, entered, left });
}

const PERIODS = { hour: 3_600_000_000n, day: 86_400_000_000n } as const;

function earlier(one: Micros | undefined, other: Micros | undefined): Micros | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}
