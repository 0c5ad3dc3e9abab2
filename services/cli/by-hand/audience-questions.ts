/** What is by hand of `tidemark audience explain`, `why` and `compare`. */
import { Option } from 'commander';
import type { Answer } from '../../../schemas/operations.ts';
import type { ByHand } from '../document/commands.ts';
import { documentIn } from '../document/definition.ts';
import { oneLine, table } from '../print.ts';

/** What the id of a user may be. */
const IDS = ['user_id', 'anonymous_id', 'internal_id'] as const;

export const AUDIENCE_QUESTIONS: Readonly<Record<string, ByHand>> = {
  'audience explain': { print: ({ out }, explanation: AudienceExplanation) => out(asScript(explanation)) },
  'audience why': {
    options: (command) =>
      void command
        .requiredOption('--user <id>', "the user's id")
        .addOption(new Option('--by <kind>', 'what the id is').choices(IDS).default('user_id')),
    change: ({ body }, { user, by }) => void (body[by as (typeof IDS)[number]] = user),
    print: ({ out }, { why }: Answer<'POST /v1/audiences/why'>) => out(linesOf(why, '').join('')),
  },
  'audience compare': {
    change: async ({ body }) => {
      const { before, after, ...rest } = body as { before: string; after: string };
      for (const name of Object.keys(body)) delete body[name];
      Object.assign(body, rest, await compared(before, after));
    },
    print: ({ out }, comparison: ComparisonAnswer) => out(comparisonText(comparison)),
  },
};

const AUDIENCE_ID = /^aud_\w{20}$/;

async function compared(before: string, after: string): Promise<object> {
  if (before === after && AUDIENCE_ID.test(before)) return { audience: before };
  const to = await documentIn(after, 'after');
  if (AUDIENCE_ID.test(before)) return { audience: before, definition: to };
  return { from: await documentIn(before, 'before'), to };
}

type AudienceExplanation = Answer<'POST /v1/audiences/explain'>;
type ComparisonAnswer = Answer<'POST /v1/audiences/compare'>;
type ShownEvaluation = Answer<'POST /v1/audiences/why'>['why'];

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

/** A line for each part, with what decided it; its own parts follow, indented. */
function linesOf(evaluation: ShownEvaluation, margin: string): string[] {
  const { condition, is_met: isMet, changes_at: changesAt, of = [], events = [] } = evaluation;
  const until = changesAt === null ? '' : `, until ${changesAt}`;
  const inside = `${margin}     `;
  return [
    `${margin}${isMet ? 'yes' : 'no '}  ${condition}${foundIn(evaluation)}${until}\n`,
    ...events.map((event) => `${inside}${event.timestamp}  ${JSON.stringify(event.message_id)}${cameBy(event)}\n`),
    ...of.flatMap((part) => linesOf(part, inside)),
  ];
}

function cameBy({ joined_id: id }: { readonly joined_id?: string }): string {
  return id === undefined ? '' : `  as ${JSON.stringify(id)}`;
}

function foundIn({ kind, count, value, version }: ShownEvaluation): string {
  if (kind === 'event') return `: ${count}`;
  if (kind !== 'trait') return '';
  if (version === null || version === undefined) return ': never set';
  if (version.is_deletion) return `: deleted ${version.timestamp}`;
  return `: ${value === undefined ? 'nothing there' : JSON.stringify(value)}, set ${version.timestamp}${cameBy(version)}`;
}

function comparisonText({ from, to, entering, leaving, staying }: ComparisonAnswer): string {
  const rows = Object.entries({ entering, leaving, staying }).map(([name, { count, sample }]) => [
    name,
    String(count),
    oneLine(sample.map((user) => user.user_id ?? user.anonymous_id ?? user.internal_id).join(' ')),
  ]);
  return `${from.count} users before, ${to.count} after\n${table(['', 'USERS', 'SOME OF THEM'], rows)}`;
}
