import { Argument, type Command, InvalidArgumentError } from 'commander';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, type OutputOptions, printJson } from './print.ts';

export function addReplayDrop(parent: Command, context: CliContext): void {
  parent
    .command('drop')
    .description('delete what a generation holds that is not live')
    .addArgument(new Argument('<kind>', 'profiles or analytics').choices(['profiles', 'analytics']))
    .argument('<number>', 'its number, as "tidemark replay status" has it', parseNumber)
    .option(...JSON_OPTION)
    .action(async (kind: string, number: number, { json }: OutputOptions) => {
      const dropped = await carryOut(context, 'replay drop', { kind, number });
      if (json) printJson(context, dropped);
      else context.out(`Generation ${number} of ${kind} is gone.\n`);
    });
}

function parseNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/u.test(text)) return Number(text);
  throw new InvalidArgumentError('It is the number of a generation.');
}
