import type { Command } from 'commander';
import { addAudienceChanges, addAudienceMembers } from './audience-changes.ts';
import { addAudienceCompare, addAudienceHistory, addAudienceVersions } from './audience-past.ts';
import { type Answer, operation } from '../../../schemas/operations.ts';
import { ask, type ServiceRequest } from '../client/ask.ts';
import { onePage } from '../client/pages.ts';
import { addAudienceExplain, addAudienceWhy } from './audience-questions.ts';
import {
  addOperands,
  askAudiences,
  bodyWith,
  definitionText,
  JSON_ANYWAY_OPTION,
  type OfProject,
  type ProjectOption,
  readOperands,
  sayWarnings,
  TRAITS_OPTION,
  withProject,
} from './audience-request.ts';
import type { CliContext } from '../context.ts';
import { JSON_OPTION, printJson, table } from '../print.ts';

export function addAudience(root: Command, context: CliContext): void {
  const audience = root.command('audience').description('Questions about users, and those saved under a name');
  addAudiencePreview(audience, context);
  addAudienceSave(audience, context);
  addAudienceList(audience, context);
  addSavedAudience(audience, context, 'show', 'show a saved audience');
  addAudienceChange(audience, context);
  addSavedAudience(audience, context, 'delete', 'delete a saved audience and its history');
  addAudienceMembers(audience, context);
  addAudienceChanges(audience, context);
  addSavedAudience(audience, context, 'evaluate', 'evaluate a saved audience now, and keep who entered and left');
  addAudienceHistory(audience, context);
  addAudienceVersions(audience, context);
  addAudienceCompare(audience, context);
  addAudienceExplain(audience, context);
  addAudienceWhy(audience, context);
}

function addAudiencePreview(parent: Command, context: CliContext): void {
  const names = ['definition'];
  addOperands(parent.command('preview').description('count the users of an audience, and name some'), names)
    .option('--sample <number>', 'how many user ids to give', '10')
    .option(...TRAITS_OPTION)
    .option(...JSON_ANYWAY_OPTION)
    .action(async (words: readonly string[], options: ProjectOption & { sample: string; traits?: string }) => {
      const { project, values } = readOperands(words, names, options);
      const { sample, traits } = options;
      const body = bodyWith({ definition: await definitionText(values[0] ?? '') }, { sample: Number(sample), traits });
      await printAnswer(context, project, (named) =>
        operation('POST /v1/audiences/preview', { query: { project: named }, body }),
      );
    });
}

function addAudienceSave(parent: Command, context: CliContext): void {
  const names = ['name', 'definition'];
  addOperands(parent.command('save').description('save an audience under a name'), names)
    .option('--refresh <time>', 'evaluate it by itself so often: 15m, 1h, 1d; or live')
    .option(...NOTE_OPTION)
    .option(...TAGS_OPTION)
    .option(...JSON_ANYWAY_OPTION)
    .action(async (words: readonly string[], options: ProjectOption & Labels & { refresh?: string }) => {
      const { project, values } = readOperands(words, names, options);
      const [name, definition = ''] = values;
      const body = bodyWith(
        { definition: await definitionText(definition) },
        { name, refresh: refreshOf(options.refresh), ...labelsOf(options) },
      );
      await printAnswer(context, project, (named) =>
        operation('POST /v1/audiences', { query: { project: named }, body }),
      );
    });
}

interface Labels {
  readonly note?: string;
  readonly tags?: string;
}

const NOTE_OPTION = ['--note <text>', 'what it is for, in words of your own'] as const;
const TAGS_OPTION = ['--tags <words>', 'words to find it by, such as email,spring'] as const;

function labelsOf({ note, tags }: Labels): { note?: string | undefined; tags?: readonly string[] | undefined } {
  return { note, tags: tags === '' ? [] : tags?.split(',') };
}

type ShownAudience = Answer<'GET /v1/audiences'>['audiences'][number];

