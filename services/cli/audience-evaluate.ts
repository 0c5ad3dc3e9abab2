import type { Command } from 'commander';
import { printAnswer } from './audience-answer.ts';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';

export function addAudienceEvaluate(parent: Command, context: CliContext): void {
  parent
    .command('evaluate')
    .description('evaluate a saved audience now, and keep who entered and left')
    .argument('<project>', 'the id of the project')
    .argument('<id>', 'the id of the audience')
    .option('--json', 'print JSON, as without it')
    .action(async (project: string, id: string) => {
      printAnswer(context, await carryOut(context, 'audience evaluate', { project, id }));
    });
}
