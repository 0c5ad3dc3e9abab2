import { basename, dirname, join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Progress } from '../runtime/command.ts';
import { importByService, type ImportOptions, type ImportResult } from './client/import-by-service.ts';
import { type CliContext, ExitCode } from './context.ts';
import { positiveInteger } from './options.ts';
import { JSON_OPTION, type OutputOptions, printJson } from './print.ts';
import { withProgress } from './progress.ts';

interface ImportFileOptions extends OutputOptions, Pick<ImportOptions, 'type' | 'format'> {
  readonly project?: string;
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
    .action((file: string, options: ImportFileOptions) => importFile(context, file, options));
}

async function importFile(context: CliContext, file: string, options: ImportFileOptions): Promise<void> {
  const isDry = options.dryRun === true;
  const path = file === '-' ? undefined : file;
  const { project, restart = false, report = defaultReport(path, isDry), state = `${report}.state.json` } = options;
  const speed = new Speed();
  const result = await withProgress(context, isDry ? 'checking' : 'importing', (show) =>
    importByService(context, { project, path, report, state, restart }, optionsOf(options), (progress) =>
      show({ ...progress, note: speed.describe(progress) }),
    ),
  ).catch((error: unknown) => {
    const goesOn = path !== undefined && context.service?.url === undefined;
    if (goesOn && context.signal?.aborted === true) context.err('Not finished: the same command goes on from here.\n');
    throw error;
  });
  printImported(context, result, { ...options, report });
  context.signal?.throwIfAborted();
  if (result.refused > 0) throw new ExitCode(EXIT_SOME_REFUSED);
}

function optionsOf({ types, jsonColumn, map, importId, dryRun, ...options }: ImportFileOptions) {
  const { type, format, delimiter, rate } = options;
  const columns = { delimiter, types, json_columns: jsonColumn, map: Object.fromEntries(map) };
  return { type, format, ...columns, rate, import_id: importId, dry_run: dryRun };
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

interface ImportResultOptions extends OutputOptions {
  readonly report: string;
  readonly dryRun?: true;
}

function printImported(context: CliContext, result: ImportResult, { json, report, dryRun }: ImportResultOptions): void {
  if (json) return printJson(context, result);
  const { accepted, refused, lines, resumed_at_line: resumedAt } = result;
  const from = resumedAt > 0 ? ` (lines up to ${resumedAt} in earlier runs)` : '';
  context.out(`${accepted} ${dryRun ? 'valid' : 'imported'}, ${refused} refused, of ${lines} lines${from}\n`);
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
