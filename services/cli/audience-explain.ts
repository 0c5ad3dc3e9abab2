import type { Command } from 'commander';
import { keepDigits } from '../messages/exact-number.ts';
import { askedOf, type AskedOfProject, DEFINITION_ARGUMENT, PROJECT_OPTION } from './audience.ts';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, type OutputOptions, printJson } from './print.ts';

interface Explained {
  readonly database: string;
  readonly sql: string;
  readonly rows: number;
  readonly reads: readonly {
    readonly path: string | null;
    readonly condition: string;
    readonly reads: string;
    readonly rows: number;
  }[];
}

export function addAudienceExplain(parent: Command, context: CliContext): void {
  parent
    .command('explain')
    .description('print the SQL that an audience is asked for by, to run by hand, and what each condition reads')
    .argument(...DEFINITION_ARGUMENT)
    .option(...PROJECT_OPTION)
    .option(...JSON_OPTION)
    .action(async (file: string, options: OutputOptions & AskedOfProject) => {
      const explained = await carryOut(context, 'audience explain', await askedOf(context, file, options));
      if (options.json) printJson(context, JSON.parse(explained, keepDigits));
      else context.out(asScript(JSON.parse(explained) as Explained));
    });
}

/** A script for clickhouse-client: what is read stands in its comments, which no text of a definition can end. */
function asScript({ database, sql, rows, reads }: Explained): string {
  const lines = reads.flatMap(({ path, condition, reads: words, rows: some }) => [
    `${path ?? ''} ${condition}`.trim(),
    `    ${words}`,
    `    about ${some} rows`,
  ]);
  const comments = [`for clickhouse-client --database ${JSON.stringify(database)}`, `about ${rows} rows`, ...lines];
  return `${comments.map((line) => `-- ${line.replaceAll(/[\r\n]/g, ' ')}\n`).join('')}${sql};\n`;
}
