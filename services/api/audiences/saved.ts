import type { OperationName } from '../../../schemas/operations.ts';
import type { AnalyticsParts } from '../../questions/query-budget.ts';
import { readDefinition } from '../../questions/definition/definition.ts';
import type { AudienceScheduler } from '../../questions/saved/audience-scheduler.ts';
import type { ChangeTerms, NewAudience, SavedAudience } from '../../questions/saved/audience-store.ts';
import { consult, type QuestionParts } from '../../questions/saved/consult.ts';
import type { SqlAudienceStore } from '../../questions/saved/sql-audience-store.ts';
import type { Audience } from '../../questions/definition/audience.ts';
import type { Warning } from '../../questions/definition/reading.ts';
import { unseenIn, type WarningParts } from '../../questions/catalog/unseen.ts';
import type { Call } from '../../http/call.ts';
import { readIfMatch } from '../../http/etags.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { DAY_MICROS, HOUR_MICROS } from '../../messages/day-and-hour.ts';
import { toJsonText } from '../../messages/json.ts';
import type { Problem } from '../../messages/message.ts';
import { formatMicros, microsAt } from '../../messages/timestamp.ts';
import { audienceAnswer, audiencesJson, LIVE, parseRefresh, refreshOf } from './audience-json.ts';
import { decodeListCursor, encodeListCursor } from './cursor.ts';
import { type Input, type Members, readBody, readInput } from '../input.ts';
import { given, pageAnswer, pageFrom, type QueryRequest, readCursor, refuseBody, refuseParameter } from '../query.ts';

/** What the endpoints of saved audiences need. */
export interface SavedAudienceParts extends AnalyticsParts, WarningParts {
  readonly saved: SqlAudienceStore;
  readonly evaluator: Pick<AudienceScheduler, 'evaluate' | 'expectLive'>;
}

/** `POST /v1/audiences` */
export async function answerSave(parts: SavedAudienceParts, call: ChangeRequest): Promise<Answer | Refusal> {
  const { saved } = parts;
  const read = readBody('POST /v1/audiences', call, await settingsIn(parts, call));
  if (!read.ok) return read.refusal;
  const { settings } = read.value.also;
  // Before it is written: an answer that is waited for longer is lost more often, with a change that was made.
  const warnings = await warningsOf(parts, call, read.value.also);
  const made = { name: '', definition: '', refreshMs: null, ...settings };
  if (made.isLive === true) await parts.evaluator.expectLive();
  const audience = await saved.create(call.project.id, made, call.key?.id);
  const audit = { action: 'audience.save', object: audience.id, after: settingsJson(audience) };
  const headers = { Location: `/v1/audiences/${audience.id}` };
  return {
    ...(await audienceAnswer(saved, audience, call.project, { headers, warnings })),
    status: 201,
    audit,
  };
}

/** `GET /v1/audiences` */
export async function answerList(
  { saved }: SavedAudienceParts,
  { project }: QueryRequest,
  { limit, cursor, sizes: days, tag }: Input<'GET /v1/audiences'>['query'],
): Promise<Answer | Refusal> {
  const after = readCursor(cursor, decodeListCursor);
  if (!after.ok) return after.refusal;
  if (days !== undefined && limit > MOST_WITH_SIZES) return TOO_MANY_WITH_SIZES;
  const found = await saved.list(project.id, limit + 1, after.value, tag);
  const { items, next } = pageFrom(found, limit, encodeListCursor);
  const audiences = await audiencesJson(saved, items, project);
  const listed = days === undefined ? audiences : await withSizes({ saved }, items, audiences, days);
  return pageAnswer('audiences', { items: listed, next });
}

/** Each may have 192 sizes. */
const MOST_WITH_SIZES = 100;
const TOO_MANY_WITH_SIZES = refuseParameter('limit', `is ${MOST_WITH_SIZES} at most where sizes are wanted`).refusal;

/** The JSON of audiences with their sizes of the last days, the last of each hour, from one question. */
async function withSizes(
  { saved }: Pick<SavedAudienceParts, 'saved'>,
  audiences: readonly SavedAudience[],
  bodies: readonly string[],
  days: number,
): Promise<readonly string[]> {
  const since = microsAt(Date.now()) - BigInt(days) * DAY_MICROS;
  const ids = audiences.map(({ id }) => id);
  const found = await saved.sizes(ids, since, HOUR_MICROS);
  return bodies.map((body, i) => {
    const sizes = (found.get(ids[i] ?? '') ?? []).map(({ at, members: count }) => ({ at: formatMicros(at), count }));
    return `${body.slice(0, -1)},"sizes":${JSON.stringify(sizes)}}`;
  });
}

