import { definitionOf } from '../../questions/saved/references.ts';
import type { ReadDefinition } from '../../questions/definition/definition.ts';
import { explanationJson, whyJson } from '../../questions/explain/to-json.ts';
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { Problem } from '../../messages/message.ts';
import { type Members, readBody } from '../input.ts';
import { refuseParameter } from '../query.ts';
import { userKeyIn } from '../users/named-user.ts';
import { NOBODY } from '../users/users.ts';
import { withWarnings } from './audience-json.ts';
import { DEFINITION_PATH, definitionIn, type QuestionParts, referencesOf } from './questions.ts';
import { readOfAudience } from './saved.ts';

/** `POST /v1/audiences/explain` */
export async function answerExplain(parts: QuestionParts, call: Call): Promise<Answer | Refusal> {
  const read = readBody('POST /v1/audiences/explain', call, definitionIn(call, await referencesOf(parts, call)));
  if (!read.ok) return read.refusal;
  const { body, also } = read.value;
  const audiences = parts.audiencesOf(call.project);
  const explained = await audiences.explain(call.project.id, also.definition, DEFINITION_PATH, body.sample);
  return { status: 200, body: withWarnings(explanationJson(explained), also.warnings) };
}

/** `POST /v1/audiences/why` */
export async function answerWhy(parts: QuestionParts, call: Call): Promise<Answer | Refusal> {
  const readDefinition = definitionIn(call, await referencesOf(parts, call));
  const read = readBody('POST /v1/audiences/why', call, (exact) => withUser(readDefinition(exact), exact));
  if (!read.ok) return read.refusal;
  const { body, also } = read.value;
  const projectId = call.project.id;
  const user = { projectId, userKey: userKeyIn(projectId, body) ?? '' };
  const why = await parts.audiencesOf(call.project).why(user, also.definition, DEFINITION_PATH, body.events);
  return why === undefined ? NOBODY : { status: 200, body: whyJson(why) };
}

/** `GET /v1/audiences/:id/explain`. Paths are from the root of the definition. */
export async function answerSavedExplain(parts: QuestionParts, call: Call): Promise<Answer | Refusal> {
  const read = await readOfAudience('GET /v1/audiences/{id}/explain', parts, call);
  if ('refused' in read) return read;
  const { project } = call;
  const definition = await definitionOf(parts.saved, read.audience, project);
  const explained = await parts.audiencesOf(project).explain(project.id, definition, '', read.query.sample);
  return { status: 200, body: explanationJson(explained) };
}

/** `GET /v1/audiences/:id/why`. Paths are from the root of the definition. */
export async function answerSavedWhy(parts: QuestionParts, call: Call): Promise<Answer | Refusal> {
  const read = await readOfAudience('GET /v1/audiences/{id}/why', parts, call);
  if ('refused' in read) return read;
  const { audience, query } = read;
  const problem = problemWithUser(query);
  if (problem !== undefined) return refuseParameter(problem.path.slice(1), problem.message).refusal;
  const { project } = call;
  const user = { projectId: project.id, userKey: userKeyIn(project.id, query) ?? '' };
  const definition = await definitionOf(parts.saved, audience, project);
  const why = await parts.audiencesOf(project).why(user, definition, '', query.events);
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
