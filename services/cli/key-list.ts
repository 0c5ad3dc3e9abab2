import type { Command } from 'commander';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, type OutputOptions, printJson, printKeys } from './print.ts';

export function addKeyList(parent: Command, context: CliContext): void {
  parent
    .command('list')
    .description('list keys, revoked ones too, oldest first; never the keys themselves')
    .argument('[project]', 'the id of a project (default: all)')
    .option(...JSON_OPTION)
    .action(async (project: string | undefined, { json }: OutputOptions) => {
      const keys = await carryOut(context, 'key list', { project });
      if (json) printJson(context, keys);
      else printKeys(context, keys);
    });
}