/** `GET /v1/audiences/:id` */
export async function answerSaved(parts: SavedAudienceParts, call: QueryRequest): Promise<Answer | Refusal> {
  const audience = await findAudience(parts, call);
  return audience === undefined ? NO_AUDIENCE : audienceAnswer(parts.saved, audience, call.project);
}

/** `PUT` and `PATCH /v1/audiences/:id`: the one replaces all, the other what it names. */
export async function answerChange(
  parts: SavedAudienceParts,
  call: ChangeRequest,
  how: 'PUT /v1/audiences/{id}' | 'PATCH /v1/audiences/{id}',
): Promise<Answer | Refusal> {
  const { saved, evaluator } = parts;
  const terms = readTerms(call);
  if ('refused' in terms) return terms;
  const read = readBody(how, call, await settingsIn(parts, call));
  if (!read.ok) return read.refusal;
  const { settings } = read.value.also;
  if (Object.keys(settings).length === 0) return NO_CHANGE;
  const id = audienceIdOf(call);
  if (id === undefined) return NO_AUDIENCE;
  if (settings.isLive === true) await evaluator.expectLive();
  const warnings = await warningsOf(parts, call, read.value.also);
  const changes = { ...(how === 'PUT /v1/audiences/{id}' && { refreshMs: null, note: '', tags: [] }), ...settings };
  const before = await saved.find(call.project.id, id);
  const after = await saved.update(call.project.id, id, changes, terms);
  const audit = {
    action: 'audience.change',
    object: id,
    before: before && settingsJson(before),
    after: settingsJson(after),
  };
  return { ...(await audienceAnswer(saved, after, call.project, { warnings })), audit };
}

const NO_CHANGE = refuseBody([
  { path: '', message: 'names nothing to change: name, definition, refresh, note or tags' },
]).refusal;

/** `DELETE /v1/audiences/:id` */
export async function answerDelete({ saved }: SavedAudienceParts, call: ChangeRequest): Promise<Answer | Refusal> {
  const terms = readTerms(call);
  if ('refused' in terms) return terms;
  const id = audienceIdOf(call);
  if (id === undefined) return NO_AUDIENCE;
  const before = await saved.find(call.project.id, id);
  await saved.remove(call.project.id, id, terms);
  const audit = { action: 'audience.delete', object: id, before: before && settingsJson(before) };
  return { status: 200, body: JSON.stringify({ id, deleted: true }), audit };
}

/** `POST /v1/audiences/:id/evaluate` */
export async function answerEvaluate(
  { saved, evaluator }: SavedAudienceParts,
  call: QueryRequest,
): Promise<Answer | Refusal> {
  const id = audienceIdOf(call);
  if (id === undefined) return NO_AUDIENCE;
  const evaluated = await evaluator.evaluate(call.project.id, id);
  const { at, members = null } = evaluated.evaluation ?? {};
  const after = JSON.stringify({ evaluated_at: at === undefined ? null : formatMicros(at), members });
  const audit = { action: 'audience.evaluate', object: id, after };
  return { ...(await audienceAnswer(saved, evaluated, call.project)), audit };
}

/** A request that changes something: over HTTP with headers and a key. */
type ChangeRequest = QueryRequest & {
  readonly headers?: Call['headers'];
  readonly key?: Call['key'];
};

/** What the change depends on. `If-Match: *` depends on the existence of the audience, as every change does. */
function readTerms({ headers = {}, key }: ChangeRequest): ChangeTerms | Refusal {
  const revisions = readIfMatch({ headers });
  if (typeof revisions === 'object' && 'refused' in revisions) return revisions;
  return {
    ...(key?.id !== undefined && { by: key.id }),
    ...(typeof revisions === 'object' && { ifRevisions: revisions }),
  };
}

export const NO_AUDIENCE: Refusal = {
  refused: 'not-found',
  detail: 'This project has no such audience.',
  errorCode: 'AUDIENCE_UNKNOWN',
};

/** The audience that the path names. */
export async function findAudience(
  parts: { readonly saved: Pick<SqlAudienceStore, 'find'> },
  { project, params }: QueryRequest,
): Promise<SavedAudience | undefined> {
  return findAudienceOf(parts, project.id, params['id'] ?? '');
}

