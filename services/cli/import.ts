import { basename, dirname, join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ImportTask } from '../operations/import/begin.ts';
import type { ImportProgress, ImportResult, ImportTarget } from '../operations/import/import-file.ts';
import type { DefaultType } from '../operations/import/judge.ts';
import type { Format } from '../operations/import/read-records.ts';
import type { ProjectSummary } from '../stores/projects/project-commands.ts';
import { readConfig } from '../runtime/config.ts';
import { hasCode } from '../runtime/errors.ts';
import { type CliContext, ExitCode } from './context.ts';
import { positiveInteger } from './options.ts';
import { JSON_OPTION, type OutputOptions, printJson } from './print.ts';
import { withProgress } from './progress.ts';
import { projectById, projectOf } from './project.ts';
import { isServer } from '../app/embedded.ts';
import { carryOut } from './client/carry-out.ts';
import { clientOfRunning, warningsTo } from './client/with-service.ts';

interface ImportOptions extends OutputOptions {
  readonly project?: string;
  readonly type?: DefaultType;
  readonly format?: Format;
  readonly delimiter: string;
  readonly types?: true;
  readonly jsonColumn: readonly string[];
  readonly map: ReadonlyMap<string, string>;
  readonly report?: string;
  readonly state?: string;
  readonly restart?: true;
  readonly importId?: string;
  readonly rate?: number;
  readonly dryRun?: true;
}

/** The exit code where some lines were refused. All others are safe in the log. */
const EXIT_SOME_REFUSED = 3;

const readRate = positiveInteger(9, 'It is a whole number of lines a second from 1 up.');

export function addImport(parent: Command, context: CliContext): void {
  parent
    .command('import')
    .description('import identify and track messages from a file of NDJSON or CSV, packed by gzip or not')
    .argument('<file>', 'the file, - for standard input')
    .option('--project <project>', 'whose messages they are, by id or name (default: the only project)')
    .addOption(new Option('--type <type>', 'what lines are that do not say').choices(['identify', 'track']))
    .addOption(
      new Option('--format <format>', 'what the file holds (default: as it begins)').choices(['ndjson', 'csv']),
    )
    .option('--delimiter <character>', 'what separates the fields of CSV; tab for a tab', readDelimiter, ',')
    .option('--types', 'CSV: numbers, true and false are such, and not text')
    .option('--json-column <name>', 'CSV: a column whose cells are JSON (repeatable)', collect, [])
    .option(
      '--map <column=name>',
      'CSV: take a column for another, as in Email=user_id (repeatable)',
      readMapping,
      new Map(),
    )
    .option('--report <file>', 'where refused lines go (default: beside the file, .refused.ndjson)')
    .option('--state <file>', 'where it is kept how far it has come (default: beside the report, .state.json)')
    .option('--restart', 'begin at the first line, whatever was imported before')
    .option('--import-id <id>', 'what names lines without a message_id, with their number (default: from the file)')
    .option('--rate <lines>', 'lines a second at most', readRate)
    .option('--dry-run', 'only look: import nothing')
    .option(...JSON_OPTION)
    .action((file: string, options: ImportOptions) => importFile(context, file, options));
}

async function importFile(context: CliContext, file: string, options: ImportOptions): Promise<void> {
  const task = taskOf(file, options, await projectOf(context, options.project));
  const isDry = options.dryRun === true;
  const { importByService } = await import('./client/import-by-service.ts');
  const result = await withProgress(context, isDry ? 'checking' : 'importing', async (report) => {
    const speed = new Speed();
    const onProgress = (progress: ImportProgress): void =>
      report({ ...shownProgress(progress), note: speed.describe(progress) });
    return (await importByService(context, task, isDry, onProgress)) ?? importHere(context, task, isDry, onProgress);
  });
  printImported(context, result, { ...options, report: task.reportPath });
  context.signal?.throwIfAborted();
  if (result.refused > 0) throw new ExitCode(EXIT_SOME_REFUSED);
}

