/** What is by hand of `tidemark verify`. */
import type { Finding, HourReport, VerificationReport } from '../../../schemas/verification-report.ts';
import { type CliContext, ExitCode } from '../context.ts';
import type { ByHand } from '../document/commands.ts';
import { table } from '../print.ts';

/** The exit code where the stores differ from the log. */
const EXIT_DIFFERENT = 3;

export const VERIFY: Readonly<Record<string, ByHand>> = {
  verify: {
    print: printVerification,
    judge: (_, { equal }: VerificationReport) => {
      if (!equal) throw new ExitCode(EXIT_DIFFERENT);
    },
  },
};

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
