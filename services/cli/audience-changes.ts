import type { Command } from 'commander';
import { printLines } from './audience-lines.ts';
import type { CliContext } from './context.ts';

export function addAudienceChanges(parent: Command, context: CliContext): void {
  parent
    .command('changes')
    .description('print who entered and left a saved audience, a line of JSON each, and a last line')
    .argument('<project>', 'the id of the project')
    .argument('<id>', 'the id of the audience')
    .option('--since <time>', 'only what evaluations after this time found')
    .option('--json', 'print JSON, as without it')
    .action((project: string, id: string, { since }: { since?: string }) =>
      printLines(context, 'audience changes', { project, id, since }),
    );
}
