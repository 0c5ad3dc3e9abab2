import { type Command, InvalidArgumentError, Option } from 'commander';
import { commandInvalid } from '../runtime/command.ts';
import { carryOut, listKeys } from './client/carry-out.ts';
import { type Answer, operation } from '../../schemas/operations.ts';
import type { CliContext } from './context.ts';
import { tableBy } from './document/cells.ts';
import { columnsNamed } from './document/described.ts';
import { JSON_OPTION, type OutputOptions, printJson } from './print.ts';
import { optionalProjectId, projectIdOf, projectNamedBy } from './project.ts';

type KeyScope = Answer<'POST /v1/admin/keys'>['scopes'][number];

const SCOPES: readonly KeyScope[] = ['write', 'read', 'audiences', 'admin'];

interface CreateKeyOptions extends OutputOptions {
  readonly scope: readonly KeyScope[];
  readonly project?: string;
  readonly name?: string;
}

export function addKeyCreate(parent: Command, context: CliContext): void {
  parent
    .command('create')
    .description('make a key and show it, only this once')
    .argument('[project]', 'as --project, which takes its place')
    .option('--project <project>', 'the id or name of the project (default: the only one)')
    .addOption(
      new Option('--scope <scope>', 'what the key is for; may be repeated; admin is for no project')
        .choices(SCOPES)
        .argParser(another)
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'a name for people, 1 to 200 characters')
    .option(...JSON_OPTION)
    .action(async (given: string | undefined, { project: named, scope: scopes, name, json }: CreateKeyOptions) => {
      const chosen = projectNamedBy(given, named);
      const isAdmin = scopes.includes('admin');
      // Said before a store is opened.
      if (isAdmin && (chosen !== undefined || scopes.some((one) => one !== 'admin'))) {
        throw commandInvalid('An admin key belongs to the installation: it has no project, and no other scope.');
      }
      const project = isAdmin ? undefined : await projectIdOf(context, chosen);
      const made = await carryOut(
        context,
        project === undefined
          ? operation('POST /v1/admin/keys', { body: { name } })
          : operation('POST /v1/admin/projects/{id}/keys', { path: { id: project }, body: { scopes, name } }),
      );
      if (json) printJson(context, made);
      else printCreatedKey(context, made);
    });
}

/** Adds a value of an option that may be repeated. A variadic one would take the project that follows it. */
function another(scope: string, before: readonly string[] = []): readonly string[] {
  if (!SCOPES.some((known) => known === scope)) {
    throw new InvalidArgumentError(`Allowed choices are ${SCOPES.join(', ')}.`);
  }
  return [...before, scope];
}

export function addKeyList(parent: Command, context: CliContext): void {
  parent
    .command('list')
    .description('list keys, revoked ones too, oldest first; never the keys themselves')
    .argument('[project]', 'as --project, which takes its place')
    .option('--project <project>', 'the id or name of a project (default: all)')
    .option(...JSON_OPTION)
    .action(
      async (given: string | undefined, { project: named, json }: OutputOptions & { readonly project?: string }) => {
        const project = await optionalProjectId(context, projectNamedBy(given, named));
        const listed = await listKeys(context, project);
        if (json) printJson(context, listed);
        else context.out(tableBy(columnsNamed('KeyColumns'), listed.keys.toReversed()));
      },
    );
}

/** Only the key goes to standard output, for `KEY=$(tidemark key create …)`. */
function printCreatedKey({ out, err }: CliContext, { id, scopes, key }: Answer<'POST /v1/admin/keys'>): void {
  err(`The ${scopes.join(' and ')} key ${id}, shown only this once:\n`);
  out(`${key}\n`);
}
