import type { AnalyticsParts } from '../../questions/query-budget.ts';
import type { QuestionParts } from '../../questions/saved/consult.ts';
import { unseenIn, type WarningParts } from '../../questions/catalog/unseen.ts';
import { definitionOf } from '../../questions/saved/references.ts';
import type { Audience } from '../../questions/definition/audience.ts';
import type { ReadDefinition } from '../../questions/definition/definition.ts';
import { explain } from '../../questions/explain/explain.ts';
import { explainMembership } from '../../questions/explain/why.ts';
import { explanationJson, whyJson } from '../../questions/explain/to-json.ts';
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { Problem } from '../../messages/message.ts';
import { type Members, readBody } from '../input.ts';
import { contextOf, refuseParameter } from '../query.ts';
import { NOBODY, userKeyIn, type UserIds } from '../users/named-user.ts';
import { withWarnings } from './audience-json.ts';
import { DEFINITION_PATH, definitionIn } from './questions.ts';
import { readOfAudience } from './saved.ts';

/** `POST /v1/audiences/explain` */
export async function answerExplain(parts: QuestionParts & WarningParts, call: Call): Promise<Answer | Refusal> {
  const read = readBody('POST /v1/audiences/explain', call, await definitionIn(parts, call));
  if (!read.ok) return read.refusal;
  const { body, also } = read.value;
  const unseen = unseenIn(parts.catalog, call.project, also.definition, DEFINITION_PATH);
  const explanation = await explanationOf(parts, call, also.definition, DEFINITION_PATH, body.sample);
  return { status: 200, body: withWarnings(explanation, [...also.warnings, ...(await unseen)]) };
}

/** `POST /v1/audiences/why` */
export async function answerWhy(parts: QuestionParts, call: Call): Promise<Answer | Refusal> {
  const readDefinition = await definitionIn(parts, call);
  const read = readBody('POST /v1/audiences/why', call, (exact) => withUser(readDefinition(exact), exact));
  if (!read.ok) return read.refusal;
  const { body, also } = read.value;
  return whyAnswer(parts, call, also.definition, DEFINITION_PATH, body);
}

/** `GET /v1/audiences/:id/explain`. Paths are from the root of the definition. */
export async function answerSavedExplain(parts: QuestionParts, call: Call): Promise<Answer | Refusal> {
  const read = await readOfAudience('GET /v1/audiences/{id}/explain', parts, call);
  if ('refused' in read) return read;
  const definition = await definitionOf(parts.saved, read.audience, call.project);
  return { status: 200, body: await explanationOf(parts, call, definition, '', read.query.sample) };
}

/** `GET /v1/audiences/:id/why`. Paths are from the root of the definition. */
export async function answerSavedWhy(parts: QuestionParts, call: Call): Promise<Answer | Refusal> {
  const read = await readOfAudience('GET /v1/audiences/{id}/why', parts, call);
  if ('refused' in read) return read;
  const { audience, query } = read;
  const problem = problemWithUser(query);
  if (problem !== undefined) return refuseParameter(problem.path.slice(1), problem.message).refusal;
  return whyAnswer(parts, call, await definitionOf(parts.saved, audience, call.project), '', query);
}

/** @param path The pointer to the definition in its document. */
async function explanationOf(
  { analytics, limitsOf }: AnalyticsParts,
  { project }: Call,
  definition: Audience,
  path: string,
  sampleSize: number,
): Promise<string> {
  const options = { ...contextOf(project), sampleSize };
  const explained = await explain(analytics, limitsOf(project), definition, path, options);
  return explanationJson(explained);
}

async function whyAnswer(
  { analytics, limitsOf }: AnalyticsParts,
  { project }: Call,
  definition: Audience,
  path: string,
  asked: UserIds & { readonly events: number },
): Promise<Answer | Refusal> {
  const userKey = userKeyIn(project.id, asked) ?? '';
  const options = { ...contextOf(project), userKey, eventsShown: asked.events };
  const why = await explainMembership(analytics, limitsOf(project), definition, path, options);
  return why === undefined ? NOBODY : { status: 200, body: whyJson(why) };
}

function withUser(read: ReadDefinition, body: Members): ReadDefinition {
  const problem = problemWithUser(body);
  if (problem === undefined) return read;
  return { ok: false, problems: [...(read.ok ? [] : read.problems), problem] };
}

/** Exactly one id says who is meant. */
function problemWithUser(given: object): Problem | undefined {
  const [name, other] = ['user_id', 'anonymous_id', 'internal_id'].filter((id) => id in given);
  if (name === undefined) return { path: '/user_id', message: 'is required, or anonymous_id or internal_id' };
  return other === undefined
    ? undefined
    : { path: `/${other}`, message: `stands beside ${name}: only one says who is meant` };
}
