import type { Audiences, Preview } from '../../questions/audiences.ts';
import type { SampleUser } from '../../questions/sample-user.ts';
import { type ReadDefinition, readDefinition } from '../../questions/definition/definition.ts';
import type { AudienceDefinitions } from '../../questions/definition/reading.ts';
import { definitionOf, findReferences } from '../../questions/saved/references.ts';
import type { AudienceStore } from '../../questions/saved/audience-store.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { Problem } from '../../messages/message.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { type Members, readBody } from '../input.ts';
import type { QueryRequest } from '../query.ts';
import { withWarnings } from './audience-json.ts';
import { readOfAudience } from './saved.ts';

/** What is read about audiences. */
export interface AudienceParts {
  /** Under the limits of the project. */
  readonly audiencesOf: (project: Project) => Pick<Audiences, 'preview' | 'compare' | 'explain' | 'why'>;
}

/** `POST /v1/audiences/preview` */
export async function answerPreview(parts: QuestionParts, call: QueryRequest): Promise<Answer | Refusal> {
  const read = readBody('POST /v1/audiences/preview', call, definitionIn(call, await referencesOf(parts, call)));
  if (!read.ok) return read.refusal;
  const { body, also } = read.value;
  const preview = await parts.audiencesOf(call.project).preview(call.project.id, also.definition, body.sample);
  return previewAnswer(preview, also.warnings);
}

/** What questions about definitions need, which may refer to saved audiences. */
export type QuestionParts = AudienceParts & { readonly saved: Pick<AudienceStore, 'find'> };

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
export async function answerSavedPreview(
  { audiencesOf, saved }: QuestionParts,
  call: QueryRequest,
): Promise<Answer | Refusal> {
  const read = await readOfAudience('GET /v1/audiences/{id}/preview', { saved }, call);
  if ('refused' in read) return read;
  const { project } = call;
  const { audience, query } = read;
  const definition = await definitionOf(saved, audience, project);
  return previewAnswer(await audiencesOf(project).preview(project.id, definition, query.sample));
}

function previewAnswer(
  { count, sample, sampleUsers, tookMs, rowsRead }: Preview,
  warnings: readonly Problem[] = [],
): Answer {
  const users = { sample, sample_users: sampleUsers.map(userJson) };
  const body = JSON.stringify({ count, ...users, took_ms: Math.round(tookMs), rows_read: rowsRead });
  return { status: 200, body: withWarnings(body, warnings) };
}

export function userJson({ userId, anonymousId, userKey }: SampleUser): object {
  return { user_id: userId, anonymous_id: anonymousId, internal_id: userKey };
}
