import { type AnalyticsParts, budgetOf } from '../../questions/query-budget.ts';
import { previewAudience } from '../../questions/audiences.ts';
import type { Audience } from '../../questions/definition/audience.ts';
import type { SampleUser } from '../../questions/sample-user.ts';
import { type ReadDefinition, readDefinition } from '../../questions/definition/definition.ts';
import type { AudienceDefinitions } from '../../questions/definition/reading.ts';
import type { AudienceStore } from '../../questions/saved/audience-store.ts';
import { definitionOf, findReferences } from '../../questions/saved/references.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { type Members, readBody } from '../input.ts';
import { contextOf, type QueryRequest } from '../query.ts';
import { withWarnings } from './audience-json.ts';
import { readOfAudience } from './saved.ts';

/** `POST /v1/audiences/preview` */
export async function answerPreview(parts: QuestionParts, call: QueryRequest): Promise<Answer | Refusal> {
  const read = readBody('POST /v1/audiences/preview', call, definitionIn(call, await referencesOf(parts, call)));
  if (!read.ok) return read.refusal;
  const { body, also } = read.value;
  return {
    status: 200,
    body: withWarnings(await previewBody(parts, call, also.definition, body.sample), also.warnings),
  };
}

/** What questions about definitions need, which may refer to saved audiences. */
export type QuestionParts = AnalyticsParts & { readonly saved: Pick<AudienceStore, 'find'> };

/** The saved audiences to which the body of a question refers. */
export function referencesOf(
  { saved }: Pick<QuestionParts, 'saved'>,
  { project, text }: QueryRequest,
): Promise<AudienceDefinitions> {
  return findReferences(saved, project.id, text);
}

/** Where the definition stands in a question. */
export const DEFINITION_PATH = '/definition';

/** Reads the definition in the body of a question. */
export function definitionIn(
  { project: { timezone } }: QueryRequest,
  audiences: AudienceDefinitions,
): (body: Members) => ReadDefinition {
  return ({ definition }) => readDefinition(definition, { timezone, path: DEFINITION_PATH, audiences });
}

/** `GET /v1/audiences/:id/preview` */
export async function answerSavedPreview(parts: QuestionParts, call: QueryRequest): Promise<Answer | Refusal> {
  const read = await readOfAudience('GET /v1/audiences/{id}/preview', parts, call);
  if ('refused' in read) return read;
  const definition = await definitionOf(parts.saved, read.audience, call.project);
  return { status: 200, body: await previewBody(parts, call, definition, read.query.sample) };
}

async function previewBody(
  parts: AnalyticsParts,
  { project }: QueryRequest,
  definition: Audience,
  sampleSize: number,
): Promise<string> {
  const options = { ...contextOf(project), sampleSize };
  const found = await previewAudience(budgetOf(parts, project), definition, options);
  const { count, sample, sampleUsers, tookMs, rowsRead } = found;
  const users = { sample, sample_users: sampleUsers.map(userJson) };
  return JSON.stringify({ count, ...users, took_ms: Math.round(tookMs), rows_read: rowsRead });
}

export function userJson({ userId, anonymousId, userKey }: SampleUser): object {
  return { user_id: userId, anonymous_id: anonymousId, internal_id: userKey };
}
