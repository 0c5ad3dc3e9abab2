/** `tidemark backup`, `tidemark restore` and `tidemark migrate` */
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { readConfig } from '../runtime/config.ts';
import { commandInvalid, type Progress } from '../runtime/command.ts';
import { carryOut, job, type JobResults } from './client/carry-out.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, mebibytes, type OutputOptions, printJson } from './print.ts';
import { withProgress } from './progress.ts';

const NAMES = { log: 'event log', database: 'profiles', analytics: 'analytics' } as const;

interface BackupOptions extends OutputOptions {
  readonly again?: true;
}

interface RestoreOptions extends OutputOptions {
  readonly until?: number;
  readonly erasures?: string;
  readonly drill?: true;
}

export function addBackup(parent: Command, context: CliContext): void {
  parent
    .command('backup')
    .description('add to a folder of backups what is new, while the service runs or not; check: read all that is there')
    .usage('[options] [check] <folder>')
    .argument('<words...>', 'the folder, made if absent; check before it reads every file of it')
    .option('--again', 'begin anew where the folder had a backup before and has none now')
    .option(...JSON_OPTION)
    .action(async ([first = '', second, ...more]: string[], options: BackupOptions) => {
      if (more.length > 0 || (second !== undefined && first !== 'check')) throw commandInvalid('Name one folder.');
      if (second === undefined) await backUp(context, first, options);
      else await check(context, resolve(second), options);
    });
}

export function addRestore(parent: Command, context: CliContext): void {
  parent
    .command('restore')
    .description('bring a backup back, into an empty data folder or empty servers, as the settings name them')
    .argument('<folder>', 'the folder of the backup')
    .option('--until <time>', 'as it was at this time, ISO-8601 (default: as the last backup has it)', readMoment)
    .option('--erasures <file>', 'also forget the people of this list: of erasures made since the backup')
    .option('--drill', 'only to look at it: endpoints of webhooks are paused, so receivers get nothing twice')
    .option(...JSON_OPTION)
    .action((folder: string, options: RestoreOptions) => restore(context, resolve(folder), options));
}

export function addMigrate(parent: Command, context: CliContext): void {
  parent
    .command('migrate')
    .description('bring the stores that the settings name up to this version, as a start does unless MIGRATE=off')
    .option(...JSON_OPTION)
    .action(async ({ json }: OutputOptions) => {
      // Imported late: no other command needs the code of the stores, where a service runs.
      const { migrateStores } = await import('../app/backups/migrate.ts');
      const done = await migrateStores(readConfig(context.env), (store, name) => {
        if (!json) context.out(`${NAMES[store]}: ${name}\n`);
      });
      if (json) printJson(context, done);
      else context.out('The event log, profiles and analytics are of this version.\n');
    });
}

async function backUp(context: CliContext, folder: string, { json, again }: BackupOptions): Promise<void> {
  // The path is one of the machine of the service.
  const path = context.service?.url === undefined ? resolve(folder) : folder;
  const result = await withProgress(context, 'backing up', (onProgress) =>
    carryOut(context, job('POST /v1/admin/backups', { body: { folder: path, again } }), { onProgress }),
  );
  if (json) printJson(context, result);
  else printBackup(context, result);
}

type BackupResult = JobResults['POST /v1/admin/backups'];

function printBackup({ out }: CliContext, result: BackupResult): void {
  const { folder, number, records, records_total: all, bytes, bytes_total: allBytes, took_ms: tookMs } = result;
  out(`backup ${number} in ${folder}: ${records} new records, ${mebibytes(bytes)}, ${(tookMs / 1_000).toFixed(1)} s\n`);
  out(`the folder has ${all} records in ${mebibytes(allBytes)}\n`);
}

async function check(context: CliContext, folder: string, { json }: BackupOptions): Promise<void> {
  // Imported late: no other command needs the code of the stores, where a service runs.
  const { checkFolder } = await import('../app/backups/restore.ts');
  const found = await withProgress(context, 'checking', (report, signal) => checkFolder(folder, { report, signal }));
  if (json) return printJson(context, found);
  for (const { number, at, version } of found.backups) context.out(`backup ${number} of ${at}, by ${version}\n`);
  context.out(`${found.files} files, ${found.records} records, ${mebibytes(found.bytes)}. All is as it was written.\n`);
}

async function restore(context: CliContext, folder: string, options: RestoreOptions): Promise<void> {
  const { json, until, erasures, drill = false } = options;
  const { restoreInto } = await import('../app/backups/restore.ts');
  const config = readConfig(context.env);
  const result = await withProgress(context, 'restoring', (show, signal) => {
    const report = (progress: Progress): void => show({ ...progress, note: progress['phase'] });
    const wanted = { folder, untilMs: until, erasuresFile: erasures, isDrill: drill };
    return restoreInto(config, wanted, { report, signal });
  });
  if (json) return printJson(context, result);
  const { number, at, records, rows, took_ms: tookMs } = result;
  context.out(`backup ${number} of ${at}: ${records} records and ${rows} rows, ${(tookMs / 1_000).toFixed(1)} s\n`);
  context.out('Start the service: it takes messages at once, and reads profiles and analytics again.\n');
  if (drill) context.out('Its endpoints of webhooks are paused until somebody enables them.\n');
}

function readMoment(text: string): number {
  const ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(ms)) throw new InvalidArgumentError('It is a time such as 2026-11-24T09:00:00Z.');
  return ms;
}
