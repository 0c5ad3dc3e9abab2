import type { Command } from 'commander';
import { printAnswer } from './audience-answer.ts';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';

export function addAudienceDelete(parent: Command, context: CliContext): void {
  parent
    .command('delete')
    .description('delete a saved audience and its history')
    .argument('<project>', 'the id of the project')
    .argument('<id>', 'the id of the audience')
    .option('--json', 'print JSON, as without it')
    .action(async (project: string, id: string) => {
      printAnswer(context, await carryOut(context, 'audience delete', { project, id }));
    });
}
