import type { Command } from 'commander';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { addSettleOptions, printSettled, settleArguments, type SettleOptions } from './dead-letters-options.ts';
import { withProgress } from './progress.ts';

export function addDeadLettersReplay(parent: Command, context: CliContext): void {
  addSettleOptions(
    parent
      .command('replay')
      .description('append messages to their topics again, as they were, once what stood in their way is gone'),
  ).action(async (ids: readonly string[], options: SettleOptions) => {
    const args = settleArguments(ids, options);
    const result = await withProgress(context, 'replaying', (onProgress) =>
      carryOut(context, 'dead-letters replay', args, { onProgress }),
    );
    printSettled(context, 'replayed', result, options.json);
  });
}
