import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError } from 'commander';
import { keepDigits } from '../messages/exact-number.ts';
import { TidemarkError } from '../runtime/errors.ts';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, type OutputOptions, printJson } from './print.ts';
import { projectOf } from './project.ts';

interface AudienceExplanation {
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
    .action(async (file: string, options: OutputOptions & ProjectOption) => {
      const explained = await carryOut(context, 'audience explain', await questionOf(context, file, options));
      if (options.json) printJson(context, JSON.parse(explained, keepDigits));
      else context.out(asScript(JSON.parse(explained) as AudienceExplanation));
    });
}

/** A script for clickhouse-client. What is read is in comments, which no text of a definition can end. */
function asScript({ database, sql, rows, reads }: AudienceExplanation): string {
  const lines = reads.flatMap(({ path, condition, reads: description, rows: rowCount }) => [
    `${path ?? ''} ${condition}`.trim(),
    `    ${description}`,
    `    about ${rowCount} rows`,
  ]);
  const comments = [`for clickhouse-client --database ${JSON.stringify(database)}`, `about ${rows} rows`, ...lines];
  return `${comments.map((line) => `-- ${line.replaceAll(/[\r\n]/g, ' ')}\n`).join('')}${sql};\n`;
}

interface AudienceWhyOptions extends OutputOptions, ProjectOption {
  readonly user: string;
  readonly events: number;
}

interface ShownEvent {
  readonly message_id: string;
  readonly timestamp: string;
}

interface ShownEvaluation {
  readonly kind: string;
  readonly condition: string;
  readonly is_met: boolean;
  readonly changes_at: string | null;
  readonly of?: readonly ShownEvaluation[];
  readonly value?: unknown;
  readonly version?: { readonly timestamp: string; readonly is_deletion: boolean } | null;
  readonly count?: number;
  readonly events?: readonly ShownEvent[];
}

export function addAudienceWhy(parent: Command, context: CliContext): void {
  parent
    .command('why')
    .description('say whether one user is in an audience, why, and until when')
    .argument(...DEFINITION_ARGUMENT)
    .requiredOption('--user <id>', "the user's id")
    .option('--events <number>', 'how many events to name for each condition', readNumber, 3)
    .option(...PROJECT_OPTION)
    .option(...JSON_OPTION)
    .action(async (file: string, { user, events, ...options }: AudienceWhyOptions) => {
      const question = await questionOf(context, file, options);
      const why = await carryOut(context, 'audience why', { ...question, user, events });
      const shown = JSON.parse(why, keepDigits) as { readonly why: ShownEvaluation };
      if (options.json) printJson(context, shown);
      else context.out(linesOf(shown.why, '').join(''));
    });
}

function readNumber(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number.');
}

/** A line for each part, with what decided it; its own parts follow, indented. */
function linesOf(evaluation: ShownEvaluation, margin: string): string[] {
  const { condition, is_met: isMet, changes_at: changesAt, of = [], events = [] } = evaluation;
  const until = changesAt === null ? '' : `, until ${changesAt}`;
  const inside = `${margin}     `;
  return [
    `${margin}${isMet ? 'yes' : 'no '}  ${condition}${foundIn(evaluation)}${until}\n`,
    ...events.map(({ message_id: id, timestamp }) => `${inside}${timestamp}  ${JSON.stringify(id)}\n`),
    ...of.flatMap((part) => linesOf(part, inside)),
  ];
}

function foundIn({ kind, count, value, version }: ShownEvaluation): string {
  if (kind === 'event') return `: ${count}`;
  if (kind !== 'trait') return '';
  if (version === null || version === undefined) return ': never set';
  if (version.is_deletion) return `: deleted ${version.timestamp}`;
  return `: ${value === undefined ? 'nothing there' : JSON.stringify(value)}, set ${version.timestamp}`;
}

const DEFINITION_ARGUMENT = ['<definition>', 'the definition: a file, - for standard input, or JSON'] as const;
const PROJECT_OPTION = ['--project <id>', 'whose users they are (default: the only project)'] as const;

interface ProjectOption {
  readonly project?: string;
}

/** The arguments that name an audience in a question about it. */
async function questionOf(
  context: CliContext,
  file: string,
  { project }: ProjectOption,
): Promise<{ project: string; definition: string }> {
  const definition = await definitionText(file);
  return { project: (await projectOf(context, project)).id, definition };
}

/** What a file, standard input (`-`) or the argument itself has. @throws TidemarkError `COMMAND_INVALID` */
export async function definitionText(given: string): Promise<string> {
  if (given.trimStart().startsWith('{')) return given;
  // `@FILE` is how a file was named before.
  const file = given.startsWith('@') ? given.slice(1) : given;
  try {
    return await (file === '-' ? text(process.stdin) : readFile(file, 'utf8'));
  } catch (cause) {
    throw new TidemarkError('COMMAND_INVALID', `${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
