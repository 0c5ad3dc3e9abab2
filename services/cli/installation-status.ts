/** The answer of `GET /v1/admin/status` for people. */
import type { Answer } from '../../schemas/operations.ts';
import { mebibytes, rounded, table } from './print.ts';

type InstallationStatus = Answer<'GET /v1/admin/status'>;
type ShownReader = InstallationStatus['readers']['sink'];

/** @param at Where it is, as "at http://host:8080". */
export function installationText(at: string, status: InstallationStatus): string {
  const { version, role, ready, parts, rates, readers, attention } = status;
  const lines = [
    ...Object.entries(parts).filter(([part]) => !(part in readers)),
    ['accepted', `${rounded(rates.accepted)} messages/s, ${rounded(rates.refused)} refused`],
    ...strangersLines(status),
    ...Object.entries(readers).map(([reader, of]) => [reader, readerText(of)]),
    ...otherLines(status).flatMap(([name, text]) => (text ? [[name, text]] : [])),
  ];
  const head = `Tidemark ${version} ${at}, role ${role}, is ${ready ? 'ready' : 'NOT READY'}.\n`;
  return `${head}${table(lines[0] ?? [], lines.slice(1))}${attentionText(attention)}`;
}

export function attentionText(attention: InstallationStatus['attention']): string {
  const wanted = attention.map(({ code, reason, link }) => `  ${code}: ${reason} (${link})\n`).join('');
  return wanted === '' ? 'Nothing wants attention.\n' : `Wants attention:\n${wanted}`;
}

const CAUSES: Readonly<Record<string, string>> = {
  unauthorized: 'without a valid key',
  'not-found': 'at a path that is not there',
  'method-not-allowed': 'with a method that the path does not have',
  'origin-refused': 'from a page that CORS_ORIGINS does not name',
};

/** Requests that no project is known for; nothing where there was none today. */
function strangersLines({ without_project: strangers }: InstallationStatus): readonly (readonly string[])[] {
  const counts = Object.entries(strangers?.today ?? {}).map(([code, count]) => `${count} ${CAUSES[code] ?? code}`);
  if (!strangers?.last || counts.length === 0) return [];
  const { path, key_id: key, message, last } = strangers.last;
  const where = [path ?? 'several paths', ...(key === null ? [] : [`key ${key}`]), last, message].join(', ');
  return [
    ['refused today', `${counts.join(', ')} (${strangers.last_minute} in the last minute)`],
    ['refused last', where],
  ];
}

/** What is not known has no text. */
function otherLines(status: InstallationStatus): readonly (readonly [string, string | null | undefined])[] {
  const { newest_queryable_event: newest, disk, verification, dead_letters: letters, backup } = status;
  const sizes = Object.entries(status.stored_bytes).filter(([, bytes]) => bytes !== null);
  const noBackup = backup?.folder ? `none so far in ${backup.folder}` : 'none (BACKUP_DIR is not set)';
  return [
    ['newest event', newest && `queryable, recorded ${rounded(newest.age_seconds)} s ago`],
    ['dead letters', letters && `${letters.counted_all ? '' : 'at least '}${letters.messages} waiting`],
    ['verified', verification === undefined ? undefined : (verification?.finished_at ?? 'never')],
    ['backups', backup && (backup.finished_at ?? noBackup)],
    ['disk', disk && diskText(disk)],
    ['stored', sizes.map(([name, bytes]) => `${name} ${mebibytes(Number(bytes))}`).join(', ')],
    ...Object.entries(status.growth).map(([name, of]) => [`${name} growth`, of && growthText(of)] as const),
  ];
}

function growthText({ bytes_a_day: bytes, since }: NonNullable<InstallationStatus['growth']['log']>): string {
  return `${mebibytes(bytes)} a day since ${since.slice(0, 10)}`;
}

function diskText({ free_bytes: free, total_bytes: total, full_at: fullAt }: NonNullable<InstallationStatus['disk']>) {
  const full = fullAt === null ? '' : `, full on ${fullAt.slice(0, 10)} at this rate`;
  return `${mebibytes(free)} of ${mebibytes(total)} free${full}`;
}

function readerText({
  state,
  lag_messages: lag,
  lag_seconds: seconds,
  messages_per_second: rate,
}: ShownReader): string {
  const time = seconds === null || seconds === 0 ? '' : ` (${rounded(seconds)} s)`;
  return `${state}, ${rounded(rate)} messages/s, ${lag ?? 'unknown'} behind${time}`;
}
