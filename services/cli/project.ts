/** The project that a command names, by its id or name. */
import { TidemarkError } from '../runtime/errors.ts';
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
  const { all, found } = await projectsNamed(context, wanted);
  return wanted !== undefined && found.length === 0 ? wanted : onlyOf(all, found).id;
}

/** The project that the argument or --project names. @throws TidemarkError `COMMAND_INVALID` where they name two. */
export function projectNamedBy(argument: string | undefined, option: string | undefined): string | undefined {
  if (argument === undefined || option === undefined || argument === option) return option ?? argument;
  throw new TidemarkError('COMMAND_INVALID', `Two projects are named: ${argument} and --project ${option}.`);
}

/** For commands that mean all projects where none is named. */
export function optionalProjectId(context: CliContext, wanted: string | undefined): Promise<string> | undefined {
  return wanted === undefined ? undefined : projectIdOf(context, wanted);
}

/** The project of this id or name; the only one where none is named. @throws TidemarkError `COMMAND_INVALID`, `PROJECT_UNKNOWN`. */
export async function projectOf(context: CliContext, wanted: string | undefined): Promise<ProjectInList> {
  if (wanted !== undefined && PROJECT_ID.test(wanted))
    return carryOut(context, operation('GET /v1/admin/projects/{id}', { path: { id: wanted } }));
  const { all, found } = await projectsNamed(context, wanted);
  return onlyOf(all, found);
}

interface NamedProjects {
  readonly all: readonly ProjectInList[];
  /** Those of this id or name; all where none is named. */
  readonly found: readonly ProjectInList[];
}

async function projectsNamed(context: CliContext, wanted: string | undefined): Promise<NamedProjects> {
  const all = (await listProjects(context)).projects.toReversed();
  return { all, found: wanted === undefined ? all : all.filter(({ id, name }) => id === wanted || name === wanted) };
}

/** @throws TidemarkError `COMMAND_INVALID` unless there is exactly one. */
export function onlyProject(all: readonly ProjectInList[]): ProjectInList {
  return onlyOf(all, all);
}

function onlyOf(all: readonly ProjectInList[], found: readonly ProjectInList[]): ProjectInList {
  const [only, another] = found;
  if (only !== undefined && another === undefined) return only;
  const known = all.map(({ id, name }) => `${id} (${name})`).join(', ');
  const message = found.length === 0 ? 'There is no such project' : 'Say which project by --project';
  throw new TidemarkError('COMMAND_INVALID', `${message}: there are ${known === '' ? 'none' : known}.`);
}
