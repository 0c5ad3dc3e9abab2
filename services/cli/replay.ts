import type { Command } from 'commander';
import { carryOut, job, type JobResults } from './client/carry-out.ts';
import { type Answer, operation, type Sent } from '../../schemas/operations.ts';
import type { CliContext } from './context.ts';
import { readerOf } from './document/options.ts';
import { JSON_OPTION, type OutputOptions, printJson, table } from './print.ts';
import { withProgress } from './progress.ts';
import { optionalProjectId } from './project.ts';

const KINDS = ['profiles', 'analytics'] as const;
type Kind = (typeof KINDS)[number];
type PlannedReplay = Extract<Answer<'POST /v1/admin/generations'>, { readonly basis: unknown }>;
type BuiltGeneration = JobResults['POST /v1/admin/generations'];

const parseRate = readerOf({ type: 'integer', minimum: 1 });

/** `tidemark replay profiles` and `tidemark replay analytics` */
export function addReplayBuilds(replay: Command, context: CliContext): void {
  for (const kind of KINDS) addReplayBuild(replay, kind, context);
}

interface BuildGenerationOptions extends OutputOptions {
  readonly project?: string;
  readonly rate?: number;
  readonly asOf?: string;
  readonly dryRun?: true;
  readonly yes?: true;
}

function addReplayBuild(parent: Command, kind: Kind, context: CliContext): void {
  parent
    .command(kind)
    .description(`read the log from its start into new ${kind}, compare them with the live ones, and swap them in`)
    .option('--project <project>', 'of one project alone, by its id or name')
    .option('--rate <messages>', 'how many messages a second a reader may read', parseRate)
    .option('--as-of <instant>', 'take messages that a wrong clock dated in the future as of this instant')
    .option('--dry-run', 'say what it would take, and do nothing')
    .option('--yes', 'swap without asking, whatever the comparison finds')
    .option(...JSON_OPTION)
    .action(async ({ project, rate, asOf, dryRun, yes, json }: BuildGenerationOptions) => {
      const target = { kind, project: await optionalProjectId(context, project), rate_limit: rate };
      const planned = await planOf(context, target);
      if (dryRun) return (json ? printJson : printPlan)(context, planned);
      printDeleted(context.err, planned);
      const built = await withProgress(context, `reading ${kind}`, (onProgress) =>
        carryOut(context, job('POST /v1/admin/generations', { body: { ...target, as_of: asOf } }), { onProgress }),
      );
      if (!json) printBuilt(context, built);
      const isWanted = yes ?? (await confirms(context, built));
      const path = { kind, number: String(built.number) };
      if (isWanted) await carryOut(context, job('POST /v1/admin/generations/{kind}/{number}/swap', { path }));
      if (json) printJson(context, { ...built, swapped: isWanted });
      else printOutcome(context, built, isWanted);
    });
}

async function planOf(context: CliContext, body: Sent<'POST /v1/admin/generations'>): Promise<PlannedReplay> {
  const request = operation('POST /v1/admin/generations', { query: { dry_run: 'true' }, body });
  const planned = await carryOut(context, request);
  if ('basis' in planned) return planned;
  throw new Error('The service did not answer with a plan.');
}

async function confirms({ confirm }: CliContext, { kind, number, same }: BuiltGeneration): Promise<boolean> {
  if (confirm === undefined) return false;
  const found = same ? 'They are the same.' : 'They are NOT the same.';
  return confirm(`${found} Make generation ${number} of ${kind} the live one? [y/N] `);
}

function printDeleted(print: CliContext['err'], { deleted_from_log: records, kind }: PlannedReplay): void {
  if (records === 0) return;
  print(`${records} records were deleted from the beginning of the log: the new ${kind} will lack them.\n`);
}

function printPlan({ out }: CliContext, planned: PlannedReplay): void {
  printDeleted(out, planned);
  const { kind, resumes, read, messages, seconds, per_second, basis, bytes } = planned;
  const what = resumes === null ? `make a new generation of ${kind}` : `go on with generation ${resumes} of ${kind}`;
  out(`It would ${what}: read ${messages - read} of ${messages} messages\n`);
  out(
    `at about ${per_second} a second (${basis}): ${Math.ceil((seconds * (messages - read)) / Math.max(messages, 1))} s\n`,
  );
  out(`and take about ${Math.ceil(bytes / 1e6)} MB beside the live one. Nothing was changed.\n`);
}

function printBuilt({ out }: CliContext, { comparison }: BuiltGeneration): void {
  const head = ['', 'EQUAL', 'DIFFERENT', 'MISSING', 'EXTRA', 'UNDECIDED', 'COUNTED'];
  const row = (one: BuiltGeneration['comparison'][number]): string[] => [
    one.what,
    ...[one.equal, one.different, one.missing, one.extra, one.undecided].map(String),
    one.unit,
  ];
  out(table(head, comparison.map(row)));
  for (const { what, sample } of comparison) for (const line of sample) out(`  ${what}: ${line}\n`);
}

function printOutcome(
  { out, confirm }: CliContext,
  { kind, number, project }: BuiltGeneration,
  swapped: boolean,
): void {
  const whose = project === null ? '' : ` --project ${project}`;
  if (swapped) out(`Generation ${number} of ${kind} is live. Back again: ./tidemark replay rollback ${kind}${whose}\n`);
  else {
    const how = confirm === undefined ? ' Nobody could be asked: --yes says yes.' : '';
    out(`Generation ${number} of ${kind} is kept up to date beside the live one.${how}\n`);
  }
}
