import type { Command } from 'commander';
import { printAnswer } from './audience-answer.ts';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';

export function addAudienceShow(parent: Command, context: CliContext): void {
  parent
    .command('show')
    .description('show a saved audience')
    .argument('<project>', 'the id of the project')
    .argument('<id>', 'the id of the audience')
    .option('--json', 'print JSON, as without it')
    .action(async (project: string, id: string) => {
      printAnswer(context, await carryOut(context, 'audience show', { project, id }));
    });
}
