/** Whose objects a command is about, and which service it asks about them. */
import type { Command } from 'commander';
import { commandInvalid } from '../../runtime/command.ts';
import { carriesOut } from '../client/carry-out.ts';
import { projectClientOf } from '../client/project-client.ts';
import { type ServiceClient, WrongKey } from '../client/service-client.ts';
import { addServiceOptions } from '../client/service-options.ts';
import { withService } from '../client/with-service.ts';
import type { CliContext } from '../context.ts';
import { optionalProjectId, projectIdOf } from '../project.ts';
import type { Described } from './described.ts';

export interface ProjectOptions {
  readonly project?: string;
  readonly installation?: true;
}

/** Whether a project may stand before the words of the command. */
export function takesOperand({ project }: Described): boolean {
  return project === 'operand' || project === 'path';
}

export function addProjectOption(command: Command, { project, needsProject, name }: Described): void {
  if (project === 'key') addServiceOptions(command);
  else if (needsProject) {
    command.option('--project <project>', 'the id or name of the project (default: the only one)');
  } else if (project !== undefined) {
    command.option('--project <project>', 'of one project alone, by its id or name');
  }
  if (/ \/v1\/endpoints\b/.test(name)) {
    command.option('--installation', 'endpoints of the installation, which are of no project');
  }
}

/**
 * The words of a command before which a project may stand, and the project.
 *
 * @throws TidemarkError `COMMAND_INVALID` where there are too many or too few, or two projects are named.
 */
export function readOperands(given: readonly string[], names: readonly string[], { project }: ProjectOptions) {
  const isNamed = given.length === names.length + 1;
  if (given.length < names.length || given.length > names.length + 1) {
    throw commandInvalid(`It takes ${['[project]', ...names].join(', ')}.`);
  }
  const [first = project] = isNamed ? given : [];
  if (project !== undefined && first !== project) {
    throw commandInvalid(`Two projects are named: ${first} and --project ${project}.`);
  }
  return { project: first, values: isNamed ? given.slice(1) : given };
}

/** Asks the service of the command, about the project that the options name. @throws as `use`. */
export async function withNamedProject<T>(
  context: CliContext,
  described: Described,
  options: ProjectOptions,
  use: (client: ServiceClient, project: string | undefined) => Promise<T>,
): Promise<T> {
  const { name, words } = described;
  if (described.project === 'key') {
    const { client, project } = await projectClientOf(context);
    return use(client, project);
  }
  const project = await projectFor(context, described, options);
  return withService(context, (client) => use(client, project), carriesOut(name, words.progress !== undefined));
}

function projectFor(
  context: CliContext,
  { project: where, needsProject }: Described,
  { project, installation }: ProjectOptions,
) {
  if (installation) {
    if (project !== undefined) throw commandInvalid('--installation leaves no room for a project.');
    return undefined;
  }
  if (where === 'operand') return project ?? onlyProjectId(context);
  return needsProject ? projectIdOf(context, project) : optionalProjectId(context, project);
}

/** Undefined for a key of one project, which may not list any. */
async function onlyProjectId(context: CliContext): Promise<string | undefined> {
  try {
    return await projectIdOf(context, undefined);
  } catch (error) {
    if (error instanceof WrongKey) return undefined;
    throw error;
  }
}
