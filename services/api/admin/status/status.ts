/** `GET /v1/admin/status`: how an installation is, in one answer. */
import type { EventLog } from '../../../event-log/event-log.ts';
import type { Readiness } from '../../../http/pages.ts';
import type { Answer, Route } from '../../../http/route.ts';
import { formatMicros, formatMs } from '../../../messages/timestamp.ts';
import { route } from '../../input.ts';
import { aboutProgram, programVersion } from '../../../runtime/version.ts';
import { MISSING_AFTER_MS, type ProcessStore, type SeenProcess } from '../../../stores/service-state/process-store.ts';
import type { SqlRefusalStore } from '../../../stores/service-state/sql-refusal-store.ts';
import { refusalAnswer } from '../../refusals.ts';
import { NO_PROJECT_ID } from '../../../stores/service-state/refusal-store.ts';
import { attentionTo, type InstallationStatus, unwellAttention } from './attention.ts';
import { cached } from '../../../operations/status/cached.ts';
import { diagnoseLog } from '../../../operations/status/diagnosis.ts';
import type { BackupSchedule } from '../../../operations/backup/last-backup.ts';
import {
  type DataFolders,
  type DiskFigures,
  diskFigures,
  type StoredBytes,
  storedBytes,
} from '../../../operations/status/disk.ts';
import { fullAtMs, type NotedStore, type NotedStores } from '../../../operations/status/store-sizes.ts';
import { type Lag, logFigures, type LogLagParts, type StatusReaderName } from '../../../operations/status/log-lag.ts';
import { differenceIn } from '../../../operations/verify/last-verification.ts';
import type { SqlStoreFigures } from '../../../operations/status/store-figures.ts';
import { answerPartitions } from './partitions.ts';
import { answerProjectStatus } from './project-status.ts';
import type { DeadLetterPort } from '../../../operations/dead-letters/dead-letter-commands.ts';

export interface StatusParts {
  readonly role: InstallationStatus['role'];
  readonly log: Pick<EventLog, 'ends' | 'beginnings' | 'scan' | 'storedBytes' | 'keptMs'>;
  readonly deadLetters: Pick<DeadLetterPort, 'countWaiting'>;
  readonly progress: LogLagParts['progress'];
  readonly processes: Pick<ProcessStore, 'list'>;
  readonly figures: SqlStoreFigures;
  readonly refusals: Pick<SqlRefusalStore, 'today' | 'list'>;
  readonly folders: DataFolders;
  readonly readiness: () => Readiness | Promise<Readiness>;
  readonly schedule: BackupSchedule;
  readonly settings: Readonly<Record<string, string>>;
}

const QUICK_MS = 1_000;
const SLOW_MS = 10_000;

export function statusRoutes(parts: StatusParts): readonly Route[] {
  const status = new StatusSource(parts);
  const admin = { scope: 'admin', bodyLimitBytes: null, style: 'problem' } as const;
  const answer = async (): Promise<Answer> => ({ status: 200, body: JSON.stringify((await status.read()).status) });
  return [
    route('GET /v1/admin/status', admin, answer),
    route('GET /v1/admin/diagnosis', admin, () => answerDiagnosis(parts)),
    route('GET /v1/admin/partitions', admin, (_, { query }) => answerPartitions(parts, query)),
    route('GET /v1/status', { ...admin, scope: 'read' }, ({ project }) =>
      answerProjectStatus(parts.figures, project.id, status.readOfAll()),
    ),
  ];
}

/** Finds what wants attention now; undefined where some of what it is judged by is not known. */
export function attentionIn(parts: StatusParts): () => Promise<InstallationStatus['attention'] | undefined> {
  const source = new StatusSource(parts);
  return async () => {
    const { status, isComplete } = await source.read();
    return isComplete ? status.attention : undefined;
  };
}

/** What somebody needs who helps from afar. No secret, and no value of a project or a user. */
async function answerDiagnosis({ settings, log, figures }: StatusParts): Promise<Answer> {
  const [ofLog, ofStores] = await Promise.all([diagnoseLog(log), figures.diagnosis()]);
  return { status: 200, body: JSON.stringify({ program: aboutProgram(), settings, ...ofLog, ...ofStores }) };
}

