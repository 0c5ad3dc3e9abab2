import type { RestoredReport } from '../restoring/restored-round.ts';
import type { RoundReport } from '../round.ts';
import type { Report } from '../torture.ts';

/** A run in a few lines. */
export function summaryOf(report: Report): string {
  const { restored } = report;
  const lines = [
    ['form, seed', `${report.form}, ${report.seed}`],
    ['not done here', report.skipped.join(', ') || 'nothing'],
    ...linesOf(report),
    ...(restored === null ? [] : linesOfRestore(restored)),
  ];
  return lines.map(([name = '', text = '']) => `${name.padEnd(28)} ${text}`).join('\n');
}

function linesOf(report: RoundReport): string[][] {
  const { messages, compared, findings, deaths, serverDeaths, forcedStops, replays, forgotten } = report;
  return [
    ['faults', listed(report.faults)],
    ['kill -9 of', listed(report.killed)],
    ['requests by answer', listed(report.answers)],
    ['messages', listed(messages)],
    ['on the log', `${compared.messages}, ${compared.copies} of them later copies`],
    ['compared', `${compared.users} profiles in both stores, ${compared.events} events, in each generation`],
    [
      'lost',
      String(findings.count('lost from the log', 'lost from events', 'missing in ClickHouse', 'missing in Postgres')),
    ],
    ['doubled', String(findings.count('doubled on the log', 'doubled in ClickHouse'))],
    ['out of order', String(findings.count('out of order on the log'))],
    [
      'different',
      String(findings.count('different in Postgres', 'different in ClickHouse', 'profile other than answered')),
    ],
    ['anything wrong', findings.kinds.map((kind) => `${kind} (${findings.count(kind)})`).join(', ') || 'nothing'],
    ['longest without a 200', `${report.longestOutageMs} ms`],
    [
      'swapped in',
      `${replays.profiles} of profiles, ${replays.analytics} of analytics; requests broken off: ${replays.brokenOff}`,
    ],
    ['people forgotten', `${forgotten}; there again: ${findings.count('forgotten and there again')}`],
    ['compared generations', compared.generations.join(', ')],
    ['caught up in', `${report.caughtUpMs} ms`],
    [
      'ended by themselves',
      [...deaths.map(({ name, how }) => `${name} (${how})`), ...serverDeaths].join(', ') || 'none',
    ],
    ['stops in a fault not with 0', forcedStops.map(({ name, how }) => `${name} (${how})`).join(', ') || 'none'],
  ];
}

function linesOfRestore(restored: RestoredReport): string[][] {
  const { backups, restore, backedUp, lost, findings } = restored;
  return [
    ['', ''],
    ['backups', `${backups.made}; requests broken off: ${backups.brokenOff}`],
    ['restored', `${restore.records ?? 'all'} records in ${restore.tookMs} ms, ${restore.kills} kills on the way`],
    ['of the backup', `${backedUp} messages; ${lost} that were answered came after it`],
    ['other than backed up', String(findings.count('other than backed up'))],
    ...linesOf(restored),
  ];
}

function listed(counts: Readonly<Record<string, number>>): string {
  const all = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return all.map(([name, count]) => `${count} ${name}`).join(', ') || 'none';
}
