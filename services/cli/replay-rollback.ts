import { Argument, type Command } from 'commander';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, type OutputOptions, printJson } from './print.ts';

export function addReplayRollback(parent: Command, context: CliContext): void {
  parent
    .command('rollback')
    .description('make the generation live again that was so before; once more goes forth again')
    .addArgument(new Argument('<kind>', 'profiles or analytics').choices(['profiles', 'analytics']))
    .option('--project <id>', 'of one project alone')
    .option(...JSON_OPTION)
    .action(async (kind: string, { project, json }: OutputOptions & { readonly project?: string }) => {
      const swapped = await carryOut(context, 'replay rollback', { kind, project });
      if (json) printJson(context, swapped);
      else context.out(`Generation ${swapped.to} of ${kind} is live in place of ${swapped.from}.\n`);
    });
}
