import type { Command } from 'commander';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, type OutputOptions, printJson, printProjects } from './print.ts';
import { type LimitOption, parseLimit, parseRateLimit, type RateLimitOption } from './rate-limit.ts';

interface Options extends OutputOptions {
  readonly name?: string;
  readonly timezone?: string;
  readonly rateLimit?: RateLimitOption;
  readonly queryMaxMs?: LimitOption;
  readonly queryMaxMemoryBytes?: LimitOption;
  readonly queryMaxRows?: LimitOption;
}

export function addProjectSet(parent: Command, context: CliContext): void {
  parent
    .command('set')
    .description("change a project's settings; running services follow within 10 seconds")
    .argument('<id>', 'the id of the project')
    .option('--name <name>', 'a name for people, 1 to 200 characters')
    .option('--timezone <zone>', 'IANA time zone; what is recorded already stays as it is')
    .option('--rate-limit <limit>', 'requests a second for each ingest process, or none', parseRateLimit)
    .option('--query-max-ms <limit>', 'longest a question may take, or none for QUERY_MAX_MS', parseLimit)
    .option(
      '--query-max-memory-bytes <limit>',
      'most memory of a question, or none for QUERY_MAX_MEMORY_BYTES',
      parseLimit,
    )
    .option('--query-max-rows <limit>', 'most rows a question may read, or none for QUERY_MAX_ROWS', parseLimit)
    .option(...JSON_OPTION)
    .action(async (id: string, { name, timezone, rateLimit, json, ...limits }: Options) => {
      const changed = await carryOut(context, 'project set', {
        id,
        name,
        timezone,
        rate_limit: rateLimit?.limit,
        query_max_ms: limits.queryMaxMs?.limit,
        query_max_memory_bytes: limits.queryMaxMemoryBytes?.limit,
        query_max_rows: limits.queryMaxRows?.limit,
      });
      if (json) printJson(context, changed);
      else printProjects(context, [changed]);
    });
}
