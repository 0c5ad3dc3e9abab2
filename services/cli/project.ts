/** The project that a command names, by its id or name. */
import { commandInvalid } from '../runtime/command.ts';
import { carryOut, listProjects, type ProjectInList } from './client/carry-out.ts';
import { operation } from '../../schemas/operations.ts';
import type { CliContext } from './context.ts';

const PROJECT_ID = /^proj_\w{20}$/;

/**
 * The id of the project of this id or name; that of the only one where none is named. What names none is passed on: the
 * command says that it is unknown.
 */
export async function projectIdOf(context: CliContext, wanted: string | undefined): Promise<string> {
  if (wanted !== undefined && PROJECT_ID.test(wanted)) return wanted;
  const all = await allProjects(context);
  return wanted !== undefined && !all.some(isNamed(wanted)) ? wanted : onlyProject(all, wanted).id;
}

/** For commands that mean all projects where none is named. */
export function optionalProjectId(context: CliContext, wanted: string | undefined): Promise<string> | undefined {
  return wanted === undefined ? undefined : projectIdOf(context, wanted);
}

/** The project of this id or name; the only one where none is named. @throws TidemarkError `COMMAND_INVALID`, `PROJECT_UNKNOWN`. */
export async function projectOf(context: CliContext, wanted: string | undefined): Promise<ProjectInList> {
  if (wanted !== undefined && PROJECT_ID.test(wanted))
    return carryOut(context, operation('GET /v1/admin/projects/{id}', { path: { id: wanted } }));
  return onlyProject(await allProjects(context), wanted);
}

/** Oldest first. */
async function allProjects(context: CliContext): Promise<readonly ProjectInList[]> {
  return (await listProjects(context)).projects.toReversed();
}

function isNamed(wanted: string): (project: ProjectInList) => boolean {
  return ({ id, name }) => id === wanted || name === wanted;
}

/** @throws TidemarkError `COMMAND_INVALID` unless exactly one has this id or name, or there is just one and none is named. */
export function onlyProject(all: readonly ProjectInList[], wanted?: string): ProjectInList {
  const [only, another] = wanted === undefined ? all : all.filter(isNamed(wanted));
  if (only !== undefined && another === undefined) return only;
  const known = all.map(({ id, name }) => `${id} (${name})`).join(', ');
  const message = only === undefined ? 'There is no such project' : 'Say which project by --project';
  throw commandInvalid(`${message}: there are ${known === '' ? 'none' : known}.`);
}
