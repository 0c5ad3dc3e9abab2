import type { Audience } from '../../audience/definition/audience.ts';
import type { Audiences, Preview } from '../../audience/audiences.ts';
import type { SampleUser } from '../../audience/sample-user.ts';
import { MAX_SAMPLE } from '../../audience/sql/compile.ts';
import { readDefinition } from '../../audience/definition/definition.ts';
import { definitionOf } from '../../audience/saved/audience-scheduler.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { parseBody } from '../../messages/json.ts';
import type { Problem } from '../../messages/message.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { type QueryRequest, type Checked, refuseBody, refuseParameter, single } from '../query.ts';
import { findAudience, NO_AUDIENCE, type SavedAudienceParts } from './saved.ts';
import { isJsonObject } from '../../audience/definition/reading.ts';

/** What is asked about audiences. */
export interface AudienceParts {
  /** Under the limits of the project. */
  readonly audiencesOf: (project: Project) => Pick<Audiences, 'preview' | 'compare' | 'explain' | 'why'>;
}

export const DEFAULT_SAMPLE = 10;

/** `POST /v1/audiences/preview` */
export async function answerPreview({ audiencesOf }: AudienceParts, call: QueryRequest): Promise<Answer | Refusal> {
  const asked = readQuestion(call, ({ sample = DEFAULT_SAMPLE }) => problemsWithSample(sample));
  if (!asked.ok) return asked.refusal;
  const { definition, body } = asked.value;
  const sampleSize = Number(body['sample'] ?? DEFAULT_SAMPLE);
  return previewAnswer(await audiencesOf(call.project).preview(call.project.id, definition, sampleSize));
}

/** A body with the definition of an audience in it. */
export interface Question {
  readonly definition: Audience;
  /** Its other members: numbers are numbers. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Where the definition stands in a question. */
export const DEFINITION_PATH = '/definition';

/** @param problemsWith What is wrong with the other members, to be named with what is wrong with the definition. */
export function readQuestion(
  call: QueryRequest,
  problemsWith: (body: Readonly<Record<string, unknown>>) => readonly Problem[],
): Checked<Question> {
  const parsed = parseBody(call.text);
  if (!parsed.ok) return refuseBody(parsed.problems);
  const { plain, exact } = parsed.value;
  if (!isJsonObject(plain) || !isJsonObject(exact)) return refuseBody([{ path: '', message: 'is not an object' }]);
  const read = readDefinition(exact['definition'], { timezone: call.project.timezone, path: DEFINITION_PATH });
  const problems = [...(read.ok ? [] : read.problems), ...problemsWith(plain)];
  if (!read.ok || problems.length > 0) return refuseBody(problems);
  return { ok: true, value: { definition: read.definition, body: plain } };
}

/** `GET /v1/audiences/:id/preview` */
export async function answerSavedPreview(
  { audiencesOf, saved }: AudienceParts & Pick<SavedAudienceParts, 'saved'>,
  call: QueryRequest,
): Promise<Answer | Refusal> {
  const audience = await findAudience({ saved }, call);
  if (audience === undefined) return NO_AUDIENCE;
  const sample = single(call.query, 'sample', readSample);
  if (!sample.ok) return sample.refusal;
  const { project } = call;
  return previewAnswer(await audiencesOf(project).preview(project.id, definitionOf(audience, project), sample.value));
}

function previewAnswer({ count, sample, sampleUsers, tookMs, rowsRead }: Preview): Answer {
  const users = { sample, sample_users: sampleUsers.map(userJson) };
  return { status: 200, body: JSON.stringify({ count, ...users, took_ms: Math.round(tookMs), rows_read: rowsRead }) };
}

export function userJson({ userId, anonymousId, userKey }: SampleUser): object {
  return { user_id: userId, anonymous_id: anonymousId, internal_id: userKey };
}

export function readSample(text: string | undefined): Checked<number> {
  if (text === undefined) return { ok: true, value: DEFAULT_SAMPLE };
  const sample = /^\d{1,4}$/.test(text) ? Number(text) : Infinity;
  if (sample > MAX_SAMPLE) return refuseParameter('sample', `is a whole number from 0 to ${MAX_SAMPLE}`);
  return { ok: true, value: sample };
}

/** A sample is asked for, if at all, by a whole number. */
export function problemsWithSample(sample: unknown): readonly Problem[] {
  if (isWholeNumber(sample, MAX_SAMPLE)) return [];
  return [{ path: '/sample', message: `is not a whole number from 0 to ${MAX_SAMPLE}` }];
}

export function isWholeNumber(value: unknown, most: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most;
}
