import type { Command } from 'commander';
import { TidemarkError } from '../runtime/errors.ts';
import { carryOut, job, listProjects, type ProjectInList } from './client/carry-out.ts';
import { operation } from '../../schemas/operations.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, oneLine, type OutputOptions, printJson } from './print.ts';
import { withProgress } from './progress.ts';

interface DeleteOptions extends OutputOptions {
  readonly confirm?: string;
  readonly dryRun?: true;
}

export function addProjectDelete(parent: Command, context: CliContext): void {
  parent
    .command('delete')
    .description('delete a project with its keys, audiences and users, and all that the stores have of them')
    .argument('<project>', 'the id or name of the project')
    .option('--confirm <name>', 'its name, instead of being asked; of a deletion that was interrupted, too')
    .option('--dry-run', 'say what it has, and delete nothing')
    .option(...JSON_OPTION)
    .action(async (wanted: string, { confirm, dryRun, json }: DeleteOptions) => {
      if (dryRun) {
        const answer = await dryDeletion(context, await projectIdOf(context, wanted));
        if (json) printJson(context, answer);
        else context.out(`${contentText(answer)} Nothing was deleted.\n`);
        return;
      }
      const project =
        confirm === undefined
          ? await confirmedProject(context, wanted)
          : { id: await projectIdOf(context, wanted), confirm };
      if (project === undefined) {
        context.err('Nothing was deleted.\n');
        return;
      }
      const deleted = await withProgress(context, 'deleting', (onProgress) =>
        carryOut(context, deletion(project), { onProgress }),
      );
      if (json) printJson(context, deleted);
      else context.out(`The project ${project.confirm} is deleted.\n`);
    });
}

/** Undefined where the person at the keyboard says no. @throws TidemarkError `COMMAND_INVALID` where nobody can be asked. */
async function confirmedProject(
  context: CliContext,
  wanted: string,
): Promise<{ readonly id: string; readonly confirm: string } | undefined> {
  const { id, name } = await projectOf(context, wanted);
  if (context.confirm === undefined) {
    throw new TidemarkError(
      'COMMAND_INVALID',
      'Nobody can be asked: --confirm with the name of the project deletes it.',
    );
  }
  const content = await dryDeletion(context, id);
  const isWanted = await context.confirm(`Delete ${oneLine(name)} (${id})? ${contentText(content)} [y/N] `);
  return isWanted ? { id, confirm: name } : undefined;
}

/** What a deletion would delete. */
async function dryDeletion(context: CliContext, id: string) {
  const request = operation('DELETE /v1/admin/projects/{id}', { path: { id }, query: { dry_run: 'true' } });
  const answer = await carryOut(context, request);
  if (!('content' in answer)) throw new Error('The service did not say what the project has.');
  return answer;
}

function deletion({ id, confirm }: { readonly id: string; readonly confirm: string }) {
  return job('DELETE /v1/admin/projects/{id}', { path: { id }, query: { confirm } });
}

function contentText({ content }: Awaited<ReturnType<typeof dryDeletion>>): string {
  const { users = 0, audiences = 0, keys = 0 } = content ?? {};
  return `It has users: ${users}, audiences: ${audiences}, keys in use: ${keys}.`;
}

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

function projectById(id: string) {
  return operation('GET /v1/admin/projects/{id}', { path: { id } });
}

/** For commands that mean all projects where none is named. */
export function optionalProjectId(context: CliContext, wanted: string | undefined): Promise<string> | undefined {
  return wanted === undefined ? undefined : projectIdOf(context, wanted);
}

/** The project of this id or name; the only one where none is named. @throws TidemarkError `COMMAND_INVALID`, `PROJECT_UNKNOWN`. */
export async function projectOf(context: CliContext, wanted: string | undefined): Promise<ProjectInList> {
  if (wanted !== undefined && PROJECT_ID.test(wanted)) return carryOut(context, projectById(wanted));
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
