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
    ...Object.entries(readers).map(([reader, of]) => [reader, readerText(of)]),
    ...otherLines(status),
  ];
  const head = `Tidemark ${version} ${at}, role ${role}, is ${ready ? 'ready' : 'NOT READY'}.\n`;
  return `${head}${table(lines[0] ?? [], lines.slice(1))}${attentionText(attention)}`;
}

export function attentionText(attention: InstallationStatus['attention']): string {
  const wanted = attention.map(({ code, reason, link }) => `  ${code}: ${reason} (${link})\n`).join('');
  return wanted === '' ? 'Nothing wants attention.\n' : `Wants attention:\n${wanted}`;
}

function otherLines(status: InstallationStatus): readonly (readonly string[])[] {
  const { newest_queryable_event: newest, disk, stored_bytes: stored, verification, dead_letters: letters } = status;
  const sizes = Object.entries(stored).flatMap(([name, bytes]) =>
    bytes === null ? [] : `${name} ${mebibytes(bytes)}`,
  );
  return [
    ...(newest === null ? [] : [['newest event', `queryable, recorded ${rounded(newest.age_seconds)} s ago`]]),
    ...(letters === null
      ? []
      : [['dead letters', `${letters.counted_all ? '' : 'at least '}${letters.messages} waiting`]]),
    ...(verification === undefined ? [] : [['verified', verification?.finished_at ?? 'never']]),
    ...(disk === null ? [] : [['disk', `${mebibytes(disk.free_bytes)} of ${mebibytes(disk.total_bytes)} free`]]),
    ...(sizes.length === 0 ? [] : [['stored', sizes.join(', ')]]),
  ];
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
