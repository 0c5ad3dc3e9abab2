/** What the subcommands of `dead-letters` have in common. */
import { type Command, InvalidArgumentError } from 'commander';
import type { SettleResult } from '../dead-letters/settle.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, type OutputOptions, printJson } from './print.ts';

export interface FilterOptions {
  readonly reader?: string;
  readonly topic?: string;
  readonly project?: string;
  readonly error?: string;
  readonly since?: string;
  readonly until?: string;
}

export interface SettleOptions extends FilterOptions, OutputOptions {
  readonly all?: true;
  readonly again?: true;
  readonly dryRun?: true;
  readonly limit?: number;
}

export function addFilters(command: Command): Command {
  return command
    .option('--reader <name>', 'put aside by projector or sink')
    .option('--topic <name>', 'of the message, as identify or tidemark.identify')
    .option('--project <id>', 'of the message, where it can be read')
    .option('--error <code>', 'that the error begins with, as MESSAGE_UNDECODABLE')
    .option(
      '--since <time>',
      'put aside from then on: a time (ISO-8601, UTC where it does not say) or a while ago, as 2h',
    )
    .option('--until <time>', 'put aside before then');
}

export function addSettleOptions(command: Command): Command {
  return addFilters(command.argument('[ids...]', 'topic/partition/offset, as list shows them'))
    .option('--all', 'all of them: needed where neither ids nor a filter are given')
    .option('--again', 'also what was replayed or dropped before; with ids only')
    .option('--limit <count>', 'at most so many messages', count)
    .option('--dry-run', 'only say how many')
    .option(...JSON_OPTION);
}

export function settleArguments(
  ids: readonly string[],
  { dryRun, all, again, limit, reader, topic, project, error, since, until }: SettleOptions,
) {
  const filters = { reader, topic, project, error, since, until };
  return { ids, ...filters, all, again, limit, dry_run: dryRun };
}

/** @throws Error where ids were given that name nothing, once the rest is said. */
export function printSettled(context: CliContext, done: string, result: SettleResult, json: true | undefined): void {
  const { messages, still_undecodable: undecodable, settled_before: before, not_found: missing } = result;
  if (json) printJson(context, result);
  else
    context.out(`${messages} ${messages === 1 ? 'message' : 'messages'} ${result.dry_run ? 'would be ' : ''}${done}\n`);
  if (before > 0 && !json) context.err(`${before} replayed or dropped before: left as they are\n`);
  if (undecodable > 0 && done === 'replayed' && !json) {
    context.err(`${undecodable} of them cannot be read by this version either: readers will put them aside again\n`);
  }
  if (missing.length > 0) throw new Error(`no dead letter has the id ${missing.join(', ')}`);
}

export function count(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number from 1 up.');
}
