import type { Command } from 'commander';
import { definitionText } from './document/definition.ts';
import { carryOut, listDeadLetters } from './client/carry-out.ts';
import { job, type JobResults } from './client/job.ts';
import { type Answer, operation } from '../../schemas/operations.ts';
import type { CliContext } from './context.ts';
import { positiveInteger } from './options.ts';
import { JSON_OPTION, oneLine, type OutputOptions, printJson, shortened, table } from './print.ts';
import { withProgress } from './progress.ts';
import { optionalProjectId } from './project.ts';

export function addDeadLetters(root: Command, context: CliContext): void {
  const deadLetters = root.command('dead-letters').description('messages that readers could not process');
  addDeadLettersList(deadLetters, context);
  addDeadLettersShow(deadLetters, context);
  addDeadLettersEdit(deadLetters, context);
  addResolution(deadLetters, context, 'replay', {
    description: 'append messages to their topics again, as they were, once what stood in their way is gone',
    doing: 'replaying',
    done: 'replayed',
  });
  addResolution(deadLetters, context, 'drop', {
    description: 'forget messages: they stay on the log, and are listed no more',
    doing: 'dropping',
    done: 'dropped',
  });
}

interface ListDeadLettersOptions extends FilterOptions, OutputOptions {
  readonly state?: string;
  readonly limit?: number;
}

const ERROR_CHARACTERS = 60;

const parseCount = positiveInteger(9, 'It is a whole number from 1 up.');

function addDeadLettersList(parent: Command, context: CliContext): void {
  addFilters(parent.command('list').description('list messages that readers put aside, newest first'))
    .option('--state <state>', 'waiting, replayed, edited, dropped or any (default: waiting)')
    .option('--limit <count>', 'the most that are listed (default: 100)', parseCount)
    .option(...JSON_OPTION)
    .action(async ({ json, state, limit, ...options }: ListDeadLettersOptions) => {
      const args = { ...(await filtersOf(context, options)), state, limit };
      const listed = await withProgress(context, 'reading', (onProgress) =>
        listDeadLetters(context, args, { onProgress }),
      );
      const { dead_letters: letters, next_cursor: next, unreadable } = listed;
      if (json) return printJson(context, listed);
      context.out(table(['ID', 'STATE', 'READERS', 'PROJECT', 'PUT ASIDE', 'WHY'], letters.map(rowOf)));
      if (next !== null) context.err('There are more: raise --limit, or narrow it down.\n');
      if (unreadable > 0) context.err(`${unreadable} records of the topic are no dead letters.\n`);
    });
}

function rowOf({
  id,
  state,
  attempts,
  project_id: project,
  failed_at: failedAt,
  copy_of: original,
}: Answer<'GET /v1/admin/dead-letters'>['dead_letters'][number]) {
  const readers = [...new Set(attempts.map(({ reader }) => reader))].join(', ');
  const why = shortened(oneLine(attempts.at(-1)?.error ?? ''), ERROR_CHARACTERS);
  return [id, state, readers, project ?? '-', failedAt, original === null ? why : `(copy of ${original}) ${why}`];
}

function addDeadLettersShow(parent: Command, context: CliContext): void {
  parent
    .command('show')
    .description('show all that is known of a message that was put aside, as JSON')
    .argument('<id>', 'topic/partition/offset, as list shows it')
    .option('--record', 'print the message alone, as edit takes it')
    .option('--json', 'print JSON, as it does anyway')
    .action(async (id: string, { record }: { readonly record?: true }) => {
      const shown = await withProgress(context, 'reading', (onProgress) =>
        carryOut(
          context,
          { ...operation('GET /v1/admin/dead-letters/{id}', { path: { id } }), streams: true },
          {
            onProgress,
          },
        ),
      );
      if (record && shown.record === null) throw new Error(`the message of ${id} cannot be decoded`);
      printJson(context, record ? shown.record : shown);
    });
}

interface EditOptions extends OutputOptions {
  readonly dryRun?: true;
}

