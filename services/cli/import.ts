import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import type { Progress } from '../runtime/command.ts';
import { importByService, type ImportResult, previewByService } from './client/import-by-service.ts';
import { type CliContext, ExitCode } from './context.ts';
import { addFormOptions, type FileFormOptions, formOf } from './import-options.ts';
import { printGuess } from './import-guess.ts';
import { readerOf } from './document/options.ts';
import { JSON_OPTION, oneLine, type OutputOptions, printJson, shortened } from './print.ts';
import { withProgress } from './progress.ts';

interface ImportFileOptions extends OutputOptions, FileFormOptions {
  readonly project?: string;
  readonly report?: string;
  readonly state?: string;
  readonly restart?: true;
  readonly importId?: string;
  readonly rate?: number;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly guess?: true;
}

/** The exit code where some lines were refused. All others are safe in the log. */
const EXIT_SOME_REFUSED = 3;
const VALUE_LENGTH = 60;

const readRate = readerOf({ type: 'integer', minimum: 1 });

export function addImport(parent: Command, context: CliContext): void {
  const command = parent
    .command('import')
    .description('import identify and track messages from files of NDJSON or CSV, packed by gzip, zstd or not')
    .argument('<files...>', 'files, and folders with files; - for standard input')
    .option('--project <project>', 'whose messages they are, by id or name (default: the only project)');
  addFormOptions(command)
    .option('--report <file>', 'where refused lines go (default: beside the first file, .refused.ndjson)')
    .option('--state <file>', 'where it is kept how far it has come (default: beside the report, .state.json)')
    .option('--restart', 'begin at the first line, whatever was imported before')
    .option('--import-id <id>', 'what names lines without a message_id, with their number (default: from the file)')
    .option('--rate <lines>', 'lines a second at most', readRate)
    .option('--dry-run', 'only look: import nothing, and say what would be refused')
    .option('--yes', 'any number of lines may have no time')
    .option('--guess', 'only say what the file seems to be')
    .option(...JSON_OPTION)
    .action((files: string[], options: ImportFileOptions) => importFiles(context, files, options));
}

async function importFiles(context: CliContext, files: readonly string[], options: ImportFileOptions): Promise<void> {
  const isDry = options.dryRun === true;
  const paths = files[0] === '-' ? [] : files;
  const { project, restart = false, report = defaultReport(paths[0], isDry), state = `${report}.state.json` } = options;
  if (options.guess === true) return guessFile(context, paths, options);
  const speed = new Speed();
  const result = await withProgress(context, isDry ? 'checking' : 'importing', (show) =>
    importByService(context, { project, paths, report, state, restart }, requestOf(options), (progress) =>
      show({ ...progress, note: speed.describe(progress) }),
    ),
  ).catch((error: unknown) => {
    const goesOn = paths.length > 0 && context.service?.url === undefined;
    if (goesOn && context.signal?.aborted === true) context.err('Not finished: the same command goes on from here.\n');
    throw error;
  });
  printImported(context, result, { ...options, report });
  context.signal?.throwIfAborted();
  if (result.refused > 0) throw new ExitCode(EXIT_SOME_REFUSED);
}

async function guessFile(context: CliContext, paths: readonly string[], options: ImportFileOptions): Promise<void> {
  const preview = await previewByService(context, { project: options.project, paths }, formOf(options));
  if (options.json) printJson(context, preview.guess);
  else printGuess(context, paths, preview);
}

function requestOf({ importId, dryRun, rate, yes, ...options }: ImportFileOptions) {
  return { ...formOf(options), rate, import_id: importId, dry_run: dryRun, untimed: yes };
}

/** A dry run has a file of its own, so that the report of an import is not overwritten. */
function defaultReport(path: string | undefined, isDry: boolean): string {
  const name = `${basename(path ?? 'stdin')}${isDry ? '.dry-run' : ''}.refused.ndjson`;
  return path === undefined ? name : join(dirname(path), name);
}

/** Lines a second since this run began. */
class Speed {
  #first: { readonly lines: number; readonly atMs: number } | undefined;

  /** Undefined while the import waits for others. */
  describe({ lines, refused }: Progress): string | undefined {
    if (typeof lines !== 'number') return undefined;
    this.#first ??= { lines, atMs: performance.now() };
    const seconds = (performance.now() - this.#first.atMs) / 1_000;
    const perSecond = seconds < 0.5 ? '' : `, ${Math.round((lines - this.#first.lines) / seconds)} lines/s`;
    return `${lines} lines${perSecond}, ${Number(refused)} refused`;
  }
}

function printImported(context: CliContext, result: ImportResult, options: ImportFileOptions): void {
  const { json, report, dryRun } = options;
  if (json) return printJson(context, result);
  const { accepted, refused, dropped = 0, lines, resumed_at_line: resumedAt } = result;
  const from = resumedAt > 0 ? ` (lines up to ${resumedAt} in earlier runs)` : '';
  const gone = dropped > 0 ? `, ${dropped} dropped (of people who are forgotten)` : '';
  context.out(`${accepted} ${dryRun ? 'valid' : 'imported'}, ${refused} refused${gone}, of ${lines} lines${from}\n`);
  if (refused > 0) context.out(`refused lines and why: ${report}\n`);
  if (dryRun) context.out((result.refusals ?? []).map(describeRemark).join(''));
  const warnings = result.warnings ?? [];
  if (warnings.length > 0) context.out(`to be looked at:\n${warnings.map(describeRemark).join('')}`);
}

type ImportRemark = NonNullable<ImportResult['refusals']>[number];

function describeRemark({ column, message, count, examples }: ImportRemark): string {
  const lines = examples.map(({ file, line, value }) => {
    const text = value === null ? 'nothing' : shortened(oneLine(value), VALUE_LENGTH);
    return `    ${file}:${line}: ${text}\n`;
  });
  return `  ${count} × ${column === null ? 'the line' : oneLine(column)} ${oneLine(message)}\n${lines.join('')}`;
}
