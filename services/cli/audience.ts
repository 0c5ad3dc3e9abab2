import type { Command } from 'commander';
import type { AudienceAnswer } from '../query-api/audiences/commands.ts';
import type { CommandArguments } from '../runtime/command.ts';
import { addAudienceExplain, addAudienceWhy, definitionText } from './audience-questions.ts';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, printJson, table } from './print.ts';
import { projectIdOf } from './project.ts';

const PROJECT_ARGUMENT = ['<project>', 'the id or name of the project'] as const;
const AUDIENCE_ARGUMENT = ['<id>', 'the id of the audience'] as const;
const DEFINITION_ARGUMENT = ['<definition>', 'the definition: a file, - for standard input, or JSON'] as const;
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
  parent
    .command('preview')
    .description('count the users of an audience, and name some')
    .argument(...PROJECT_ARGUMENT)
    .argument(...DEFINITION_ARGUMENT)
    .option('--sample <number>', 'how many user ids to give', '10')
    .option(...JSON_ANYWAY_OPTION)
    .action(async (project: string, definition: string, { sample }: { sample: string }) => {
      const args = {
        project: await projectIdOf(context, project),
        definition: await definitionText(definition),
        sample: Number(sample),
      };
      printAnswer(context, await carryOut(context, 'audience preview', args));
    });
}

function addAudienceSave(parent: Command, context: CliContext): void {
  parent
    .command('save')
    .description('save an audience under a name')
    .argument(...PROJECT_ARGUMENT)
    .argument('<name>', 'a name that no other audience of the project has')
    .argument(...DEFINITION_ARGUMENT)
    .option('--refresh <time>', 'evaluate it by itself so often: 15m, 1h, 1d')
    .option(...JSON_ANYWAY_OPTION)
    .action(async (project: string, name: string, definition: string, { refresh }: { refresh?: string }) => {
      const args = {
        project: await projectIdOf(context, project),
        name,
        definition: await definitionText(definition),
        refresh: refreshOf(refresh),
      };
      printAnswer(context, await carryOut(context, 'audience save', args));
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
  parent
    .command('list')
    .description('list saved audiences, newest first')
    .argument(...PROJECT_ARGUMENT)
    .option(...JSON_OPTION)
    .action(async (project: string, { json }: { json?: true }) => {
      const projectId = await projectIdOf(context, project);
      const all: ShownAudience[] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const answer = await carryOut(context, 'audience list', { project: projectId, limit: 100, cursor });
        const page = JSON.parse(answer.json) as AudiencePage;
        all.push(...page.audiences);
        cursor = page.next_cursor;
      }
      if (json) printJson(context, all);
      else context.out(table(['ID', 'NAME', 'REFRESH', 'MEMBERS', 'EVALUATED', 'FAILURE'], all.map(rowOf)));
    });
}

function rowOf({ id, name, refresh, evaluation, failure }: ShownAudience): string[] {
  return [id, name, refresh ?? '-', String(evaluation?.members ?? '-'), evaluation?.at ?? '-', failure ?? '-'];
}

/** A subcommand that takes nothing but a saved audience. */
function addSavedAudience(
  parent: Command,
  context: CliContext,
  name: 'show' | 'delete' | 'evaluate',
  description: string,
): void {
  parent
    .command(name)
    .description(description)
    .argument(...PROJECT_ARGUMENT)
    .argument(...AUDIENCE_ARGUMENT)
    .option(...JSON_ANYWAY_OPTION)
    .action(async (project: string, id: string) => {
      printAnswer(
        context,
        await carryOut(context, `audience ${name}`, { project: await projectIdOf(context, project), id }),
      );
    });
}

interface ChangeAudienceOptions {
  readonly name?: string;
  readonly definition?: string;
  readonly refresh?: string;
}

function addAudienceChange(parent: Command, context: CliContext): void {
  parent
    .command('change')
    .description('change what is named of a saved audience')
    .argument(...PROJECT_ARGUMENT)
    .argument(...AUDIENCE_ARGUMENT)
    .option('--name <name>', 'a name that no other audience of the project has')
    .option('--definition <definition>', 'the definition: a file, - for standard input, or JSON')
    .option('--refresh <time>', 'evaluate it by itself so often: 15m, 1h, 1d; or none')
    .option(...JSON_ANYWAY_OPTION)
    .action(async (project: string, id: string, { name, definition, refresh }: ChangeAudienceOptions) => {
      const text = definition === undefined ? undefined : await definitionText(definition);
      const args = {
        project: await projectIdOf(context, project),
        id,
        name,
        definition: text,
        refresh: refreshOf(refresh),
      };
      printAnswer(context, await carryOut(context, 'audience change', args));
    });
}

function addAudienceMembers(parent: Command, context: CliContext): void {
  parent
    .command('members')
    .description('print everybody who is in a saved audience now, a line of JSON each, and a last line')
    .argument(...PROJECT_ARGUMENT)
    .argument(...AUDIENCE_ARGUMENT)
    .option(...JSON_ANYWAY_OPTION)
    .action(async (project: string, id: string) =>
      printLines(context, 'audience members', { project: await projectIdOf(context, project), id }),
    );
}

function addAudienceChanges(parent: Command, context: CliContext): void {
  parent
    .command('changes')
    .description('print who entered and left a saved audience, a line of JSON each, and a last line')
    .argument(...PROJECT_ARGUMENT)
    .argument(...AUDIENCE_ARGUMENT)
    .option('--since <time>', 'only what evaluations after this time found')
    .option(...JSON_ANYWAY_OPTION)
    .action(async (project: string, id: string, { since }: { since?: string }) =>
      printLines(context, 'audience changes', { project: await projectIdOf(context, project), id, since }),
    );
}

/** Prints the pages of a stream of lines as one stream: the line that ends each page is printed once, at the end. */
async function printLines(
  context: CliContext,
  command: 'audience members' | 'audience changes',
  args: CommandArguments,
): Promise<void> {
  let page: CommandArguments = args;
  for (;;) {
    const lines = (await carryOut(context, command, page)).json.trimEnd();
    const last = lines.lastIndexOf('\n') + 1;
    const end = JSON.parse(lines.slice(last)) as { readonly next_cursor: string | null };
    context.out(end.next_cursor === null ? `${lines}\n` : lines.slice(0, last));
    if (end.next_cursor === null) return;
    const { project, id } = args;
    page = { project, id, cursor: end.next_cursor };
  }
}

/** Prints the JSON as the service sent it, so that every digit of a definition is kept. */
function printAnswer({ out }: CliContext, { json }: AudienceAnswer): void {
  out(`${json.trimEnd()}\n`);
}

/** `none`: the service no longer evaluates the audience by itself. */
function refreshOf(given: string | undefined): string | null | undefined {
  return given === 'none' ? null : given;
}
