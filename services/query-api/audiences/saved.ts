import { readDefinition } from '../../audience/definition/definition.ts';
import type { AudienceStore, ChangeTerms, NewAudience, SavedAudience } from '../../audience/saved/audience-store.ts';
import type { AudienceEvaluator } from '../../audience/saved/audience-scheduler.ts';
import type { Call } from '../../http/call.ts';
import { readIfMatch } from '../../http/if-match.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { parseBody, toJsonText } from '../../messages/json.ts';
import type { Problem } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { audienceAnswer, audienceJson, formatRefresh, parseRefresh } from './audience-json.ts';
import { decodeListCursor, encodeListCursor } from './cursor.ts';
import { type QueryRequest, type Checked, readLimit, refuseBody, refuseParameter, single } from '../query.ts';
import { isJsonObject } from '../../audience/definition/reading.ts';

/** What the endpoints of saved audiences need. */
export interface SavedAudienceParts {
  readonly saved: AudienceStore;
  readonly evaluator: AudienceEvaluator;
}

/** `POST /v1/audiences` */
export async function answerSave({ saved }: SavedAudienceParts, call: ChangeRequest): Promise<Answer | Refusal> {
  const body = readBody(call, ['name', 'definition']);
  if (!body.ok) return body.refusal;
  const { name = '', definition = '', refreshMs = null } = body.value;
  const audience = await saved.create(call.project.id, { name, definition, refreshMs }, call.key?.id);
  const audit = { action: 'audience.save', object: audience.id, after: settingsJson(audience) };
  return { ...audienceAnswer(audience, { Location: `/v1/audiences/${audience.id}` }), status: 201, audit };
}

/** `GET /v1/audiences` */
export async function answerList({ saved }: SavedAudienceParts, call: QueryRequest): Promise<Answer | Refusal> {
  const limit = single(call.query, 'limit', readLimit);
  if (!limit.ok) return limit.refusal;
  const after = single(call.query, 'cursor', (text) => readCursor(text, decodeListCursor));
  if (!after.ok) return after.refusal;
  // One more than the page holds tells whether there is another.
  const found = await saved.list(call.project.id, limit.value + 1, after.value);
  const page = found.slice(0, limit.value);
  const last = page.at(-1);
  const next = found.length > page.length && last !== undefined ? encodeListCursor(last) : null;
  const body = `{"audiences":[${page.map(audienceJson).join(',')}],"next_cursor":${JSON.stringify(next)}}`;
  return { status: 200, body };
}

/** `GET /v1/audiences/:id` */
export async function answerSaved(parts: SavedAudienceParts, call: QueryRequest): Promise<Answer | Refusal> {
  const audience = await findAudience(parts, call);
  return audience === undefined ? NO_AUDIENCE : audienceAnswer(audience);
}

/** `PUT` and `PATCH /v1/audiences/:id`: the one replaces all, the other what it names. */
export async function answerChange(
  { saved }: SavedAudienceParts,
  call: ChangeRequest,
  replaces: boolean,
): Promise<Answer | Refusal> {
  const terms = readTerms(call);
  if ('refused' in terms) return terms;
  const body = readBody(call, replaces ? ['name', 'definition'] : []);
  if (!body.ok) return body.refusal;
  const id = audienceIdOf(call);
  if (id === undefined) return NO_AUDIENCE;
  const changes = { ...(replaces && { refreshMs: null }), ...body.value };
  const before = await saved.find(call.project.id, id);
  const after = await saved.update(call.project.id, id, changes, terms);
  const audit = {
    action: 'audience.change',
    object: id,
    before: before && settingsJson(before),
    after: settingsJson(after),
  };
  return { ...audienceAnswer(after), audit };
}

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
export async function answerEvaluate({ evaluator }: SavedAudienceParts, call: QueryRequest): Promise<Answer | Refusal> {
  const id = audienceIdOf(call);
  if (id === undefined) return NO_AUDIENCE;
  const evaluated = await evaluator.evaluate(call.project.id, id);
  const { at, members = null } = evaluated.evaluation ?? {};
  const after = JSON.stringify({ evaluated_at: at === undefined ? null : formatMicros(at), members });
  return { ...audienceAnswer(evaluated), audit: { action: 'audience.evaluate', object: id, after } };
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
  parts: { readonly saved: Pick<AudienceStore, 'find'> },
  { project, params }: QueryRequest,
): Promise<SavedAudience | undefined> {
  return findAudienceOf(parts, project.id, params['id'] ?? '');
}

