import type { Command } from 'commander';
import { TidemarkError } from '../runtime/errors.ts';
import { type ServiceRequest, askForText } from './client/ask.ts';
import { addAudienceExplain, addAudienceWhy } from './audience-questions.ts';
import {
  addOperands,
  AUDIENCE_STORES,
  askAudiences,
  bodyWith,
  definitionText,
  pathFor,
  type ProjectOption,
  readOperands,
} from './audience-request.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, printJson, table } from './print.ts';
import type { ServiceClient } from './client/service-client.ts';
import { withService } from './client/with-service.ts';

/** For subcommands whose only output is JSON. */
const JSON_ANYWAY_OPTION = ['--json', 'print JSON, as without it'] as const;

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
  addAudienceExplain(audience, context);
  addAudienceWhy(audience, context);
}

function addAudiencePreview(parent: Command, context: CliContext): void {
  const names = ['definition'];
  addOperands(parent.command('preview').description('count the users of an audience, and name some'), names)
    .option('--sample <number>', 'how many user ids to give', '10')
    .option(...JSON_ANYWAY_OPTION)
    .action(async (words: readonly string[], options: ProjectOption & { sample: string }) => {
      const { project, values } = readOperands(words, names, options);
      const body = bodyWith(await definitionText(values[0] ?? ''), { sample: Number(options.sample) });
      await printAnswer(context, project, { method: 'POST', path: '/preview', body });
    });
}

function addAudienceSave(parent: Command, context: CliContext): void {
  const names = ['name', 'definition'];
  addOperands(parent.command('save').description('save an audience under a name'), names)
    .option('--refresh <time>', 'evaluate it by itself so often: 15m, 1h, 1d')
    .option(...JSON_ANYWAY_OPTION)
    .action(async (words: readonly string[], options: ProjectOption & { refresh?: string }) => {
      const { project, values } = readOperands(words, names, options);
      const [name, definition = ''] = values;
      const body = bodyWith(await definitionText(definition), { name, refresh: refreshOf(options.refresh) });
      await printAnswer(context, project, { method: 'POST', path: '', body });
    });
}

interface AudiencePage {
  readonly audiences: readonly ShownAudience[];
  readonly next_cursor: string | null;
}

interface ShownAudience {
  readonly id: string;
  readonly name: string;
  readonly refresh: string | null;
  readonly evaluation: { readonly at: string; readonly members: number } | null;
  readonly failure: string | null;
}

function addAudienceList(parent: Command, context: CliContext): void {
  addOperands(parent.command('list').description('list saved audiences, newest first'), [])
    .option(...JSON_OPTION)
    .action(async (word: string | undefined, options: ProjectOption & { json?: true }) => {
      const { project } = readOperands(word, [], options);
      const all: ShownAudience[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const path = `?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`;
        const page = JSON.parse(await askAudiences(context, project, { path })) as AudiencePage;
        all.push(...page.audiences);
        cursor = page.next_cursor;
      }
      if (options.json) printJson(context, all);
      else context.out(table(['ID', 'NAME', 'REFRESH', 'MEMBERS', 'EVALUATED', 'FAILURE'], all.map(rowOf)));
    });
}

function rowOf({ id, name, refresh, evaluation, failure }: ShownAudience): string[] {
  return [id, name, refresh ?? '-', String(evaluation?.members ?? '-'), evaluation?.at ?? '-', failure ?? '-'];
}

const SAVED: Readonly<Record<'show' | 'delete' | 'evaluate', (id: string) => ServiceRequest>> = {
  show: (id) => ({ path: onePath(id) }),
  delete: (id) => ({ method: 'DELETE', path: onePath(id) }),
  evaluate: (id) => ({ method: 'POST', path: `${onePath(id)}/evaluate`, body: '{}' }),
};

function onePath(id: string): string {
  return `/${encodeURIComponent(id)}`;
}

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
      await printAnswer(context, project, SAVED[name](values[0] ?? ''));
    });
}

interface ChangeAudienceOptions extends ProjectOption {
  readonly name?: string;
  readonly definition?: string;
  readonly refresh?: string;
}

function addAudienceChange(parent: Command, context: CliContext): void {
  const names = ['id'];
  addOperands(parent.command('change').description('change what is named of a saved audience'), names)
    .option('--name <name>', 'a name that no other audience of the project has')
    .option('--definition <definition>', 'the definition: a file, - for standard input, or JSON')
    .option('--refresh <time>', 'evaluate it by itself so often: 15m, 1h, 1d; or none')
    .option(...JSON_ANYWAY_OPTION)
    .action(async (words: readonly string[], options: ChangeAudienceOptions) => {
      const { project, values } = readOperands(words, names, options);
      const { name, definition, refresh } = options;
      const given = definition === undefined ? undefined : await definitionText(definition);
      const body = bodyWith(given, { name, refresh: refreshOf(refresh) });
      await printAnswer(context, project, { method: 'PATCH', path: onePath(values[0] ?? ''), body });
    });
}

function addAudienceMembers(parent: Command, context: CliContext): void {
  const names = ['id'];
  const description = 'print everybody who is in a saved audience now, a line of JSON each, and a last line';
  addOperands(parent.command('members').description(description), names)
    .option(...JSON_ANYWAY_OPTION)
    .action((words: readonly string[], options: ProjectOption) => {
      const { project, values } = readOperands(words, names, options);
      return printLines(context, project, `${onePath(values[0] ?? '')}/members`);
    });
}

function addAudienceChanges(parent: Command, context: CliContext): void {
  const names = ['id'];
  const description = 'print who entered and left a saved audience, a line of JSON each, and a last line';
  addOperands(parent.command('changes').description(description), names)
    .option('--since <time>', 'only what evaluations after this time found')
    .option(...JSON_ANYWAY_OPTION)
    .action((words: readonly string[], options: ProjectOption & { since?: string }) => {
      const { project, values } = readOperands(words, names, options);
      const since = options.since === undefined ? '' : `?since=${encodeURIComponent(options.since)}`;
      return printLines(context, project, `${onePath(values[0] ?? '')}/changes${since}`);
    });
}

const WRITTEN_TOGETHER = 1_000;

/** Prints the lines of a stream as they arrive. @throws TidemarkError `CONTROL_LOST` where its last line is missing. */
async function printLines(context: CliContext, project: string | undefined, path: string): Promise<void> {
  const whole = await pathFor(context, project, path);
  const { signal } = context;
  const print = async (client: ServiceClient): Promise<void> => {
    let last = '';
    let waiting: string[] = [];
    for await (const line of askForText(client, { path: whole, notFound: 'AUDIENCE_UNKNOWN' }, { signal })) {
      last = line;
      waiting.push(`${line}\n`);
      if (waiting.length < WRITTEN_TOGETHER) continue;
      context.out(waiting.join(''));
      waiting = [];
    }
    context.out(waiting.join(''));
    if (last.startsWith('{"next_cursor"')) return;
    throw new TidemarkError('CONTROL_LOST', 'The stream ended before its last line: not all was printed.');
  };
  await withService(context, print, { needs: AUDIENCE_STORES });
}

/** Prints the JSON as the service sent it, so that every digit of a definition is kept. */
async function printAnswer(context: CliContext, project: string | undefined, request: ServiceRequest): Promise<void> {
  context.out(`${(await askAudiences(context, project, { notFound: 'AUDIENCE_UNKNOWN', ...request })).trimEnd()}\n`);
}

/** `none`: the service no longer evaluates the audience by itself. */
function refreshOf(given: string | undefined): string | null | undefined {
  return given === 'none' ? null : given;
}
