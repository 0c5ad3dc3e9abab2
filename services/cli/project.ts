import type { Command } from 'commander';
import { TidemarkError } from '../runtime/errors.ts';
import { carryOut, listProjects, type ProjectInList } from './client/carry-out.ts';
import { job } from './client/job.ts';
import { operation } from '../../schemas/operations.ts';
import type { CliContext } from './context.ts';
import { type LimitOption, limitOrNone } from './options.ts';
import { JSON_OPTION, oneLine, type OutputOptions, printJson, table } from './print.ts';
import { withProgress } from './progress.ts';

const parseLimit = limitOrNone(16, 'It is a whole number from 1 up, or none.');
const parseRateLimit = limitOrNone(15, 'It is a whole number of requests a second from 1 up, or none.');

export function addProject(root: Command, context: CliContext): void {
  const project = root.command('project').description('Projects and their settings');
  addProjectCreate(project, context);
  addProjectList(project, context);
  addProjectSet(project, context);
  addProjectDelete(project, context);
}

interface CreateOptions extends OutputOptions {
  readonly timezone?: string;
  readonly rateLimit?: LimitOption;
}

function addProjectCreate(parent: Command, context: CliContext): void {
  parent
    .command('create')
    .description('make a project; make its keys with "./tidemark key create"')
    .argument('<name>', 'a name for people, 1 to 200 characters')
    .option('--timezone <zone>', 'IANA time zone of timestamps without an offset (default: INITIAL_TIMEZONE)')
    .option('--rate-limit <limit>', 'requests a second for each ingest process, or none', parseRateLimit)
    .option(...JSON_OPTION)
    .action(async (name: string, { timezone, rateLimit, json }: CreateOptions) => {
      const body = { name, timezone, rate_limit: rateLimit?.limit };
      const made = await carryOut(context, operation('POST /v1/admin/projects', { body }));
      if (json) printJson(context, made);
      else printProjects(context, [made]);
    });
}

function addProjectList(parent: Command, context: CliContext): void {
  parent
    .command('list')
    .description('list all projects, oldest first')
    .option(...JSON_OPTION)
    .action(async ({ json }: OutputOptions) => {
      const listed = await listProjects(context);
      if (json) printJson(context, listed);
      else printProjects(context, listed.projects.toReversed());
    });
}

interface SetOptions extends OutputOptions {
  readonly project?: string;
  readonly name?: string;
  readonly timezone?: string;
  readonly rateLimit?: LimitOption;
  readonly queryMaxMs?: LimitOption;
  readonly queryMaxMemoryBytes?: LimitOption;
  readonly queryMaxRows?: LimitOption;
  readonly rateLimitBytes?: LimitOption;
  readonly searchTraits?: readonly string[];
  readonly nameTraits?: readonly string[];
}

function addProjectSet(parent: Command, context: CliContext): void {
  parent
    .command('set')
    .description("change a project's settings; running services follow within 10 seconds")
    .argument('[project]', 'as --project, which takes its place')
    .option('--project <project>', 'the id or name of the project (default: the only one)')
    .option('--name <name>', 'a name for people, 1 to 200 characters')
    .option('--timezone <zone>', 'IANA time zone; what is recorded already stays as it is')
    .option('--rate-limit <limit>', 'requests a second for each ingest process, or none', parseRateLimit)
    .option('--rate-limit-bytes <limit>', 'bytes of bodies a second for each ingest process, or none', parseLimit)
    .option('--query-max-ms <limit>', 'longest a question may take, or none for QUERY_MAX_MS', parseLimit)
    .option(
      '--query-max-memory-bytes <limit>',
      'most memory of a question, or none for QUERY_MAX_MEMORY_BYTES',
      parseLimit,
    )
    .option('--query-max-rows <limit>', 'most rows a question may read, or none for QUERY_MAX_ROWS', parseLimit)
    .option('--search-traits <names>', 'traits in which users are searched, such as name,email; "" for none', namesIn)
    .option('--name-traits <names>', 'traits that users are called by, the first that is a text; "" for none', namesIn)
    .option(...JSON_OPTION)
    .action(async (given: string | undefined, { project, name, timezone, rateLimit, json, ...limits }: SetOptions) => {
      const path = { id: await projectIdOf(context, projectNamedBy(given, project)) };
      const body = {
        name,
        timezone,
        rate_limit: rateLimit?.limit,
        rate_limit_bytes: limits.rateLimitBytes?.limit,
        query_max_ms: limits.queryMaxMs?.limit,
        query_max_memory_bytes: limits.queryMaxMemoryBytes?.limit,
        query_max_rows: limits.queryMaxRows?.limit,
        search_traits: limits.searchTraits,
        name_traits: limits.nameTraits,
      };
      const changed = await carryOut(context, operation('PATCH /v1/admin/projects/{id}', { path, body }));
      if (json) printJson(context, changed);
      else printProjects(context, [changed]);
    });
}

/** Names with a comma are set over HTTP. */
function namesIn(text: string): readonly string[] {
  return text === '' ? [] : text.split(',');
}

interface DeleteOptions extends OutputOptions {
  readonly confirm?: string;
  readonly dryRun?: true;
}

function addProjectDelete(parent: Command, context: CliContext): void {
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

function printProjects({ out }: CliContext, projects: readonly ProjectInList[]): void {
  const rows = projects.map(({ id, name, timezone, rate_limit: limit, created_at: created }) => {
    return [id, name, timezone, limit === null ? 'none' : `${limit}/s`, created];
  });
  out(table(['ID', 'NAME', 'TIMEZONE', 'RATE LIMIT', 'CREATED'], rows));
}
