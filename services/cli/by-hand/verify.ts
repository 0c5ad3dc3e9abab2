/** What is by hand of `tidemark verify`. */
import type { Finding, VerificationReport } from '../../../schemas/verification-report.ts';
import { type CliContext, ExitCode } from '../context.ts';
import type { ByHand } from '../document/commands.ts';
import { table } from '../print.ts';

/** The exit code where the stores differ from the log. */
const EXIT_DIFFERENT = 3;

export const VERIFY: Readonly<Record<string, ByHand>> = {
  verify: {
    print: printVerification,
    judge: ({ equal }: VerificationReport) => {
      if (!equal) throw new ExitCode(EXIT_DIFFERENT);
    },
  },
};

type Hour = VerificationReport['hours'][number];

/** The head of a column → what it shows of an hour. */
const HOUR_COLUMNS: Readonly<Record<string, (hour: Hour) => unknown>> = {
  PROJECT: ({ project }) => project,
  HOUR: ({ hour }) => `${hour.slice(0, 13)}Z`,
  'ON LOG': ({ messages }) => messages,
  REPEATS: ({ repeats }) => repeats,
  POSTGRES: ({ postgres }) => foundText(postgres),
  CLICKHOUSE: ({ clickhouse }) => foundText(clickhouse),
  'NOT YET': ({ not_yet: counts }) => pairText(counts),
  UNKNOWN: ({ unknown }) => pairText(unknown),
  DEAD: ({ dead_letters: counts }) => pairText(counts),
  FORGOTTEN: ({ forgotten = 0 }) => forgotten,
  '': ({ equal }) => (equal ? 'equal' : 'DIFFERENT'),
};

function foundText({ expected, found }: Hour['postgres']): string {
  return expected === found ? String(found) : `${found} of ${expected}`;
}

function pairText({ postgres, clickhouse }: Hour['unknown']): string {
  return postgres === clickhouse ? String(postgres) : `${postgres}/${clickhouse}`;
}

function printVerification({ out }: Pick<CliContext, 'out'>, report: VerificationReport): void {
  const rows = report.hours.map((hour) => Object.values(HOUR_COLUMNS).map((cell) => String(cell(hour))));
  if (rows.length > 0) out(`${table(Object.keys(HOUR_COLUMNS), rows)}\n`);
  const { missing, surplus, profiles, unknown_before: unknown, deleted_from_log: deleted } = report;
  printFound(out, 'missing in Postgres', missing.postgres);
  printFound(out, 'not counted in Postgres', missing.postgres.uncounted);
  printFound(out, 'counted too often in Postgres', surplus.postgres);
  printFound(out, 'missing in ClickHouse', missing.clickhouse);
  printFound(out, 'in ClickHouse without a message', surplus.clickhouse);
  if (profiles !== null) {
    const { users, undecided, different } = profiles;
    out(`profiles compared: ${users}, different: ${different.count}, undecided: ${undecided}\n`);
    for (const { project, user, why } of different.first) out(`  ${project} ${user}: ${why}\n`);
  }
  for (const { store, topic, partition, offset } of unknown) {
    out(`not known to ${store} before offset ${offset}: ${topic}/${partition}\n`);
  }
  printFound(out, 'records that are no message', report.undecodable);
  printFound(out, 'blank on the log, and not forgotten', report.blank_unlisted);
  printFound(out, 'messages of deleted projects, which are skipped', report.skipped);
  printFound(out, 'records deleted from the beginning of the log, of which nothing is known', deleted.records);
  const { messages, projects } = report.unknown_projects;
  if (messages > 0) out(`messages of unknown projects, which no key opens: ${messages} (${projects.join(', ')})\n`);
  out(`${report.records_read} records read. ${report.equal ? 'Equal.' : 'NOT EQUAL.'}\n`);
}

/** Nothing where there are none. */
function printFound(out: CliContext['out'], what: string, found: number | Finding = 0): void {
  const { count, first } = typeof found === 'number' ? { count: found } : found;
  if (count === 0) return;
  out(`${what}: ${count}\n`);
  for (const { topic, partition, offset, project, message_id: id, user, why } of first ?? []) {
    out(`  ${topic}/${partition}/${offset} ${project ?? '-'} ${id ?? '-'} ${user ?? '-'}: ${why}\n`);
  }
  if (first !== undefined && count > first.length) out(`  … and ${count - first.length} more\n`);
}
