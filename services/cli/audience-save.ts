import type { Command } from 'commander';
import { DEFINITION_ARGUMENT, definitionText, printAnswer, refreshOf } from './audience-answer.ts';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';

export function addAudienceSave(parent: Command, context: CliContext): void {
  parent
    .command('save')
    .description('save an audience under a name')
    .argument('<project>', 'the id of the project')
    .argument('<name>', 'a name that no other audience of the project has')
    .argument(...DEFINITION_ARGUMENT)
    .option('--refresh <time>', 'evaluate it by itself so often: 15m, 1h, 1d')
    .option('--json', 'print JSON, as without it')
    .action(async (project: string, name: string, definition: string, { refresh }: { refresh?: string }) => {
      const args = { project, name, definition: definitionText(definition), refresh: refreshOf(refresh) };
      printAnswer(context, await carryOut(context, 'audience save', args));
    });
}