function addDeadLettersEdit(parent: Command, context: CliContext): void {
  parent
    .command('edit')
    .description('append a corrected message in place of one that a reader could not process')
    .argument('<id>', 'topic/partition/offset, as list shows it')
    .argument('<record>', 'what to change, as show --record prints it: a file, - for standard input, or JSON')
    .option('--dry-run', 'only say whether the stores would take it')
    .option(...JSON_OPTION)
    .action(async (id: string, given: string, { dryRun, json }: EditOptions) => {
      const sent = { path: { id }, query: { dry_run: dryRun }, body: await definitionText(given) };
      const edited = await carryOut(context, operation('POST /v1/admin/dead-letters/{id}/edit', sent));
      if (json) printJson(context, edited);
      else context.out(editedText(edited));
      if (Object.values(edited.stores ?? {}).some(({ accepts }) => !accepts))
        throw new Error('a store would not take it');
    });
}

type EditedDeadLetter = Answer<'POST /v1/admin/dead-letters/{id}/edit'>;

function editedText({ copy, stores }: EditedDeadLetter): string {
  if (stores === null) return `edited: appended as ${copy}\n`;
  return [trialText('profiles', stores.profiles), trialText('analytics', stores.analytics)].join('');
}

function trialText(store: string, { accepts, error }: NonNullable<EditedDeadLetter['stores']>['profiles']): string {
  return `${store}: ${accepts ? 'would take it' : `would refuse it: ${error}`}\n`;
}

interface ResolutionWords {
  readonly description: string;
  readonly doing: string;
  readonly done: 'replayed' | 'dropped';
}

/** `tidemark dead-letters replay` and `tidemark dead-letters drop` */
function addResolution(
  parent: Command,
  context: CliContext,
  name: 'replay' | 'drop',
  { description, doing, done }: ResolutionWords,
): void {
  addResolutionOptions(parent.command(name).description(description)).action(
    async (ids: readonly string[], options: ResolutionOptions) => {
      const body = await resolutionArguments(context, ids, options);
      const result = await withProgress(context, doing, (onProgress) =>
        carryOut(context, job(`POST /v1/admin/dead-letters/${name}`, { body }), { onProgress }),
      );
      printResolved(context, done, result, options.json);
    },
  );
}

interface FilterOptions {
  readonly reader?: string;
  readonly topic?: string;
  readonly project?: string;
  readonly error?: string;
  readonly since?: string;
  readonly until?: string;
}

interface ResolutionOptions extends FilterOptions, OutputOptions {
  readonly all?: true;
  readonly again?: true;
  readonly dryRun?: true;
  readonly limit?: number;
}

function addFilters(command: Command): Command {
  return command
    .option('--reader <name>', 'put aside by projector or sink')
    .option('--topic <name>', 'of the message, as identify or tidemark.identify')
    .option('--project <project>', 'of the message, by its id or name, where it can be read')
    .option('--error <code>', 'that the error begins with, as MESSAGE_UNDECODABLE')
    .option(
      '--since <time>',
      'put aside from then on: a time (ISO-8601, UTC where it does not say) or a while ago, as 2h',
    )
    .option('--until <time>', 'put aside before then');
}

function addResolutionOptions(command: Command): Command {
  return addFilters(command.argument('[ids...]', 'topic/partition/offset, as list shows them'))
    .option('--all', 'all of them: needed where neither ids nor a filter are given')
    .option('--again', 'also what was replayed or dropped before; with ids only')
    .option('--limit <count>', 'the most messages that it takes', parseCount)
    .option('--dry-run', 'only say how many')
    .option(...JSON_OPTION);
}

async function resolutionArguments(context: CliContext, ids: readonly string[], options: ResolutionOptions) {
  const { dryRun, all, again, limit } = options;
  return { ids, ...(await filtersOf(context, options)), all, again, limit, dry_run: dryRun };
}

async function filtersOf(context: CliContext, { reader, topic, project, error, since, until }: FilterOptions) {
  return { reader, topic, project: await optionalProjectId(context, project), error, since, until };
}

/** @throws Error after printing, where an id that was given is not one of a dead letter. */
function printResolved(
  context: CliContext,
  done: ResolutionWords['done'],
  result: JobResults['POST /v1/admin/dead-letters/replay'],
  json: true | undefined,
): void {
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
