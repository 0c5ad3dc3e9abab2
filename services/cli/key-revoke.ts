import type { Command } from 'commander';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, type OutputOptions, printJson, printKeys } from './print.ts';

export function addKeyRevoke(parent: Command, context: CliContext): void {
  parent
    .command('revoke')
    .description('revoke a key for good; it stops working within 10 seconds')
    .argument('<id>', 'the id of the key (key_…), not the key itself')
    .option(...JSON_OPTION)
    .action(async (id: string, { json }: OutputOptions) => {
      const revoked = await carryOut(context, 'key revoke', { id });
      if (json) printJson(context, revoked);
      else printKeys(context, [revoked]);
    });
}
