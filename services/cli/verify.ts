import type { Command } from 'commander';
import type { Finding, HourReport, VerificationReport } from '../../schemas/verification-report.ts';
import { carryOut } from './client/carry-out.ts';
import { job } from './client/job.ts';
import { type CliContext, ExitCode } from './context.ts';
import { JSON_OPTION, type OutputOptions, printJson, table } from './print.ts';
import { withProgress } from './progress.ts';
import { optionalProjectId } from './project.ts';

/** The exit code where the stores differ from the log. */
const EXIT_DIFFERENT = 3;

interface VerifyCommandOptions extends OutputOptions {
  readonly since?: string;
  readonly until?: string;
  readonly project?: string;
  readonly deep?: true;
}

export function addVerify(parent: Command, context: CliContext): void {
  parent
    .command('verify')
    .description(
      'compare the event log with Postgres and ClickHouse by project and hour; exits with 3 where they differ',
    )
    .option('--since <time>', 'messages that arrived from then on: ISO-8601, or 24h, 7d, 2w, or all (default: 24h)')
    .option('--until <time>', 'messages that arrived before then (default: all)')
    .option('--project <project>', 'of this project alone, by its id or name')
    .option('--deep', 'compare every profile by content too; reads the whole log')
    .option(...JSON_OPTION)
    .action(async ({ json, since, until, deep, ...options }: VerifyCommandOptions) => {
      const body = { since, until, deep, project: await optionalProjectId(context, options.project) };
      const report = await withProgress(context, 'verifying', (onProgress) =>
        carryOut(context, job('POST /v1/admin/verifications', { body }), { onProgress }),
      );
      if (json) printJson(context, report);
      else printVerification(context, report);
      if (!report.equal) throw new ExitCode(EXIT_DIFFERENT);
    });
}

const HEAD = [
  'PROJECT',
  'HOUR',
  'ON LOG',
  'REPEATS',
  'POSTGRES',
  'CLICKHOUSE',
  'NOT YET',
  'UNKNOWN',
  'DEAD',
  'FORGOTTEN',
  '',
];

function printVerification({ out }: Pick<CliContext, 'out'>, report: VerificationReport): void {
  if (report.hours.length > 0) out(`${table(HEAD, report.hours.map(lineOf))}\n`);
  const { missing, surplus, profiles, unknown_before: unknown } = report;
  printFinding(out, 'missing in Postgres', missing.postgres);
  if (missing.postgres.uncounted > 0) out(`not counted in Postgres: ${missing.postgres.uncounted}\n`);
  if (surplus.postgres > 0) out(`counted too often in Postgres: ${surplus.postgres}\n`);
  printFinding(out, 'missing in ClickHouse', missing.clickhouse);
  printFinding(out, 'in ClickHouse without a message', surplus.clickhouse);
  if (profiles !== null) {
    const { users, undecided, different } = profiles;
    out(`profiles compared: ${users}, different: ${different.count}, undecided: ${undecided}\n`);
    for (const { project, user, why } of different.first) out(`  ${project} ${user}: ${why}\n`);
  }
  for (const { store, topic, partition, offset } of unknown) {
    out(`not known to ${store} before offset ${offset}: ${topic}/${partition}\n`);
  }
  if (report.undecodable > 0) out(`records that are no message: ${report.undecodable}\n`);
  if (report.blank_unlisted !== undefined)
    printFinding(out, 'blank on the log, and not forgotten', report.blank_unlisted);
  if (report.skipped > 0) out(`messages of deleted projects, which are skipped: ${report.skipped}\n`);
  if (report.deleted_from_log.records > 0)
    out(
      `records deleted from the beginning of the log, of which nothing is known: ${report.deleted_from_log.records}\n`,
    );
  const { messages, projects } = report.unknown_projects;
  if (messages > 0) out(`messages of unknown projects, which no key opens: ${messages} (${projects.join(', ')})\n`);
  out(`${report.records_read} records read. ${report.equal ? 'Equal.' : 'NOT EQUAL.'}\n`);
}

function lineOf(hour: HourReport): readonly string[] {
  const {
    project,
    hour: at,
    messages,
    repeats,
    postgres,
    clickhouse,
    not_yet: notYet,
    unknown,
    dead_letters: dead,
    forgotten = 0,
  } = hour;
  const pair = (of: { readonly postgres: number; readonly clickhouse: number }): string =>
    of.postgres === of.clickhouse ? String(of.postgres) : `${of.postgres}/${of.clickhouse}`;
  const result = hour.equal ? 'equal' : 'DIFFERENT';
  const stores = [postgres, clickhouse].map(({ expected, found }) =>
    expected === found ? String(found) : `${found} of ${expected}`,
  );
  return [
    project,
    `${at.slice(0, 13)}Z`,
    String(messages),
    String(repeats),
    ...stores,
    pair(notYet),
    pair(unknown),
    pair(dead),
    String(forgotten),
    result,
  ];
}

function printFinding(out: CliContext['out'], what: string, { count, first }: Finding): void {
  if (count === 0) return;
  out(`${what}: ${count}\n`);
  for (const { topic, partition, offset, project, message_id: id, user, why } of first) {
    out(`  ${topic}/${partition}/${offset} ${project ?? '-'} ${id ?? '-'} ${user ?? '-'}: ${why}\n`);
  }
  if (count > first.length) out(`  … and ${count - first.length} more\n`);
}
