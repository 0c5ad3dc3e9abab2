import { type Command, Option } from 'commander';
import type { CreatedKey, KeySummary } from '../stores/projects/project-commands.ts';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, type OutputOptions, printJson, table } from './print.ts';
import { optionalProjectId, projectIdOf } from './project.ts';

export function addKey(root: Command, context: CliContext): void {
  const key = root.command('key').description('API keys');
  addKeyCreate(key, context);
  addKeyList(key, context);
  addKeyRevoke(key, context);
}

interface CreateKeyOptions extends OutputOptions {
  readonly scope: string;
  readonly project?: string;
}

function addKeyCreate(parent: Command, context: CliContext): void {
  parent
    .command('create')
    .description('make a key and show it, only this once')
    .argument('[project]', 'as --project, which takes its place')
    .option('--project <project>', 'the id or name of the project (default: the only one)')
    .addOption(new Option('--scope <scope>', 'what the key is for').choices(['write', 'read']).makeOptionMandatory())
    .option(...JSON_OPTION)
    .action(async (given: string | undefined, { project: named, scope, json }: CreateKeyOptions) => {
      const project = await projectIdOf(context, named ?? given);
      const made = await carryOut(context, 'key create', { project, scope });
      if (json) printJson(context, made);
      else printCreatedKey(context, made);
    });
}

function addKeyList(parent: Command, context: CliContext): void {
  parent
    .command('list')
    .description('list keys, revoked ones too, oldest first; never the keys themselves')
    .argument('[project]', 'as --project, which takes its place')
    .option('--project <project>', 'the id or name of a project (default: all)')
    .option(...JSON_OPTION)
    .action(
      async (given: string | undefined, { project: named, json }: OutputOptions & { readonly project?: string }) => {
        const project = await optionalProjectId(context, named ?? given);
        const keys = await carryOut(context, 'key list', { project });
        if (json) printJson(context, keys);
        else printKeys(context, keys);
      },
    );
}

function addKeyRevoke(parent: Command, context: CliContext): void {
  parent
    .command('revoke')
    .description('revoke a key for good; it stops working within 10 seconds')
    .argument('<id>', 'the id of the key (key_…), not the key itself')
    .option(...JSON_OPTION)
    .action(async (id: string, { json }: OutputOptions) => {
      const revoked = await carryOut(context, 'key revoke', { id });
      if (json) printJson(context, revoked);
      else printKeys(context, [revoked]);
    });
}

function printKeys({ out }: CliContext, keys: readonly KeySummary[]): void {
  const rows = keys.map(({ id, project_id: project, scope, created_at: created, revoked_at: revoked }) => {
    return [id, project, scope, created, revoked ?? '-'];
  });
  out(table(['ID', 'PROJECT', 'SCOPE', 'CREATED', 'REVOKED'], rows));
}

/** Only the key goes to standard output, for `KEY=$(tidemark key create …)`. */
function printCreatedKey({ out, err }: CliContext, { id, scope, key }: CreatedKey): void {
  err(`The ${scope} key ${id}, shown only this once:\n`);
  out(`${key}\n`);
}
