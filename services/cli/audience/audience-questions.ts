import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Answer, operation } from '../../../schemas/operations.ts';
import {
  addOperands,
  askAudiences,
  bodyWith,
  definitionText,
  type ProjectOption,
  readOperands,
} from './audience-request.ts';
import type { CliContext } from '../context.ts';
import { JSON_OPTION, type OutputOptions, printJson } from '../print.ts';

type AudienceExplanation = Answer<'POST /v1/audiences/explain'>;

export function addAudienceExplain(parent: Command, context: CliContext): void {
  const names = ['definition'];
  const description = 'print the SQL that an audience is asked for by, to run by hand, and what each condition reads';
  addOperands(parent.command('explain').description(description), names)
    .option(...JSON_OPTION)
    .action(async (words: readonly string[], options: OutputOptions & ProjectOption) => {
      const { project, values } = readOperands(words, names, options);
      const body = bodyWith({ definition: await definitionText(values[0] ?? '') }, {});
      const explanation = await askAudiences(context, project, (named) =>
        operation('POST /v1/audiences/explain', { query: { project: named }, body }),
      );
      if (options.json) printJson(context, explanation);
      else context.out(asScript(explanation));
    });
}

/** Paths are shown from here on: the definition is all that there is. */
const ROOT = '/definition';

/** A script for clickhouse-client. What is read is in comments, which no text of a definition can end. */
function asScript({ database, sql, rows, reads }: AudienceExplanation): string {
  const lines = reads.flatMap(({ path, condition, reads: description, rows: rowCount }) => [
    `${path?.slice(ROOT.length) ?? ''} ${condition}`.trim(),
    `    ${description}`,
    `    about ${rowCount} rows`,
  ]);
  const comments = [`for clickhouse-client --database ${JSON.stringify(database)}`, `about ${rows} rows`, ...lines];
  return `${comments.map((line) => `-- ${line.replaceAll(/[\r\n]/g, ' ')}\n`).join('')}${sql};\n`;
}

interface AudienceWhyOptions extends OutputOptions, ProjectOption {
  readonly user: string;
  readonly by: (typeof IDS)[number];
  readonly events: number;
}

/** What the id of a user may be. */
const IDS = ['user_id', 'anonymous_id', 'internal_id'] as const;

type ShownEvaluation = Answer<'POST /v1/audiences/why'>['why'];

export function addAudienceWhy(parent: Command, context: CliContext): void {
  const names = ['definition'];
  const description = 'say whether one user is in an audience, why, and until when';
  addOperands(parent.command('why').description(description), names)
    .requiredOption('--user <id>', "the user's id")
    .addOption(new Option('--by <kind>', 'what the id is').choices(IDS).default('user_id'))
    .option('--events <number>', 'how many events to name for each condition', readNumber, 3)
    .option(...JSON_OPTION)
    .action(async (words: readonly string[], { user, by, events, ...options }: AudienceWhyOptions) => {
      const { project, values } = readOperands(words, names, options);
      const body = bodyWith({ definition: await definitionText(values[0] ?? '') }, { [by]: user, events });
      const explanation = await askAudiences(context, project, (named) =>
        operation('POST /v1/audiences/why', { query: { project: named }, body }),
      );
      if (options.json) printJson(context, explanation);
      else context.out(linesOf(explanation.why, '').join(''));
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
