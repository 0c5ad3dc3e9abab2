import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { parseBody } from '../../messages/json.ts';
import type { ProjectStore } from '../../stores/projects/project-store.ts';
import { type Command, type CommandArguments, commandInvalid } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { answerChanges, answerMembers, type StreamParts } from './streams.ts';
import { answerPreview, type AudienceParts } from './questions.ts';
import type { QueryRequest } from '../query.ts';
import {
  answerChange,
  answerDelete,
  answerEvaluate,
  answerList,
  answerSave,
  answerSaved,
  type SavedAudienceParts,
} from './saved.ts';

export interface AudienceCommandParts extends AudienceParts, SavedAudienceParts, StreamParts {
  readonly projects: Pick<ProjectStore, 'listProjects'>;
}

/** JSON as text, so that no digit of a definition is lost; of a stream, its lines. */
export interface AudienceAnswer {
  readonly json: string;
}

export interface AudienceCommandResults {
  readonly 'audience preview': AudienceAnswer;
  readonly 'audience save': AudienceAnswer;
  readonly 'audience list': AudienceAnswer;
  readonly 'audience show': AudienceAnswer;
  readonly 'audience change': AudienceAnswer;
  readonly 'audience delete': AudienceAnswer;
  readonly 'audience members': AudienceAnswer;
  readonly 'audience changes': AudienceAnswer;
  readonly 'audience evaluate': AudienceAnswer;
}

export type AudienceCommands = {
  readonly [Name in keyof AudienceCommandResults]: Command<AudienceAnswer>;
};

type Handler = (asked: QueryRequest) => Promise<Answer | Refusal>;

/** What a page of a stream has at most: it is held whole. */
const MAX_LINES = 100_000;

/**
 * The requests of `/v1/audiences` as commands: the same arguments, with `project`, `id` and, as JSON text, `definition`.
 *
 * They throw TidemarkError `COMMAND_INVALID` where HTTP answers 400, and what the stores throw.
 */
export function audienceCommands(parts: AudienceCommandParts): AudienceCommands {
  const answering =
    (handle: Handler): Command<AudienceAnswer> =>
    async (args) =>
      commandAnswer(await handle(await askedBy(parts, args)));
  const page =
    (handle: Handler): Command<AudienceAnswer> =>
    (args, call) =>
      answering(handle)({ ...args, limit: Math.min(Number(args['limit'] ?? MAX_LINES), MAX_LINES) }, call);
  return {
    'audience preview': answering((asked) => answerPreview(parts, asked)),
    'audience save': answering((asked) => answerSave(parts, asked)),
    'audience list': answering((asked) => answerList(parts, asked)),
    'audience show': answering((asked) => answerSaved(parts, asked)),
    'audience change': answering((asked) => answerChange(parts, asked, false)),
    'audience delete': answering((asked) => answerDelete(parts, asked)),
    'audience members': page((asked) => answerMembers(parts, asked)),
    'audience changes': page((asked) => answerChanges(parts, asked)),
    'audience evaluate': answering((asked) => answerEvaluate(parts, asked)),
  };
}

async function askedBy({ projects }: AudienceCommandParts, args: CommandArguments): Promise<QueryRequest> {
  const { project: projectId, id, definition, ...others } = args;
  const project = (await projects.listProjects()).find((one) => one.id === projectId);
  if (project === undefined) {
    throw new TidemarkError('PROJECT_UNKNOWN', `There is no project ${JSON.stringify(projectId)}.`);
  }
  const params = { id: typeof id === 'string' ? id : '' };
  return { project, params, query: queryOf(others), text: bodyOf(others, definition) };
}

function queryOf(args: CommandArguments): URLSearchParams {
  const given = Object.entries(args).filter(([, value]) => typeof value === 'string' || typeof value === 'number');
  return new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
}

/** The definition goes in as it was written. */
function bodyOf(args: CommandArguments, definition: unknown): string {
  const rest = JSON.stringify(args);
  if (definition === undefined) return rest;
  if (typeof definition !== 'string') throw commandInvalid('The definition is JSON, as text.');
  const parsed = parseBody(definition);
  if (!parsed.ok) throw commandInvalid(`The definition ${parsed.problems[0]?.message}.`);
  return `{"definition":${definition}${rest === '{}' ? '}' : `,${rest.slice(1)}`}`;
}

async function commandAnswer(answer: Answer | Refusal): Promise<AudienceAnswer> {
  if ('refused' in answer) {
    if (answer.refused === 'not-found') throw new TidemarkError('AUDIENCE_UNKNOWN', answer.detail);
    throw commandInvalid(answer.detail);
  }
  const { body } = answer;
  return { json: body instanceof Readable ? await text(body) : String(body) };
}
