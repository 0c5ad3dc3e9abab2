import type { Command } from 'commander';
import { definitionText, printAnswer, refreshOf } from './audience-answer.ts';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';

interface Options {
  readonly name?: string;
  readonly definition?: string;
  readonly refresh?: string;
}

export function addAudienceChange(parent: Command, context: CliContext): void {
  parent
    .command('change')
    .description('change what is named of a saved audience')
    .argument('<project>', 'the id of the project')
    .argument('<id>', 'the id of the audience')
    .option('--name <name>', 'a name that no other audience of the project has')
    .option('--definition <definition>', 'the definition as JSON, or @FILE')
    .option('--refresh <time>', 'evaluate it by itself so often: 15m, 1h, 1d; or none')
    .option('--json', 'print JSON, as without it')
    .action(async (project: string, id: string, { name, definition, refresh }: Options) => {
      const text = definition === undefined ? undefined : definitionText(definition);
      const args = { project, id, name, definition: text, refresh: refreshOf(refresh) };
      printAnswer(context, await carryOut(context, 'audience change', args));
    });
}