export async function findAudienceOf(
  { saved }: { readonly saved: Pick<SqlAudienceStore, 'find'> },
  projectId: string,
  id: string,
): Promise<SavedAudience | undefined> {
  return AUDIENCE_ID.test(id) ? saved.find(projectId, id) : undefined;
}

/** The audience that the path names, which is looked up before the parameters are read. */
export async function readOfAudience<Name extends OperationName>(
  name: Name,
  parts: { readonly saved: Pick<SqlAudienceStore, 'find'> },
  call: QueryRequest,
): Promise<{ readonly audience: SavedAudience; readonly query: Input<Name>['query'] } | Refusal> {
  const audience = await findAudience(parts, call);
  if (audience === undefined) return NO_AUDIENCE;
  const input = readInput(name, call);
  return input.ok ? { audience, query: input.value.query } : input.refusal;
}

function audienceIdOf(call: QueryRequest): string | undefined {
  const id = call.params['id'] ?? '';
  return AUDIENCE_ID.test(id) ? id : undefined;
}

const AUDIENCE_ID = /^\w{1,64}$/;

type ReadSettings =
  | {
      readonly ok: true;
      readonly settings: Partial<NewAudience>;
      /** Undefined where none is given. */
      readonly definition: Audience | undefined;
      readonly warnings: readonly Warning[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** What the definition most likely does not mean, and what of it no message had. */
async function warningsOf(
  { catalog }: SavedAudienceParts,
  { project }: QueryRequest,
  { definition, warnings }: Extract<ReadSettings, { readonly ok: true }>,
): Promise<readonly Warning[]> {
  if (definition === undefined) return [];
  return [...warnings, ...(await unseenIn(catalog, project, definition, '/definition'))];
}

/** Reads what the document cannot say of a body's members. A definition is kept as it was sent. */
async function settingsIn(
  parts: QuestionParts,
  { project, text: body }: QueryRequest,
): Promise<(body: Members) => ReadSettings> {
  const options = { timezone: project.timezone, path: '/definition', ...(await consult(parts, project, body)) };
  return ({ name, definition, refresh, note, tags }) => {
    const problems: Problem[] = [];
    problems.push(...labelProblems(name, tags));
    const read = definition === undefined ? undefined : readDefinition(definition, options);
    if (read?.ok === false) problems.push(...read.problems);
    const kept = readRefresh(refresh);
    if (kept === undefined) problems.push(NO_REFRESH);
    if (problems.length > 0) return { ok: false, problems };
    const text = definition === undefined ? undefined : toJsonText(definition);
    const labels = { note: note as string | undefined, tags: tags as readonly string[] | undefined };
    const settings = given({ name: name as string | undefined, definition: text, ...kept, ...labels });
    const { definition: audience, warnings = [] } = read?.ok === true ? read : { definition: undefined };
    return { ok: true, settings, definition: audience, warnings };
  };
}

/** Undefined if it cannot be read. */
export function readRefresh(refresh: unknown): Partial<Pick<NewAudience, 'refreshMs' | 'isLive'>> | undefined {
  if (refresh === undefined) return {};
  if (typeof refresh !== 'string') return { refreshMs: null, isLive: false };
  const read = parseRefresh(refresh);
  if (read === LIVE) return { refreshMs: null, isLive: true };
  return read === undefined ? undefined : { refreshMs: read, isLive: false };
}

const UNREADABLE_NAME = {
  path: '/name',
  message: 'must have a character that is not a space, and no control characters',
};
const UNREADABLE_TAG = { path: '/tags', message: 'are words without commas and control characters' };

function labelProblems(name: unknown, tags: unknown): readonly Problem[] {
  const isUnreadable = typeof name === 'string' && (name.trim() === '' || /\p{Cc}/u.test(name));
  const areTags = !Array.isArray(tags) || tags.every(isTag);
  return [...(isUnreadable ? [UNREADABLE_NAME] : []), ...(areTags ? [] : [UNREADABLE_TAG])];
}

/** A list of them has commas in between. */
function isTag(tag: unknown): boolean {
  return typeof tag !== 'string' || (tag.trim() !== '' && !/[\p{Cc},]/u.test(tag));
}

const NO_REFRESH = {
  path: '/refresh',
  message: 'must be null, live, or a time such as 15m, 1h, 1d or 1w, from a minute to 366 days',
};

/** What the audit log has of an audience. */
function settingsJson({ name, definition, note, tags, ...settings }: NewAudience): string {
  const rest = { refresh: refreshOf(settings), note, tags };
  return `{"name":${JSON.stringify(name)},"definition":${definition},${JSON.stringify(rest).slice(1)}`;
}
