import type { Command } from 'commander';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, type OutputOptions, printJson, printProjects } from './print.ts';
import { parseRateLimit, type RateLimitOption } from './rate-limit.ts';

interface Options extends OutputOptions {
  readonly timezone?: string;
  readonly rateLimit?: RateLimitOption;
}

export function addProjectCreate(parent: Command, context: CliContext): void {
  parent
    .command('create')
    .description('make a project; make its keys with "tidemark key create"')
    .argument('<name>', 'a name for people, 1 to 200 characters')
    .option('--timezone <zone>', 'IANA time zone of timestamps without an offset (default: INITIAL_TIMEZONE)')
    .option('--rate-limit <limit>', 'requests a second for each ingest process, or none', parseRateLimit)
    .option(...JSON_OPTION)
    .action(async (name: string, { timezone, rateLimit, json }: Options) => {
      const made = await carryOut(context, 'project create', { name, timezone, rate_limit: rateLimit?.limit });
      if (json) printJson(context, made);
      else printProjects(context, [made]);
    });
}
