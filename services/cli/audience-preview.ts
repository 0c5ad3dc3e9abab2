import type { Command } from 'commander';
import { DEFINITION_ARGUMENT, definitionText, printAnswer } from './audience-answer.ts';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';

export function addAudiencePreview(parent: Command, context: CliContext): void {
  parent
    .command('preview')
    .description('count the users of an audience, and name some')
    .argument('<project>', 'the id of the project')
    .argument(...DEFINITION_ARGUMENT)
    .option('--sample <number>', 'how many user ids to give', '10')
    .option('--json', 'print JSON, as without it')
    .action(async (project: string, definition: string, { sample }: { sample: string }) => {
      const args = { project, definition: definitionText(definition), sample: Number(sample) };
      printAnswer(context, await carryOut(context, 'audience preview', args));
    });
}