/** Each is asked at most once a second, or once in ten where it takes long, however many ask for the status. */
function sourcesOf(parts: StatusParts) {
  const { processes, figures, folders, deadLetters } = parts;
  return {
    log: cached(QUICK_MS, (signal) => logFigures(parts, signal)),
    processes: cached(QUICK_MS, () => processes.list()),
    verification: cached(SLOW_MS, () => figures.verification()),
    backup: cached(SLOW_MS, () => figures.lastBackup(parts.schedule.folder)),
    oldestErasure: cached(SLOW_MS, () => figures.oldestErasure()),
    paused: cached(SLOW_MS, () => figures.pausedForDrill()),
    strangers: cached(QUICK_MS, () => strangersIn(parts.refusals)),
    disk: cached(SLOW_MS, () => diskFigures(folders)),
    stored: cached(SLOW_MS, () => storedBytes(folders, figures, parts.log)),
    noted: cached(SLOW_MS, () => figures.notedStores()),
    letters: cached(SLOW_MS, () => deadLetters.countWaiting()),
    unwell: cached(QUICK_MS, () => figures.unwell(null)),
  };
}

type StatusSources = ReturnType<typeof sourcesOf>;
/** What the sources answer: undefined is not known. */
type Answers = { readonly [Name in keyof StatusSources]: Awaited<ReturnType<StatusSources[Name]>> };

class StatusSource {
  readonly #parts: StatusParts;
  readonly #sources: StatusSources;

  constructor(parts: StatusParts) {
    this.#parts = parts;
    this.#sources = sourcesOf(parts);
  }

