/** What of an installation wants attention. Pure. */
import type { Answer } from '../../../../schemas/operations.ts';
import { READER_NAMES, type StatusReaderName } from '../../../operations/status/log-lag.ts';
import type { Unwell } from '../../../operations/status/unwell.ts';

export type InstallationStatus = Answer<'GET /v1/admin/status'>;

type Attention = InstallationStatus['attention'][number];

/** What can want attention, and where the documentation says what to do. */
export const ATTENTION_LINKS = {
  not_ready: 'docs/operations.md#is-it-up',
  log_unavailable: 'docs/operations.md#log-away',
  log_incomplete: 'docs/operations.md#records-were-deleted-from-the-log',
  log_replaced: 'docs/operations.md#replaced',
  store_unavailable: 'docs/operations.md#away',
  clock_skewed: 'docs/operations.md#clock-skewed',
  spool_in_use: 'docs/spool.md#what-to-watch',
  reader_missing: 'docs/operations.md#missing',
  reader_failed: 'docs/operations.md#failed',
  reader_stuck: 'docs/operations.md#stuck-cannot--code',
  reader_behind: 'docs/operations.md#readers-fall-behind',
  dead_letters_waiting: 'docs/dead-letters.md',
  disk_low: 'docs/operations.md#disk-space',
  disk_full_soon: 'docs/operations.md#when-it-is-full',
  verification_found_difference: 'docs/operations.md#a-store-is-wrong',
  verification_old: 'docs/verify.md',
  backup_old: 'docs/operations.md#backup-and-restore',
  backup_missing: 'docs/operations.md#backup-and-restore',
  erasure_late: 'docs/forget.md#what-to-watch',
  erasure_waits: 'docs/forget.md#what-to-watch',
  endpoints_paused: 'docs/operations.md#the-restore-drill',
  endpoint_failing: 'docs/webhooks.md',
  audience_failing: 'docs/audiences.md',
  audience_late: 'docs/audiences.md',
} as const;

export type AttentionCode = keyof typeof ATTENTION_LINKS;

/** What a status is judged by. */
export type JudgedStatus = Omit<InstallationStatus, 'attention'>;

const MAX_LAG_S = 60;
const LEAST_FREE_BYTES = 2 ** 30;
const LEAST_FREE_SHARE = 0.1;
const FULL_WITHIN_MS = 7 * 86_400_000;
const ERASED_WITHIN_MS = 86_400_000;
const BACKED_UP_WITHIN_S = 86_400;
const VERIFIED_WITHIN_MS = 7 * 86_400_000;

/** @param mayLackBackups Whether somebody said that none are made here (BACKUP_EVERY=off). */
export function attentionTo(status: JudgedStatus, nowMs: number, mayLackBackups = false): readonly Attention[] {
  return [
    ...partsAttention(status),
    ...logAttention(status),
    ...READER_NAMES.flatMap((name) => readerAttention(name, status.readers[name])),
    ...deadLettersAttention(status),
    ...diskAttention(status, nowMs),
    ...verificationAttention(status, nowMs),
    ...(mayLackBackups ? [] : backupAttention(status, nowMs)),
    ...erasureAttention(status, nowMs),
    ...drillAttention(status),
  ].map(([code, reason]) => ({ code, reason, link: ATTENTION_LINKS[code] }));
}

type Finding = readonly [AttentionCode, string];

function partsAttention({ ready, parts }: JudgedStatus): Finding[] {
  const findings = Object.entries(parts).flatMap(([part, state]): Finding[] => {
    if (part === 'ingest' && state === 'clock skewed')
      return [['clock_skewed', 'the clock is behind the newest message, was set, or differs from that of the log']];
    if (state === 'replaced') return [['log_replaced', 'the event log lacks what the readers have read']];
    const isUnavailable = state === 'away' || state === 'log away';
    if (isUnavailable && (part === 'ingest' || part === 'eventLog'))
      return [['log_unavailable', `${part} is ${state}`]];
    if (isUnavailable && (part === 'profiles' || part === 'analytics'))
      return [['store_unavailable', `${part} is ${state}`]];
    return part === 'spool' && state !== 'empty' ? [['spool_in_use', `the spool is ${state}`]] : [];
  });
  return ready || findings.length > 0 ? findings : [['not_ready', '/readyz answers 503']];
}

function logAttention({ deleted_from_log: records }: JudgedStatus): Finding[] {
  if (records === null || records === 0) return [];
  return [
    ['log_incomplete', `${records} records were deleted from the beginning of the log: a replay would lack them`],
  ];
}

function readerAttention(name: StatusReaderName, reader: JudgedStatus['readers'][StatusReaderName]): Finding[] {
  const { state, lag_seconds: seconds, lag_messages: messages } = reader;
  const behind: Finding[] =
    seconds !== null && seconds > MAX_LAG_S
      ? [['reader_behind', `${name} is ${Math.round(seconds)} s and ${messages ?? '?'} messages behind`]]
      : [];
  if (state === 'missing') return [['reader_missing', `no process reports that it runs ${name}`], ...behind];
  if (state === 'failed') return [['reader_failed', `${name} has failed: see its log`], ...behind];
  return state.startsWith('stuck') ? [['reader_stuck', `${name} is ${state}`], ...behind] : behind;
}

