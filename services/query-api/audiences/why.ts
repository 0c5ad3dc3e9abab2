import { definitionOf } from '../../audience/saved/audience-scheduler.ts';
import { MAX_EVENTS_SHOWN } from '../../audience/definition/limits.ts';
import { explanationJson, whyJson } from '../../audience/explain/to-json.ts';
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { Problem } from '../../messages/message.ts';
import { isHex } from '../../messages/hex.ts';
import { anonymousKeyOf, userKeyOf } from '../../messages/user-key.ts';
import {
  type AudienceParts,
  DEFAULT_SAMPLE,
  DEFINITION_PATH,
  isWholeNumber,
  problemsWithSample,
  readQuestion,
  readSample,
} from './questions.ts';
import { readName, single } from '../query.ts';
import { findAudience, NO_AUDIENCE, type SavedAudienceParts } from './saved.ts';
import { NOBODY } from '../users/users.ts';

type Body = Readonly<Record<string, unknown>>;
type SavedParts = AudienceParts & Pick<SavedAudienceParts, 'saved'>;

const DEFAULT_EVENTS = 10;

/** `POST /v1/audiences/explain` */
export async function answerExplain({ audiencesOf }: AudienceParts, call: Call): Promise<Answer | Refusal> {
  const asked = readQuestion(call, ({ sample = DEFAULT_SAMPLE }) => problemsWithSample(sample));
  if (!asked.ok) return asked.refusal;
  const { definition, body } = asked.value;
  const sampleSize = Number(body['sample'] ?? DEFAULT_SAMPLE);
  const explained = await audiencesOf(call.project).explain(call.project.id, definition, DEFINITION_PATH, sampleSize);
  return { status: 200, body: explanationJson(explained) };
}

/** `POST /v1/audiences/why` */
export async function answerWhy({ audiencesOf }: AudienceParts, call: Call): Promise<Answer | Refusal> {
  const asked = readQuestion(call, problemsWithWhy);
  if (!asked.ok) return asked.refusal;
  const { definition, body } = asked.value;
  const projectId = call.project.id;
  const user = { projectId, userKey: userKeyIn(projectId, body) };
  const eventsShown = Number(body['events'] ?? DEFAULT_EVENTS);
  const why = await audiencesOf(call.project).why(user, definition, DEFINITION_PATH, eventsShown);
  return why === undefined ? NOBODY : { status: 200, body: whyJson(why) };
}

/** `GET /v1/audiences/:id/explain`. Paths are from the root of the definition. */
export async function answerSavedExplain(parts: SavedParts, call: Call): Promise<Answer | Refusal> {
  const audience = await findAudience(parts, call);
  if (audience === undefined) return NO_AUDIENCE;
  const sample = single(call.query, 'sample', readSample);
  if (!sample.ok) return sample.refusal;
  const { project } = call;
  const definition = definitionOf(audience, project);
  const explained = await parts.audiencesOf(project).explain(project.id, definition, '', sample.value);
  return { status: 200, body: explanationJson(explained) };
}

/** `GET /v1/audiences/:id/why`. Paths are from the root of the definition. */
export async function answerSavedWhy(parts: SavedParts, call: Call): Promise<Answer | Refusal> {
  const audience = await findAudience(parts, call);
  if (audience === undefined) return NO_AUDIENCE;
  const body = bodyIn(call.query);
  const [problem] = problemsWithWhy(body);
  if (problem !== undefined)
    return { refused: 'invalid-parameter', detail: `${problem.path.slice(1)} ${problem.message}` };
  const { project } = call;
  const user = { projectId: project.id, userKey: userKeyIn(project.id, body) };
  const eventsShown = Number(body['events'] ?? DEFAULT_EVENTS);
  const why = await parts.audiencesOf(project).why(user, definitionOf(audience, project), '', eventsShown);
  return why === undefined ? NOBODY : { status: 200, body: whyJson(why) };
}

/** Query parameters as the members of a body are; one that is given twice is wrong. */
function bodyIn(query: URLSearchParams): Body {
  const values = [...USER_IDS, 'events'].map((name) => [name, query.getAll(name)] as const);
  const given = values.filter(([, all]) => all.length > 0);
  return Object.fromEntries(
    given.map(([name, all]) => {
      const text = all.length === 1 ? all[0] : null;
      return [name, name === 'events' && /^\d{1,4}$/.test(text ?? '') ? Number(text) : text];
    }),
  );
}

function problemsWithWhy(body: Body): readonly Problem[] {
  const { events = DEFAULT_EVENTS } = body;
  const problems = [...problemsWithUser(body)];
  if (!isWholeNumber(events, MAX_EVENTS_SHOWN)) {
    problems.push({ path: '/events', message: `is not a whole number from 0 to ${MAX_EVENTS_SHOWN}` });
  }
  return problems;
}

const USER_IDS = ['user_id', 'anonymous_id', 'internal_id'] as const;

/** Exactly one id says who is meant. */
function problemsWithUser(body: Body): readonly Problem[] {
  const [name = 'user_id', other] = USER_IDS.filter((id) => body[id] !== undefined);
  if (other !== undefined) return [{ path: `/${other}`, message: `stands beside ${name}: only one says who is meant` }];
  const id = body[name];
  if (name === 'internal_id') {
    const isInternalId = typeof id === 'string' && isHex(id, 64);
    return isInternalId ? [] : [{ path: '/internal_id', message: 'is not 64 hexadecimal digits' }];
  }
  const isName = typeof id === 'string' && readName(name, id).ok;
  return isName ? [] : [{ path: `/${name}`, message: 'is not a string of 1 to 512 characters' }];
}

function userKeyIn(projectId: string, body: Body): string {
  const [userId, anonymousId, internalId] = USER_IDS.map((name) => body[name]);
  if (typeof internalId === 'string') return internalId;
  if (typeof anonymousId === 'string') return anonymousKeyOf(projectId, anonymousId);
  return userKeyOf(projectId, typeof userId === 'string' ? userId : '');
}
