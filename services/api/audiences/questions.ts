import { type AnalyticsParts, budgetOf } from '../../questions/query-budget.ts';
import { previewAudience } from '../../questions/audiences.ts';
import type { Audience } from '../../questions/definition/audience.ts';
import type { SampleUser } from '../../questions/sample-user.ts';
import { type ReadDefinition, readDefinition } from '../../questions/definition/definition.ts';
import { definitionOf } from '../../questions/saved/audience-scheduler.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { type Members, readBody } from '../input.ts';
import { contextOf, type QueryRequest } from '../query.ts';
import { readOfAudience, type SavedAudienceParts } from './saved.ts';

/** `POST /v1/audiences/preview` */
export async function answerPreview(parts: AnalyticsParts, call: QueryRequest): Promise<Answer | Refusal> {
  const read = readBody('POST /v1/audiences/preview', call, definitionIn(call));
  if (!read.ok) return read.refusal;
  return previewAnswer(parts, call, read.value.also.definition, read.value.body.sample);
}

/** Where the definition stands in a question. */
export const DEFINITION_PATH = '/definition';

/** Reads the definition in the body of a question. */
export function definitionIn({ project: { timezone } }: QueryRequest): (body: Members) => ReadDefinition {
  return ({ definition }) => readDefinition(definition, { timezone, path: DEFINITION_PATH });
}

/** `GET /v1/audiences/:id/preview` */
export async function answerSavedPreview(
  parts: AnalyticsParts & Pick<SavedAudienceParts, 'saved'>,
  call: QueryRequest,
): Promise<Answer | Refusal> {
  const read = await readOfAudience('GET /v1/audiences/{id}/preview', parts, call);
  if ('refused' in read) return read;
  return previewAnswer(parts, call, definitionOf(read.audience, call.project), read.query.sample);
}

async function previewAnswer(
  parts: AnalyticsParts,
  { project }: QueryRequest,
  definition: Audience,
  sampleSize: number,
): Promise<Answer> {
  const options = { ...contextOf(project), sampleSize };
  const found = await previewAudience(budgetOf(parts, project), definition, options);
  const { count, sample, sampleUsers, tookMs, rowsRead } = found;
  const users = { sample, sample_users: sampleUsers.map(userJson) };
  return { status: 200, body: JSON.stringify({ count, ...users, took_ms: Math.round(tookMs), rows_read: rowsRead }) };
}

export function userJson({ userId, anonymousId, userKey }: SampleUser): object {
  return { user_id: userId, anonymous_id: anonymousId, internal_id: userKey };
}
