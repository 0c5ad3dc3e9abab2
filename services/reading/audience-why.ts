import { explanationJson, whyJson } from '../audience/shown.ts';
import type { Call } from '../http/call.ts';
import type { Refusal } from '../http/problems.ts';
import type { Answer } from '../http/route.ts';
import type { Problem } from '../messages/message.ts';
import { userKeyOf } from '../messages/user-key.ts';
import {
  type AudienceParts,
  DEFAULT_SAMPLE,
  DEFINITION_PATH,
  isWholeNumber,
  problemsWithSample,
  readQuestion,
} from './audiences.ts';
import { readName } from './query.ts';

type Body = Readonly<Record<string, unknown>>;

const DEFAULT_EVENTS = 10;
const MAX_EVENTS = 100;

const INTERNAL_ID = /^[0-9a-f]{64}$/;

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
  if (why === undefined) return { refused: 'not-found', detail: 'No message of this project has named this user.' };
  return { status: 200, body: whyJson(why) };
}

function problemsWithWhy(body: Body): readonly Problem[] {
  const { events = DEFAULT_EVENTS } = body;
  const problems = [...problemsWithUser(body)];
  if (!isWholeNumber(events, MAX_EVENTS)) {
    problems.push({ path: '/events', message: `is not a whole number from 0 to ${MAX_EVENTS}` });
  }
  return problems;
}

function problemsWithUser({ user_id: userId, internal_id: internalId }: Body): readonly Problem[] {
  if (internalId === undefined) {
    const isUserId = typeof userId === 'string' && readName('user_id', userId).ok;
    return isUserId ? [] : [{ path: '/user_id', message: 'is not a string of 1 to 512 characters' }];
  }
  if (userId !== undefined)
    return [{ path: '/internal_id', message: 'stands beside user_id: only one says who is meant' }];
  const isInternalId = typeof internalId === 'string' && INTERNAL_ID.test(internalId);
  return isInternalId ? [] : [{ path: '/internal_id', message: 'is not 64 hexadecimal digits' }];
}

function userKeyIn(projectId: string, { user_id: userId, internal_id: internalId }: Body): string {
  return typeof internalId === 'string' ? internalId : userKeyOf(projectId, typeof userId === 'string' ? userId : '');
}
