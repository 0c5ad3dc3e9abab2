import type { Command } from 'commander';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { printJson } from './print.ts';
import { withProgress } from './progress.ts';

export function addDeadLettersShow(parent: Command, context: CliContext): void {
  parent
    .command('show')
    .description('show all that is known of a message that was put aside, as JSON')
    .argument('<id>', 'topic/partition/offset, as list shows it')
    .option('--json', 'print JSON, as it does anyway')
    .action(async (id: string) => {
      const shown = await withProgress(context, 'reading', (onProgress) =>
        carryOut(context, 'dead-letters show', { id }, { onProgress }),
      );
      printJson(context, shown);
    });
}
