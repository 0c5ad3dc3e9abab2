import { type AnalyticsParts, budgetOf, MAX_PAGE_CHARS } from '../../questions/query-budget.ts';
import { previewAudience } from '../../questions/audiences.ts';
import type { Audience } from '../../questions/definition/audience.ts';
import type { SampleUser } from '../../questions/sample-user.ts';
import { type ReadDefinition, readDefinition } from '../../questions/definition/definition.ts';
import { definitionOf } from '../../questions/saved/audience-scheduler.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { type Members, readBody } from '../input.ts';
import { contextOf, type QueryRequest, refuseBody, refuseParameter } from '../query.ts';
import { type TraitChoice, NO_TRAITS, readTraitChoice, withTraits } from './trait-choice.ts';
import { readOfAudience, type SavedAudienceParts } from './saved.ts';
import type { TraitsParts } from './user-lines.ts';

/** `POST /v1/audiences/preview` */
export async function answerPreview(parts: PreviewParts, call: QueryRequest): Promise<Answer | Refusal> {
  const read = readBody('POST /v1/audiences/preview', call, definitionIn(call));
  if (!read.ok) return read.refusal;
  const { also, body } = read.value;
  const traits = readTraitChoice(body.traits);
  if (!traits.ok) return refuseBody([{ path: '/traits', message: traits.message }]).refusal;
  return previewAnswer(parts, call, also.definition, { sample: body.sample, traits: traits.value });
}

type PreviewParts = AnalyticsParts & TraitsParts;

/** Where the definition stands in a question. */
export const DEFINITION_PATH = '/definition';

/** Reads the definition in the body of a question. */
export function definitionIn({ project: { timezone } }: QueryRequest): (body: Members) => ReadDefinition {
  return ({ definition }) => readDefinition(definition, { timezone, path: DEFINITION_PATH });
}

/** `GET /v1/audiences/:id/preview` */
export async function answerSavedPreview(
  parts: PreviewParts & Pick<SavedAudienceParts, 'saved'>,
  call: QueryRequest,
): Promise<Answer | Refusal> {
  const read = await readOfAudience('GET /v1/audiences/{id}/preview', parts, call);
  if ('refused' in read) return read;
  const traits = readTraitChoice(read.query.traits);
  if (!traits.ok) return refuseParameter('traits', traits.message).refusal;
  const chosen = { sample: read.query.sample, traits: traits.value };
  return previewAnswer(parts, call, definitionOf(read.audience, call.project), chosen);
}

interface SampleChoice {
  readonly sample: number;
  readonly traits: TraitChoice;
}

async function previewAnswer(
  parts: PreviewParts,
  { project }: QueryRequest,
  definition: Audience,
  chosen: SampleChoice,
): Promise<Answer> {
  const options = { ...contextOf(project), sampleSize: chosen.sample };
  const found = await previewAudience(budgetOf(parts, project), definition, options);
  const { count, sample, sampleUsers, tookMs, rowsRead } = found;
  const users = await sampleOf(parts, project.id, sampleUsers, chosen.traits);
  const head = JSON.stringify({ count, sample }).slice(0, -1);
  const end = JSON.stringify({ took_ms: Math.round(tookMs), rows_read: rowsRead }).slice(1);
  return { status: 200, body: `${head},"sample_users":[${users.join(',')}],${end}` };
}

/** The JSON of the users. Those with wide traits are fewer: a page of them is the most. */
async function sampleOf(
  { profiles }: TraitsParts,
  projectId: string,
  users: readonly SampleUser[],
  traits: TraitChoice,
): Promise<readonly string[]> {
  const texts = users.map((user) => JSON.stringify(userJson(user)));
  if (traits === NO_TRAITS || users.length === 0) return texts;
  const keys = users.map(({ userKey }) => userKey);
  const found = await profiles.traitsPage(projectId, keys, traits.paths, MAX_PAGE_CHARS);
  return found.map((values, index) => withTraits(texts[index] ?? '', traits, values));
}

export function userJson({ userId, anonymousId, userKey }: SampleUser): object {
  return { user_id: userId, anonymous_id: anonymousId, internal_id: userKey };
}
