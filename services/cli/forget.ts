/** `tidemark forget` */
import { type Command, Option } from 'commander';
import { type Answer, operation, type Sent } from '../../schemas/operations.ts';
import { TidemarkError } from '../runtime/errors.ts';
import { carryOut } from './client/carry-out.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, localTime, oneLine, type OutputOptions, printJson } from './print.ts';
import { projectIdOf } from './project.ts';

interface ForgetOptions extends OutputOptions {
  readonly project?: string;
  readonly by: 'user_id' | 'anonymous_id' | 'internal_id';
  readonly suppress: boolean;
  readonly dryRun?: true;
  readonly yes?: true;
}

const IDS = ['user_id', 'anonymous_id', 'internal_id'] as const;

type ForgettingBody = Sent<'POST /v1/admin/erasures'>;

export function addForgetUser(parent: Command, context: CliContext): void {
  parent
    .command('user')
    .description('forget people: nothing of them is read any more, and a job deletes what there is')
    .argument('<ids...>', 'their ids, 5,000 at most')
    .option('--project <project>', 'the id or name of the project (default: the only one)')
    .addOption(new Option('--by <kind>', 'what the ids are').choices(IDS).default('user_id'))
    .option('--no-suppress', 'take messages of them again once all is deleted')
    .option('--dry-run', 'say what would be deleted, and delete nothing')
    .option('--yes', 'do not ask')
    .option(...JSON_OPTION)
    .action(async (ids: string[], { project, by, suppress, dryRun, yes, json }: ForgetOptions) => {
      const body = { project: await projectIdOf(context, project), users: ids.map((id) => ({ [by]: id })), suppress };
      if (dryRun !== true && yes !== true && !(await confirms(context, body))) {
        context.err('Nobody was forgotten.\n');
        return;
      }
      const answer = await askToForget(context, { ...body, dry_run: dryRun === true });
      if (json) printJson(context, answer);
      else if ('erasures' in answer) printForgotten(context, answer);
      else context.out(`${planText(answer)} Nothing was deleted.\n`);
    });
}

function askToForget(context: CliContext, body: ForgettingBody): Promise<Answer<'POST /v1/admin/erasures'>> {
  return carryOut(context, operation('POST /v1/admin/erasures', { body }));
}

/** @throws TidemarkError `COMMAND_INVALID` where nobody can be asked. */
async function confirms(context: CliContext, body: ForgettingBody): Promise<boolean> {
  if (context.confirm === undefined)
    throw new TidemarkError(
      'COMMAND_INVALID',
      'This asks before it forgets, and there is no terminal to ask at: give --yes.',
    );
  const plan = await askToForget(context, { ...body, dry_run: true });
  if ('erasures' in plan) throw new Error('The service did not say what it would delete.');
  return context.confirm(`${planText(plan)} Forget them for ever? [y/N] `);
}

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

function printForgotten(
  { out }: CliContext,
  { erasures, ...rest }: Extract<Answer<'POST /v1/admin/erasures'>, { erasures: unknown }>,
): void {
  for (const erasure of erasures) out(`${erasureLine(erasure)}\n`);
  for (const line of restText(rest)) out(`${line}\n`);
  const [first] = erasures;
  if (first === undefined) return;
  out('Nothing of them is read any more. A job deletes what there is: tidemark forget list\n');
  const until = first.suppress ? `that is lifted: tidemark forget lift ${first.id}` : 'it is done';
  out(`Messages that come of them are answered 200 and dropped until ${until}\n`);
}

type ListedErasure = Answer<'GET /v1/admin/erasures/{id}'>;

function erasureLine({ id, internal_id: user, state, requested_at: at, suppress }: ListedErasure): string {
  return `${id}  ${localTime(at)}  ${state}${suppress ? '' : ', not suppressed'}  internal id ${user}`;
}