/** Where no service runs. */
async function importHere(
  context: CliContext,
  task: ImportTask,
  isDry: boolean,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportResult> {
  const [{ FileImport }, { whileProjectExists }] = await Promise.all([
    import('../operations/import/import-file.ts'),
    import('../operations/import/while-project-exists.ts'),
  ]);
  const ends = context.signal ?? new AbortController().signal;
  const onTrouble = (error: unknown): void =>
    context.err(`warning: waiting for the event log: ${(error as Error).message}\n`);
  return withTarget(context, isDry, (target) =>
    whileProjectExists(
      () => hasProject(context, task.projectId),
      ends,
      (signal) => FileImport.run(task, target, { signal, onTrouble, onProgress }),
    ),
  );
}

/** Where the projects are embedded and no service has them open, nobody can delete one. */
async function hasProject(context: CliContext, projectId: string): Promise<boolean> {
  const canBeDeleted = isServer(readConfig(context.env).profilesUrl) || (await clientOfRunning(context)) !== undefined;
  if (!canBeDeleted) return true;
  try {
    await carryOut(context, projectById(projectId));
    return true;
  } catch (error) {
    if (hasCode(error, 'PROJECT_UNKNOWN')) return false;
    throw error;
  }
}

function taskOf(file: string, options: ImportOptions, project: ProjectSummary): ImportTask {
  const { type, format, delimiter, types, jsonColumn, map, restart, importId, rate, dryRun } = options;
  const path = file === '-' ? undefined : file;
  const reportPath = options.report ?? defaultReport(path, dryRun === true);
  return {
    projectId: project.id,
    timezone: project.timezone,
    path,
    type,
    format,
    csv: { delimiter, typed: types === true, jsonColumns: jsonColumn, renamed: map },
    reportPath,
    statePath: path === undefined ? undefined : (options.state ?? `${reportPath}.state.json`),
    restarts: restart === true,
    importId,
    rate,
  };
}

/** This process appends to the log itself, while a service may do so too: the log takes several writers. */
async function withTarget<T>(
  context: CliContext,
  isDry: boolean,
  use: (target: ImportTarget | undefined) => Promise<T>,
): Promise<T> {
  if (isDry) return use(undefined);
  const config = readConfig(context.env);
  const { StoreOpener } = await import('../app/open-stores.ts');
  const opener = new StoreOpener(config, warningsTo(context), context.signal);
  const codec = await opener.codec();
  const log = await opener.log();
  try {
    // This starts the thread that writes, which keeps its priority: live appends wait for the lock that it takes.
    await log.check();
    context.lowerPriority?.();
    return await use({ log, codec, maxClockSkewMs: config.maxClockSkewMs });
  } finally {
    await log.close();
  }
}

/** A dry run has a file of its own, so that the report of an import is not overwritten. */
function defaultReport(path: string | undefined, isDry: boolean): string {
  const name = `${basename(path ?? 'stdin')}${isDry ? '.dry-run' : ''}.refused.ndjson`;
  return path === undefined ? name : join(dirname(path), name);
}

function shownProgress({ bytesRead, bytes, lines }: ImportProgress) {
  return bytes === undefined ? { done: lines, unit: 'lines' } : { done: bytesRead, total: bytes, unit: 'bytes' };
}

/** Lines a second since this run began. */
class Speed {
  #first: { readonly lines: number; readonly atMs: number } | undefined;

  describe({ lines, refused }: ImportProgress): string {
    this.#first ??= { lines, atMs: performance.now() };
    const seconds = (performance.now() - this.#first.atMs) / 1_000;
    const perSecond = seconds < 0.5 ? '' : `, ${Math.round((lines - this.#first.lines) / seconds)} lines/s`;
    return `${lines} lines${perSecond}, ${refused} refused`;
  }
}

interface ImportResultOptions extends OutputOptions {
  readonly report: string;
  readonly dryRun?: true;
}

function printImported(context: CliContext, result: ImportResult, { json, report, dryRun }: ImportResultOptions): void {
  const { imported, refused, lines, resumedAtLine, isDone } = result;
  if (json) {
    printJson(context, { accepted: imported, refused, lines, resumed_at_line: resumedAtLine });
    return;
  }
  if (!isDone) context.err('Not finished: the same command goes on from here.\n');
  const from = resumedAtLine > 0 ? ` (lines up to ${resumedAtLine} in earlier runs)` : '';
  context.out(`${imported} ${dryRun ? 'valid' : 'imported'}, ${refused} refused, of ${lines} lines${from}\n`);
  if (refused > 0) context.out(`refused lines and why: ${report}\n`);
}

function readDelimiter(text: string): string {
  const character = text === 'tab' || text === '\\t' ? '\t' : text;
  if (/^[\t\x20-\x7e]$/.test(character) && character !== '"') return character;
  throw new InvalidArgumentError('It is one ASCII character, or tab.');
}

function readMapping(text: string, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const at = text.lastIndexOf('=');
  if (at > 0 && at < text.length - 1) return new Map([...before, [text.slice(0, at), text.slice(at + 1)]]);
  throw new InvalidArgumentError('It is COLUMN=NAME, as in Email=user_id.');
}

function collect(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}