  async readOfAll() {
    const [log, letters] = await Promise.all([this.#sources.log(), this.#sources.letters()]);
    return { readers: readersOf(undefined, log?.lags, Date.now()), letters };
  }

  /** With whether all was known by which attention is judged. */
  async read(): Promise<{ readonly status: InstallationStatus; readonly isComplete: boolean }> {
    const answers = Object.entries(this.#sources).map(async ([name, ask]) => [name, await ask()] as const);
    const known = Object.fromEntries(await Promise.all(answers)) as Answers;
    const { log, processes, verification, backup, oldestErasure, paused, strangers, disk, stored, letters } = known;
    const { noted = {}, unwell } = known;
    const { role, readiness } = this.#parts;
    const { ready, parts } = await readiness();
    const nowMs = Date.now();
    const newest = log?.newestQueryableAtMs ?? null;
    const running = (processes ?? []).filter(({ ageMs }) => ageMs <= MISSING_AFTER_MS);
    const status = {
      version: programVersion(),
      role,
      uptime_seconds: Math.floor(process.uptime()),
      ready,
      parts,
      rates: ratesOf(running),
      ...strangersOf(strangers, running),
      readers: readersOf(processes === undefined ? undefined : running, log?.lags, nowMs),
      newest_queryable_event:
        newest === null ? null : { at: formatMs(newest), age_seconds: secondsSince(newest, nowMs) },
      deleted_from_log: log?.deletedRecords ?? null,
      processes: processes === undefined ? null : processes.map(processStatus),
      disk: disk ? diskOf(disk, noted, nowMs) : null,
      ...sizeAnswers(stored, noted),
      ...(verification === undefined ? {} : { verification: verificationOf(verification) }),
      ...backupOf(this.#parts.schedule, backup),
      ...erasureOf(oldestErasure),
      ...(paused === undefined ? {} : { endpoints_paused_for_drill: paused }),
      dead_letters:
        letters === undefined ? null : { messages: letters.messages, waiting: letters.byReader, counted_all: true },
    };
    const ofAll = attentionTo(status, nowMs, this.#parts.schedule.everyMs === 0);
    const judgedBy = [log, processes, verification, backup, oldestErasure, paused, disk, letters, unwell];
    const isComplete = judgedBy.every((source) => source !== undefined);
    return { status: { ...status, attention: [...ofAll, ...unwellAttention(unwell)] }, isComplete };
  }
}

function ratesOf(running: readonly SeenProcess[]): InstallationStatus['rates'] {
  return {
    accepted: rateOf(running, 'accepted'),
    refused: rateOf(running, 'refused'),
    projected: rateOf(running, 'projector') + rateOf(running, 'import-projector'),
    stored: rateOf(running, 'sink') + rateOf(running, 'import-sink'),
  };
}

/** Requests that no project is known for. */
async function strangersIn(
  refusals: StatusParts['refusals'],
): Promise<Omit<NonNullable<InstallationStatus['without_project']>, 'last_minute'>> {
  const [today, [last]] = await Promise.all([refusals.today(NO_PROJECT_ID), refusals.list(NO_PROJECT_ID, 1)]);
  return { today, last: last === undefined ? null : refusalAnswer(last) };
}

/** Left out where it is not known. */
function strangersOf(
  strangers: Answers['strangers'],
  running: readonly SeenProcess[],
): Pick<InstallationStatus, 'without_project'> {
  if (strangers === undefined) return {};
  return { without_project: { last_minute: Math.round(60 * rateOf(running, 'strangers')), ...strangers } };
}

function rateOf(processes: readonly SeenProcess[], name: string): number {
  const sum = processes.reduce((total, { rates }) => total + (rates[name] ?? 0), 0);
  return Math.round(sum * 100) / 100;
}

/** @param running Undefined where it is not known which run. */
function readersOf(
  running: readonly SeenProcess[] | undefined,
  lags: Readonly<Record<StatusReaderName, Lag>> | undefined,
  nowMs: number,
): InstallationStatus['readers'] {
  const readerOf = (name: StatusReaderName): InstallationStatus['readers']['sink'] => {
    const processes = running?.filter(({ rates }) => name in rates);
    const states = processes?.map(({ parts }) => parts[name] ?? 'ready');
    const worst = states?.find((state) => state !== 'ready') ?? states?.[0];
    const lag = lags?.[name];
    return {
      state: worst ?? (running === undefined ? 'unknown' : 'missing'),
      lag_messages: lag?.messages ?? null,
      lag_seconds: lagSecondsOf(lag, nowMs),
      messages_per_second: rateOf(processes ?? [], name),
    };
  };
  return {
    projector: readerOf('projector'),
    sink: readerOf('sink'),
    'import-projector': readerOf('import-projector'),
    'import-sink': readerOf('import-sink'),
  };
}

/** Null where it is not known. */
function lagSecondsOf(lag: Lag | undefined, nowMs: number): number | null {
  if (lag === undefined) return null;
  if (lag.messages <= 0) return 0;
  return lag.oldestAtMs === null ? null : secondsSince(lag.oldestAtMs, nowMs);
}

type ProcessStatus = NonNullable<InstallationStatus['processes']>[number];

function processStatus({ id, role, version, startedAtMs, ageMs, parts }: SeenProcess): ProcessStatus {
  return {
    id,
    role: role as ProcessStatus['role'],
    version,
    state: ageMs > MISSING_AFTER_MS ? 'missing' : 'running',
    started_at: formatMs(startedAtMs),
    seen_seconds_ago: Math.round(ageMs / 100) / 10,
    parts,
  };
}

function verificationOf(
  last: NonNullable<Answers['verification']> | null,
): NonNullable<InstallationStatus['verification']> | null {
  return last === null ? null : { finished_at: formatMs(last.finishedAtMs), ...differenceIn(last.report) };
}

/** Left out where it is not known. */
function backupOf({ folder, everyMs }: BackupSchedule, last: Answers['backup']): Pick<InstallationStatus, 'backup'> {
  if (last === undefined) return {};
  const backup = {
    folder: folder ?? null,
    every_seconds: folder === undefined ? 0 : everyMs / 1_000,
    finished_at: last === null ? null : formatMs(last.finishedAtMs),
    bytes: last?.result.bytes_total ?? null,
  };
  return { backup };
}

function diskOf(disk: DiskFigures, noted: NotedStores, nowMs: number): InstallationStatus['disk'] {
  const { folder, totalBytes, freeBytes, usedBytes } = disk;
  const fullAt = fullAtMs(disk, noted, nowMs);
  const full = fullAt === null ? null : formatMs(fullAt);
  return { folder, total_bytes: totalBytes, free_bytes: freeBytes, used_bytes: usedBytes, full_at: full };
}

function sizeAnswers(
  stored: StoredBytes = { log: null, profiles: null, analytics: null },
  { log, profiles, analytics }: NotedStores,
): Pick<InstallationStatus, 'stored_bytes' | 'growth'> {
  const of = ({ growth = null }: Partial<NotedStore> = {}) =>
    growth && { bytes_a_day: growth.bytesADay, since: formatMs(growth.sinceMs) };
  return { stored_bytes: stored, growth: { log: of(log), profiles: of(profiles), analytics: of(analytics) } };
}

/** Left out where it is not known. */
function erasureOf(
  oldest: Answers['oldestErasure'],
): Pick<InstallationStatus, 'oldest_erasure_at' | 'erasures_wait_because'> {
  if (oldest === undefined) return {};
  const { requestedAt = null, waitsBecause = null } = oldest ?? {};
  return {
    oldest_erasure_at: requestedAt === null ? null : formatMicros(requestedAt),
    erasures_wait_because: waitsBecause,
  };
}

function secondsSince(ms: number, nowMs: number): number {
  return Math.max(0, Math.round((nowMs - ms) / 100) / 10);
}
