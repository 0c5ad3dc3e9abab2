import type { Command } from 'commander';
import { printLines } from './audience-lines.ts';
import type { CliContext } from './context.ts';

export function addAudienceMembers(parent: Command, context: CliContext): void {
  parent
    .command('members')
    .description('print everybody who is in a saved audience now, a line of JSON each, and a last line')
    .argument('<project>', 'the id of the project')
    .argument('<id>', 'the id of the audience')
    .option('--json', 'print JSON, as without it')
    .action((project: string, id: string) => printLines(context, 'audience members', { project, id }));
}