function deadLettersAttention({ dead_letters: letters }: JudgedStatus): Finding[] {
  return waitingFinding(letters?.messages ?? 0);
}

function waitingFinding(messages: number): Finding[] {
  if (messages === 0) return [];
  const words = messages === 1 ? 'dead letter waits' : 'dead letters wait';
  return [['dead_letters_waiting', `${messages} ${words}`]];
}

/** The dead letters of a project. */
export function waitingAttention(projectId: string, messages = 0): readonly Attention[] {
  return waitingFinding(messages).map(([code, reason]) => {
    return { code, reason, link: ATTENTION_LINKS[code], project_id: projectId };
  });
}

function diskAttention({ disk }: JudgedStatus, nowMs: number): Finding[] {
  if (disk === null) return [];
  const { folder, free_bytes: free, total_bytes: total, full_at: fullAt } = disk;
  const isLow = free < LEAST_FREE_BYTES || free < total * LEAST_FREE_SHARE;
  const low = `${Math.round(free / 2 ** 20)} MiB of ${Math.round(total / 2 ** 20)} are free at ${folder}`;
  const isFullSoon = fullAt !== null && Date.parse(fullAt) - nowMs <= FULL_WITHIN_MS;
  const full = `the disk of ${folder} is full on ${fullAt?.slice(0, 10)} if its stores grow on as they do`;
  return [...(isLow ? [['disk_low', low] as const] : []), ...(isFullSoon ? [['disk_full_soon', full] as const] : [])];
}

/** One that never was is old after seven days. */
function verificationAttention({ verification, uptime_seconds: uptime }: JudgedStatus, nowMs: number): Finding[] {
  if (verification === undefined) return [];
  if (verification === null) {
    return uptime * 1_000 > VERIFIED_WITHIN_MS ? [['verification_old', 'the stores have never been verified']] : [];
  }
  const { missing, surplus, finished_at: finishedAt } = verification;
  const days = (nowMs - Date.parse(finishedAt)) / 86_400_000;
  const isOld = nowMs - Date.parse(finishedAt) > VERIFIED_WITHIN_MS;
  const counts = [missing.postgres, missing.clickhouse, surplus.postgres, surplus.clickhouse];
  const found = `the last verification found ${missing.postgres + missing.clickhouse} missing and ${surplus.postgres + surplus.clickhouse} surplus messages`;
  return [
    ...(counts.some((count) => count > 0) ? [['verification_found_difference', found] as const] : []),
    ...(isOld ? [['verification_old', `the last verification was ${Math.floor(days)} days ago`] as const] : []),
  ];
}

/** One that never was is missing after a day; where the service makes them by itself, it is old after twice the time between two. */
function backupAttention({ backup, uptime_seconds: uptime }: JudgedStatus, nowMs: number): Finding[] {
  if (backup === undefined) return [];
  if (backup.every_seconds === 0) {
    const isMissing = backup.folder === null && backup.finished_at === null && uptime > BACKED_UP_WITHIN_S;
    return isMissing ? [['backup_missing', 'there has never been a backup, and BACKUP_DIR is not set']] : [];
  }
  const { folder, every_seconds: every, finished_at: finishedAt } = backup;
  const seconds = finishedAt === null ? uptime : (nowMs - Date.parse(finishedAt)) / 1_000;
  if (seconds <= 2 * every) return [];
  const hours = Math.floor(seconds / 3_600);
  const age = finishedAt === null ? 'there has never been one' : `the last is ${hours} hours old`;
  return [['backup_old', `a backup into ${folder} is due every ${every / 3_600} hours, and ${age}`]];
}

function erasureAttention(
  { oldest_erasure_at: requestedAt = null, erasures_wait_because: because = null }: JudgedStatus,
  nowMs: number,
): Finding[] {
  if (requestedAt === null) return [];
  const code = nowMs - Date.parse(requestedAt) > ERASED_WITHIN_MS ? 'erasure_late' : 'erasure_waits';
  if (code === 'erasure_waits' && because === null) return [];
  const why = because === null ? '' : `: ${because}`;
  return [[code, `somebody is to be forgotten since ${requestedAt}, and is not yet${why}`]];
}

function drillAttention({ endpoints_paused_for_drill: paused = 0 }: JudgedStatus): Finding[] {
  if (paused === 0) return [];
  const which = paused === 1 ? 'an endpoint gets' : `${paused} endpoints get`;
  return [['endpoints_paused', `this was restored for a drill: ${which} no webhooks until enabled`]];
}

/** Webhooks and audiences, each by itself; none where it is not known. */
export function unwellAttention(unwell: readonly Unwell[] = []): readonly Attention[] {
  return unwell.map(({ code, projectId, id, name, failures }) => {
    const reason = {
      endpoint_failing: `the webhook ${name} ${failures === 0 ? 'was stopped by its receiver' : 'fails'}`,
      audience_failing: `the audience ${name} could not be updated`,
      audience_late: `the update of the audience ${name} is overdue`,
    }[code];
    return { code, reason, link: ATTENTION_LINKS[code], project_id: projectId, object_id: id };
  });
}
