import type { Command } from 'commander';
import type { ShownDeadLetter } from '../dead-letters/listing.ts';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { addFilters, count, type FilterOptions } from './dead-letters-options.ts';
import { JSON_OPTION, type OutputOptions, printJson, table } from './print.ts';
import { withProgress } from './progress.ts';

interface Options extends FilterOptions, OutputOptions {
  readonly state?: string;
  readonly limit?: number;
}

const ERROR_CHARACTERS = 60;

export function addDeadLettersList(parent: Command, context: CliContext): void {
  addFilters(parent.command('list').description('list messages that readers put aside, newest first'))
    .option('--state <state>', 'waiting, replayed, dropped or any (default: waiting)')
    .option('--limit <count>', 'at most so many (default: 100)', count)
    .option(...JSON_OPTION)
    .action(async ({ json, ...args }: Options) => {
      const listed = await withProgress(context, 'reading', (onProgress) =>
        carryOut(context, 'dead-letters list', { ...args }, { onProgress }),
      );
      if (json) return printJson(context, listed);
      context.out(table(['ID', 'STATE', 'READERS', 'PROJECT', 'PUT ASIDE', 'WHY'], listed.dead_letters.map(rowOf)));
      if (listed.more) context.err('There are more: raise --limit, or narrow it down.\n');
      if (listed.unreadable > 0) context.err(`${listed.unreadable} records of the topic are no dead letters.\n`);
    });
}

function rowOf({ id, state, attempts, project_id: project, failed_at: failedAt, copy_of: original }: ShownDeadLetter) {
  const readers = [...new Set(attempts.map(({ reader }) => reader))].join(', ');
  const why = printable(attempts.at(-1)?.error ?? '');
  return [id, state, readers, project ?? '-', failedAt, original === null ? why : `(copy of ${original}) ${why}`];
}

/** On one line; an error may quote anything. */
function printable(error: string): string {
  const text = error.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return text.length <= ERROR_CHARACTERS ? text : `${text.slice(0, ERROR_CHARACTERS)}…`;
}
