/** `tidemark audience history`, `versions` and `compare`: what a saved audience was, and what a change would do. */
import { type Command, Option } from 'commander';
import { type Answer, operation, type Query } from '../../../schemas/operations.ts';
import {
  addOperands,
  askAudiences,
  bodyWith,
  definitionText,
  type ProjectOption,
  readOperands,
} from './audience-request.ts';
import type { CliContext } from '../context.ts';
import { positiveInteger } from '../options.ts';
import { JSON_OPTION, oneLine, type OutputOptions, printJson, table } from '../print.ts';

const LIMIT_OPTION = [
  '--limit <count>',
  'the most that are listed',
  positiveInteger(4, 'It is a whole number from 1 to 1000.'),
  50,
] as const;

interface HistoryOptions extends OutputOptions, ProjectOption {
  readonly since?: string;
  readonly until?: string;
  readonly per?: NonNullable<Query<'GET /v1/audiences/{id}/history'>['per']>;
  readonly limit: number;
}

type HistoryPage = Answer<'GET /v1/audiences/{id}/history'>;

export function addAudienceHistory(parent: Command, context: CliContext): void {
  const names = ['id'];
  addOperands(parent.command('history').description('show the size of a saved audience over time, newest first'), names)
    .option('--since <time>', 'only evaluations from this time on')
    .option('--until <time>', 'only evaluations before this time')
    .addOption(new Option('--per <period>', 'one line for every hour or day').choices(['hour', 'day']))
    .option(...LIMIT_OPTION)
    .option(...JSON_OPTION)
    .action(async (words: readonly string[], { json, since, until, per, limit, ...options }: HistoryOptions) => {
      const { project, values } = readOperands(words, names, options);
      const path = { id: values[0] ?? '' };
      const page = await askAudiences(context, project, (named) => {
        const query = { since, until, per, limit, project: named };
        return { ...operation('GET /v1/audiences/{id}/history', { path, query }), notFound: 'AUDIENCE_UNKNOWN' };
      });
      if (json) printJson(context, page);
      else context.out(table(['AT', 'USERS', 'ENTERED', 'LEFT', 'VERSION', 'CAUSE'], page.history.map(historyRow)));
      sayThereAreMore(context, page);
    });
}

function historyRow({ at, count, entered, left, version, cause }: HistoryPage['history'][number]): string[] {
  return [at, String(count), String(entered), String(left), String(version), cause];
}

interface VersionsOptions extends OutputOptions, ProjectOption {
  readonly limit: number;
}

type VersionsPage = Answer<'GET /v1/audiences/{id}/versions'>;

export function addAudienceVersions(parent: Command, context: CliContext): void {
  const names = ['id'];
  addOperands(parent.command('versions').description('show the definitions of a saved audience, newest first'), names)
    .option(...LIMIT_OPTION)
    .option(...JSON_OPTION)
    .action(async (words: readonly string[], { json, limit, ...options }: VersionsOptions) => {
      const { project, values } = readOperands(words, names, options);
      const path = { id: values[0] ?? '' };
      const page = await askAudiences(context, project, (named) => {
        const query = { limit, project: named };
        return { ...operation('GET /v1/audiences/{id}/versions', { path, query }), notFound: 'AUDIENCE_UNKNOWN' };
      });
      if (json) printJson(context, page);
      else context.out(table(['VERSION', 'CHANGED', 'BY', 'DEFINITION'], page.versions.map(versionRow)));
      sayThereAreMore(context, page);
    });
}

function versionRow({
  version,
  changed_at: at,
  changed_by: by,
  definition,
}: VersionsPage['versions'][number]): string[] {
  return [String(version), at ?? '-', by ?? '-', oneLine(JSON.stringify(definition))];
}

function sayThereAreMore({ err }: CliContext, { next_cursor: next }: HistoryPage | VersionsPage): void {
  if (next !== null) err('There are more: raise --limit.\n');
}

interface CompareOptions extends OutputOptions, ProjectOption {
  readonly sample: number;
}

type ComparisonAnswer = Answer<'POST /v1/audiences/compare'>;

export function addAudienceCompare(parent: Command, context: CliContext): void {
  const names = ['before', 'after'];
  const description =
    'say who enters and who leaves if a definition, or that of the saved audience of an id, is changed so';
  addOperands(parent.command('compare').description(description), names)
    .option('--sample <number>', 'how many users of each to name', positiveInteger(4, 'It is a whole number.'), 10)
    .option(...JSON_OPTION)
    .action(async (words: readonly string[], { json, sample, ...options }: CompareOptions) => {
      const { project, values } = readOperands(words, names, options);
      const [before = '', after = ''] = values;
      const body = await comparisonBody(before, after, sample);
      const comparison = await askAudiences(context, project, (named) => {
        const request = operation('POST /v1/audiences/compare', { query: { project: named }, body });
        return { ...request, notFound: 'AUDIENCE_UNKNOWN' };
      });
      if (json) printJson(context, comparison);
      else context.out(comparisonText(comparison));
    });
}

const AUDIENCE_ID = /^aud_\w{20}$/;

/** Definitions go in as they were written. */
async function comparisonBody(before: string, after: string, sample: number): Promise<string> {
  const to = await definitionText(after);
  if (AUDIENCE_ID.test(before)) return bodyWith({ definition: to }, { audience: before, sample });
  return bodyWith({ from: await definitionText(before), to }, { sample });
}

function comparisonText({ from, to, entering, leaving, staying }: ComparisonAnswer): string {
  const rows = Object.entries({ entering, leaving, staying }).map(([name, { count, sample }]) => [
    name,
    String(count),
    oneLine(sample.map((user) => user.user_id ?? user.anonymous_id ?? user.internal_id).join(' ')),
  ]);
  return `${from.count} users before, ${to.count} after\n${table(['', 'USERS', 'SOME OF THEM'], rows)}`;
}
