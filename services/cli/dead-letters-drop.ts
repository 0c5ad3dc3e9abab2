import type { Command } from 'commander';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { addSettleOptions, printSettled, settleArguments, type SettleOptions } from './dead-letters-options.ts';
import { withProgress } from './progress.ts';

export function addDeadLettersDrop(parent: Command, context: CliContext): void {
  addSettleOptions(
    parent.command('drop').description('forget messages: they stay on the log, and are listed no more'),
  ).action(async (ids: readonly string[], options: SettleOptions) => {
    const args = settleArguments(ids, options);
    const result = await withProgress(context, 'dropping', (onProgress) =>
      carryOut(context, 'dead-letters drop', args, { onProgress }),
    );
    printSettled(context, 'dropped', result, options.json);
  });
}
