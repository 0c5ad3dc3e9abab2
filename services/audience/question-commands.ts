/** Questions about audiences as commands, for the control socket and the command line alike. */
import { parseBody } from '../messages/json.ts';
import { userKeyOf } from '../messages/user-key.ts';
import type { Project, ProjectStore } from '../stores/projects/project-store.ts';
import { type Command, type CommandArguments, commandInvalid } from '../runtime/command.ts';
import type { Audience } from './definition/audience.ts';
import type { Audiences } from './audiences.ts';
import { MAX_EVENTS_SHOWN } from './definition/limits.ts';
import { readDefinition } from './definition/definition.ts';
import { explanationJson, whyJson } from './explain/to-json.ts';

/** JSON text, every digit of a caller's numbers in it: the same as over HTTP. */
export interface QuestionCommandResults {
  readonly 'audience explain': string;
  readonly 'audience why': string;
}

export type QuestionCommands = {
  readonly [Name in keyof QuestionCommandResults]: Command<QuestionCommandResults[Name]>;
};

export interface QuestionParts {
  readonly projects: Pick<ProjectStore, 'listProjects'>;
  /** Under the limits of the project. */
  readonly audiencesOf: (project: Project) => Pick<Audiences, 'explain' | 'why'>;
}

const SAMPLE = 10;

/**
 * Take `project` (an id) and `definition` (its JSON as text); why `user`, the caller's id, and `events`, how many to name,
 * besides. They throw TidemarkError `COMMAND_INVALID` where an argument makes no sense, naming what is wrong with the
 * definition, and what `Audiences` throws.
 */
export function questionCommands({ projects, audiencesOf }: QuestionParts): QuestionCommands {
  return {
    'audience explain': async (args) => {
      const { project, definition } = await readQuestionArguments(projects, args);
      return explanationJson(await audiencesOf(project).explain(project.id, definition, '', SAMPLE));
    },
    'audience why': async (args) => {
      const { project, definition } = await readQuestionArguments(projects, args);
      const { user, events } = readUserArguments(args);
      const found = { projectId: project.id, userKey: userKeyOf(project.id, user) };
      const why = await audiencesOf(project).why(found, definition, '', events);
      if (why !== undefined) return whyJson(why);
      throw commandInvalid('No user of this project is known by this id.');
    },
  };
}

async function readQuestionArguments(
  projects: Pick<ProjectStore, 'listProjects'>,
  { project: id, definition: text }: CommandArguments,
): Promise<{ project: Project; definition: Audience }> {
  const project = (await projects.listProjects()).find((one) => one.id === id);
  if (project === undefined) throw commandInvalid('There is no such project.');
  const body = parseBody(typeof text === 'string' ? text : '');
  const read = body.ok ? readDefinition(body.value.exact, { timezone: project.timezone }) : body;
  if ('definition' in read) return { project, definition: read.definition };
  const problems = 'problems' in read ? read.problems : [];
  const lines = problems.map(({ path, message }) => `  ${path === '' ? 'it' : path} ${message}`);
  throw commandInvalid(`The definition is wrong:\n${lines.join('\n')}\n`);
}

function readUserArguments({ user, events = SAMPLE }: CommandArguments): { user: string; events: number } {
  if (typeof user !== 'string' || user === '') throw commandInvalid('A user id is a text.');
  const isNumber = typeof events === 'number' && Number.isInteger(events) && events >= 0 && events <= MAX_EVENTS_SHOWN;
  if (isNumber) return { user, events };
  throw commandInvalid(`As many events can be named as 0 to ${MAX_EVENTS_SHOWN}.`);
}
