import { type Command, Option } from 'commander';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, type OutputOptions, printCreatedKey, printJson } from './print.ts';

interface Options extends OutputOptions {
  readonly scope: string;
}

export function addKeyCreate(parent: Command, context: CliContext): void {
  parent
    .command('create')
    .description('make a key and show it, only this once')
    .argument('<project>', 'the id of the project')
    .addOption(new Option('--scope <scope>', 'what the key is for').choices(['write', 'read']).makeOptionMandatory())
    .option(...JSON_OPTION)
    .action(async (project: string, { scope, json }: Options) => {
      const made = await carryOut(context, 'key create', { project, scope });
      if (json) printJson(context, made);
      else printCreatedKey(context, made);
    });
}
