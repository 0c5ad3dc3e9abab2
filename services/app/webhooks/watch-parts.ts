/** What watches are judged by. */
import { attentionIn } from '../../api/admin/status/status.ts';
import type { Readiness } from '../../http/pages.ts';
import { countWaiting } from '../../operations/dead-letters/waiting-dead-letters.ts';
import { readerLags } from '../../operations/status/log-lag.ts';
import { SqlWatchStore } from '../../questions/watches/sql-watch-store.ts';
import { type Traffic, Watches } from '../../questions/watches/watches.ts';
import type { Config } from '../../runtime/config.ts';
import { dataFoldersOf } from '../../runtime/embedded.ts';
import type { Logger } from '../../runtime/logger.ts';
import { inTime } from '../../runtime/pause.ts';
import { MISSING_AFTER_MS, type SeenProcess } from '../../stores/service-state/process-store.ts';
import { SqlRefusalStore } from '../../stores/service-state/sql-refusal-store.ts';
import { note } from '../../webhooks/notices.ts';
import { backupScheduleOf } from '../interface-routes.ts';
import type { OpenedStores } from '../open-stores.ts';
import { projectLimitsOf, type SharedStores } from '../stores.ts';

const WITHIN_MS = 3_000;
/** A message has its time of arrival a moment before it is on the log. */
const SETTLED_AFTER_MS = 5_000;

export function watchesOf(
  config: Config,
  logger: Logger,
  { log, codec }: Pick<OpenedStores, 'log' | 'codec'>,
  shared: SharedStores,
): Watches {
  const { database, progress, processes } = shared;
  const refusals = new SqlRefusalStore(database);
  const takers = async () =>
    (await processes.list()).filter(({ ageMs, parts }) => ageMs <= MISSING_AFTER_MS && parts['ingest']);
  const status = {
    ...shared,
    refusals,
    log,
    role: 'all' as const,
    folders: dataFoldersOf(config),
    schedule: backupScheduleOf(config),
    settings: {},
    deadLetters: { countWaiting: () => countWaiting({ log, codec, database }, AbortSignal.timeout(WITHIN_MS)) },
    readiness: async () => readinessOf(await takers()),
  };
  return new Watches({
    ...shared,
    watches: new SqlWatchStore(database),
    refusals,
    limitsOf: projectLimitsOf(config),
    attention: attentionIn(status),
    tell: note,
    logger,
    traffic: async () => {
      const nowMs = Date.now();
      const lags = await inTime(WITHIN_MS, (signal) => readerLags({ log, progress }, signal));
      return lags && trafficOf(await takers(), lags.sink, nowMs);
    },
  });
}

/** @param takers The processes that take messages. @param lag That of the sink. */
export function trafficOf(
  takers: readonly Pick<SeenProcess, 'parts' | 'startedAtMs'>[],
  lag: { readonly messages: number; readonly oldestAtMs: number | null },
  nowMs: number,
): Traffic | undefined {
  const ready = takers.filter(isTaking);
  const holdsBack = takers.some(({ parts: { spool = 'empty' } }) => spool !== 'empty');
  if (ready.length === 0 || holdsBack || (lag.messages > 0 && lag.oldestAtMs === null)) return undefined;
  const untilMs = Math.min(nowMs, lag.oldestAtMs ?? nowMs) - SETTLED_AFTER_MS;
  return { sinceMs: Math.min(...ready.map(({ startedAtMs }) => startedAtMs)), untilMs };
}

/** A part is as it is where it is worst. */
function readinessOf(takers: readonly SeenProcess[]): Readiness {
  const states = takers.flatMap(({ parts }) => Object.entries(parts));
  const parts = Object.fromEntries(
    states.toSorted(([, one], [, other]) => Number(isWell(other)) - Number(isWell(one))),
  );
  return { ready: takers.some(isTaking), parts };
}

function isTaking({ parts }: Pick<SeenProcess, 'parts'>): boolean {
  return parts['ingest'] === 'ready' && parts['eventLog'] === 'ready';
}

function isWell(state: string): boolean {
  return state === 'ready' || state === 'empty';
}