export async function findAudienceOf(
  { saved }: { readonly saved: Pick<AudienceStore, 'find'> },
  projectId: string,
  id: string,
): Promise<SavedAudience | undefined> {
  return AUDIENCE_ID.test(id) ? saved.find(projectId, id) : undefined;
}

/** Reads a cursor; undefined if absent. */
export function readCursor<T>(
  text: string | undefined,
  decode: (text: string) => T | undefined,
): Checked<T | undefined> {
  const place = text === undefined ? undefined : decode(text);
  if (text !== undefined && place === undefined) return refuseParameter('cursor', 'is none that this service gave');
  return { ok: true, value: place };
}

function audienceIdOf(call: QueryRequest): string | undefined {
  const id = call.params['id'] ?? '';
  return AUDIENCE_ID.test(id) ? id : undefined;
}

const AUDIENCE_ID = /^\w{1,64}$/;

/** The members of the body, each checked. */
function readBody(call: QueryRequest, required: readonly string[]): Checked<Partial<NewAudience>> {
  const parsed = parseBody(call.text);
  if (!parsed.ok) return refuseBody(parsed.problems);
  const body = parsed.value.exact;
  if (!isJsonObject(body)) return refuseBody([{ path: '', message: 'is not an object' }]);
  const definition = readSaved(body['definition'], call.project);
  const { name, refresh } = body;
  const refreshMs = readRefresh(refresh);
  const problems: Problem[] = [
    ...missingOf(body, required),
    ...(isName(name) ? [] : [{ path: '/name', message: 'is not a text of 1 to 200 characters' }]),
    ...definition.problems,
    ...(refresh === undefined || refreshMs !== undefined ? [] : [{ path: '/refresh', message: NO_REFRESH }]),
  ];
  if (problems.length > 0) return refuseBody(problems);
  return {
    ok: true,
    value: {
      ...(name !== undefined && { name: name as string }),
      ...(definition.text !== undefined && { definition: definition.text }),
      ...(refreshMs !== undefined && { refreshMs }),
    },
  };
}

function missingOf(body: Readonly<Record<string, unknown>>, required: readonly string[]): Problem[] {
  const isEmpty = ['name', 'definition', 'refresh'].every((name) => body[name] === undefined);
  if (required.length === 0 && isEmpty) {
    return [{ path: '', message: 'names nothing to change: name, definition or refresh' }];
  }
  return required
    .filter((name) => body[name] === undefined)
    .map((name) => ({ path: `/${name}`, message: 'is required' }));
}

/** A definition as it is kept: as it was sent. */
function readSaved(
  definition: unknown,
  { timezone }: Pick<QueryRequest['project'], 'timezone'>,
): { readonly text?: string; readonly problems: readonly Problem[] } {
  if (definition === undefined) return { problems: [] };
  const read = readDefinition(definition, { timezone, path: '/definition' });
  return read.ok ? { text: toJsonText(definition), problems: [] } : { problems: read.problems };
}

function readRefresh(refresh: unknown): number | null | undefined {
  if (refresh === null) return null;
  return typeof refresh === 'string' ? parseRefresh(refresh) : undefined;
}

const NO_REFRESH = 'is neither null nor a time such as 15m, 1h, 1d or 1w, from a minute to a year';

/** A missing name is valid here: `missingOf` reports it. */
function isName(name: unknown): boolean {
  if (name === undefined) return true;
  return typeof name === 'string' && name.trim() !== '' && Array.from(name).length <= 200 && !/\p{Cc}/u.test(name);
}

/** What the audit log has of an audience. */
function settingsJson({ name, definition, refreshMs }: NewAudience): string {
  const refresh = refreshMs === null ? null : formatRefresh(refreshMs);
  return `{"name":${JSON.stringify(name)},"definition":${definition},"refresh":${JSON.stringify(refresh)}}`;
}
