/** What is by hand of the commands that ask before they delete: `tidemark project delete` and `tidemark forget user`. */
import { Option } from 'commander';
import type { Answer } from '../../../schemas/operations.ts';
import type { CliContext } from '../context.ts';
import type { ByHand } from '../document/commands.ts';
import { localTime, oneLine } from '../print.ts';
import { projectOf } from '../project.ts';

const IDS = ['user_id', 'anonymous_id', 'internal_id'] as const;

export const CONFIRMED: Readonly<Record<string, ByHand>> = {
  'project delete': {
    options: (command) => {
      command.usage('[options] <project>');
      // Not the only one by default.
      for (const argument of command.registeredArguments) argument.required = true;
    },
    confirmation: {
      option: 'confirm',
      question: async ({ context, options, parts: { query } }, plan) => {
        const { id, name } = await projectOf(context, options.project);
        const content = contentText(await plan());
        query['confirm'] = name;
        return `Delete ${oneLine(name)} (${id})? ${content}`;
      },
      unasked: 'Nobody can be asked: --confirm with the name of the project deletes it.',
      refused: 'Nothing was deleted.',
    },
    print: ({ out }, answer: DeletedProject, { query }) => {
      if (query['dry_run'] === undefined) out(`The project ${String(query['confirm'])} is deleted.\n`);
      else out(`${contentText(answer)} Nothing was deleted.\n`);
    },
  },
  'forget user': {
    options: (command) =>
      void command
        .addOption(new Option('--by <kind>', 'what the ids are').choices(IDS).default('user_id'))
        .option('--no-suppress', 'take messages of them again once all is deleted')
        .option('--yes', 'do not ask'),
    change: ({ body }, { by, suppress }) => {
      body['users'] = (body['users'] as readonly string[]).map((id) => ({ [by as string]: id }));
      body['suppress'] = suppress;
      return undefined;
    },
    confirmation: {
      option: 'yes',
      question: async (_, plan) => `${planText(await plan())} Forget them for ever?`,
      unasked: 'This asks before it forgets, and there is no terminal to ask at: give --yes.',
      refused: 'Nobody was forgotten.',
    },
    print: ({ out }, answer: Forgotten | Plan) => {
      if ('erasures' in answer) printForgotten(out, answer);
      else out(`${planText(answer)} Nothing was deleted.\n`);
    },
  },
};

type DeletedProject = Extract<Answer<'DELETE /v1/admin/projects/{id}'>, { readonly deleted: unknown }>;

function contentText({ content }: DeletedProject): string {
  const { users = 0, audiences = 0, keys = 0 } = content ?? {};
  return `It has users: ${users}, audiences: ${audiences}, keys in use: ${keys}.`;
}

type Forgotten = Extract<Answer<'POST /v1/admin/erasures'>, { readonly erasures: unknown }>;
type Plan = Exclude<Answer<'POST /v1/admin/erasures'>, { readonly erasures: unknown }>;

function planText({ users, postgres, clickhouse, ...rest }: Plan): string {
  const rows = (counts: Readonly<Record<string, number>>): number =>
    Object.values(counts).reduce((sum, count) => sum + count, 0);
  const counts = `People: ${users}, rows of Postgres: ${rows(postgres)}, rows of ClickHouse: ${rows(clickhouse)}.`;
  return [counts, ...restText(rest)].join(' ');
}

function restText({ shared_anonymous_ids: shared, unknown }: Pick<Plan, 'shared_anonymous_ids' | 'unknown'>): string[] {
  return [
    ...(shared.length === 0 ? [] : [`Anonymous ids of others too, which stay: ${shared.map(oneLine).join(', ')}.`]),
    ...(unknown.length === 0 ? [] : [`Not known: ${unknown.map((one) => oneLine(JSON.stringify(one))).join(', ')}.`]),
  ];
}

function printForgotten(out: CliContext['out'], { erasures, ...rest }: Forgotten): void {
  for (const { id, internal_id: user, state, requested_at: at, suppress } of erasures) {
    out(`${id}  ${localTime(at)}  ${state}${suppress ? '' : ', not suppressed'}  internal id ${user ?? ''}\n`);
  }
  for (const line of restText(rest)) out(`${line}\n`);
  const [first] = erasures;
  if (first === undefined) return;
  out('Nothing of them is read any more. A job deletes what there is: tidemark forget list\n');
  const until = first.suppress ? `that is lifted: tidemark forget lift ${first.id}` : 'it is done';
  out(`Messages that come of them are answered 200 and dropped until ${until}\n`);
}