function addAudienceList(parent: Command, context: CliContext): void {
  addOperands(parent.command('list').description('list saved audiences, newest first'), [])
    .option('--tag <word>', 'only those that have this tag')
    .option(...JSON_OPTION)
    .action(async (word: string | undefined, options: ProjectOption & { tag?: string; json?: true }) => {
      const { project } = readOperands(word, [], options);
      const listed = await onePage({ limit: Infinity, pageLimit: 100 }, (limit, cursor) =>
        askAudiences(context, project, (named) =>
          operation('GET /v1/audiences', { query: { limit, cursor, tag: options.tag, project: named } }),
        ),
      );
      if (options.json) printJson(context, listed);
      else
        context.out(table(['ID', 'NAME', 'REFRESH', 'MEMBERS', 'EVALUATED', 'FAILURE'], listed.audiences.map(rowOf)));
    });
}

function rowOf({ id, name, refresh, evaluation, failure }: ShownAudience): string[] {
  return [id, name, refresh ?? '-', String(evaluation?.members ?? '-'), evaluation?.at ?? '-', failure ?? '-'];
}

const SAVED: Readonly<Record<'show' | 'delete' | 'evaluate', (id: string, project?: string) => ServiceRequest>> = {
  show: (id, project) => operation('GET /v1/audiences/{id}', { path: { id }, query: { project } }),
  delete: (id, project) => operation('DELETE /v1/audiences/{id}', { path: { id }, query: { project } }),
  evaluate: (id, project) => operation('POST /v1/audiences/{id}/evaluate', { path: { id }, query: { project } }),
};

/** A subcommand that takes nothing but a saved audience. */
function addSavedAudience(
  parent: Command,
  context: CliContext,
  name: 'show' | 'delete' | 'evaluate',
  description: string,
): void {
  const names = ['id'];
  addOperands(parent.command(name).description(description), names)
    .option(...JSON_ANYWAY_OPTION)
    .action(async (words: readonly string[], options: ProjectOption) => {
      const { project, values } = readOperands(words, names, options);
      await printAnswer(context, project, (named) => SAVED[name](values[0] ?? '', named));
    });
}

interface ChangeAudienceOptions extends ProjectOption, Labels {
  readonly name?: string;
  readonly definition?: string;
  readonly refresh?: string;
}

function addAudienceChange(parent: Command, context: CliContext): void {
  const names = ['id'];
  addOperands(parent.command('change').description('change what is named of a saved audience'), names)
    .option('--name <name>', 'a name that no other audience of the project has')
    .option('--definition <definition>', 'the definition: a file, - for standard input, or JSON')
    .option('--refresh <time>', 'evaluate it by itself so often: 15m, 1h, 1d; or live, or none')
    .option(...NOTE_OPTION)
    .option(...TAGS_OPTION)
    .option(...JSON_ANYWAY_OPTION)
    .action(async (words: readonly string[], options: ChangeAudienceOptions) => {
      const { project, values } = readOperands(words, names, options);
      const { name, definition, refresh } = options;
      const given = definition === undefined ? undefined : await definitionText(definition);
      const body = bodyWith({ definition: given }, { name, refresh: refreshOf(refresh), ...labelsOf(options) });
      const path = { id: values[0] ?? '' };
      await printAnswer(context, project, (named) =>
        operation('PATCH /v1/audiences/{id}', { path, query: { project: named }, body }),
      );
    });
}

/** Prints the JSON as the service sent it, so that every digit of a definition is kept. */
async function printAnswer(context: CliContext, project: string | undefined, requestOf: OfProject): Promise<void> {
  const { signal } = context;
  const text = await withProject(context, project, (client, named) =>
    ask(client, { ...requestOf(named), notFound: 'AUDIENCE_UNKNOWN' }, { signal }),
  );
  context.out(`${text.trimEnd()}\n`);
  sayWarnings(context, JSON.parse(text));
}

/** `none`: the service no longer evaluates the audience by itself. */
function refreshOf(given: string | undefined): string | null | undefined {
  return given === 'none' ? null : given;
}
