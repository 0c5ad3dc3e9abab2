/** What keeps saved audiences up to date: evaluations, and in a process that has a sink what follows live audiences. */
import { Counter, Gauge, Registry } from 'prom-client';
import { LiveLag } from '../consumers/throttle/live-lag.ts';
import { BACK_PRESSURE, inSequence, liveLagThrottle, type Throttle } from '../consumers/throttle/throttle.ts';
import { readerLags } from '../operations/status/log-lag.ts';
import { LiveAudiences, type LiveFigures } from '../questions/live/live-audiences.ts';
import { SqlLiveStore } from '../questions/live/sql-live-store.ts';
import { SqlTouches } from '../questions/live/sql-touches.ts';
import { type AudienceFollower, FOLLOWED_ELSEWHERE } from '../questions/saved/audience-follower.ts';
import { AudienceScheduler } from '../questions/saved/audience-scheduler.ts';
import type { Watches } from '../questions/watches/watches.ts';
import type { Config } from '../runtime/config.ts';
import { hasShards, isServer } from '../runtime/embedded.ts';
import type { Logger } from '../runtime/logger.ts';
import type { AnalyticsReader } from '../stores/analytics/analytics-store.ts';
import { leftOutOf } from '../stores/erasures/left-out.ts';
import { SqlGenerations } from '../stores/generations/sql-generations.ts';
import type { OpenedStores } from './open-stores.ts';
import type { ProcessPart } from './process-parts.ts';
import type { AnalyticsFollower } from './readers/generation-readers.ts';
import type { SharedStores } from './stores.ts';

const LAG_WITHIN_MS = 3_000;

/** A replica may be asked that lacks what an insert wrote to another. */
async function mayBeLiveOn(config: Config, analytics: Pick<AnalyticsReader, 'placementOf'>): Promise<boolean> {
  return !hasShards(config) || !(await analytics.placementOf({})).hasReplicas;
}

/** Evaluates the saved audiences of these stores. @param live Left out where the process keeps no audience live; null where none does. */
export function audienceSchedulerOf(
  config: Config,
  logger: Logger,
  shared: SharedStores,
  {
    isClockWrong,
    live,
    watches,
  }: { readonly live?: AudienceFollower | null | undefined; readonly watches?: Watches | undefined } & Pick<
    LiveNeeds,
    'isClockWrong'
  > = {},
): AudienceScheduler {
  const elsewhere = isServer(config.eventLogUrl) ? FOLLOWED_ELSEWHERE : undefined;
  const follower = live === null ? undefined : (live ?? elsewhere);
  return new AudienceScheduler({
    ...shared,
    store: shared.saved,
    history: shared.analytics,
    logger,
    mayBeLive: () => mayBeLiveOn(config, shared.analytics),
    ...(isClockWrong && { isClockWrong }),
    ...(follower && { follower }),
    ...(watches && { watches }),
  });
}

interface LiveNeeds {
  /** Requests come before live audiences, as before every reader. */
  readonly throttle?: Throttle | undefined;
  readonly isClockWrong?: (() => Promise<boolean>) | undefined;
}

export interface LiveAudienceParts {
  /** Null where no process keeps an audience live. */
  readonly live: LiveAudiences | null;
  /** Follows what the sinks of this process insert. */
  readonly follower: AnalyticsFollower | undefined;
  readonly parts: readonly ProcessPart[];
}

export async function livePartsOf(
  config: Config,
  logger: Logger,
  { analytics, log }: Pick<OpenedStores, 'analytics' | 'log'>,
  shared: SharedStores,
  { throttle, isClockWrong }: LiveNeeds = {},
): Promise<LiveAudienceParts> {
  if (!(await mayBeLiveOn(config, analytics))) return { live: null, follower: undefined, parts: [] };
  const { database, progress } = shared;
  const lagMs = async (): Promise<number> => {
    const { sink } = await readerLags({ log, progress }, AbortSignal.timeout(LAG_WITHIN_MS));
    return sink.oldestAtMs === null ? 0 : Date.now() - sink.oldestAtMs;
  };
  const arePaused = (): Promise<boolean> => new SqlGenerations(database).isAnyPaused();
  const lag = new LiveLag({ log, progress, readers: ['projector', 'sink'], arePaused });
  const afterReaders = inSequence(throttle, liveLagThrottle(lag, BACK_PRESSURE.liveAudiences));
  const touches = isServer(config.eventLogUrl) ? new SqlTouches(database) : undefined;
  const live = new LiveAudiences({
    ...shared,
    store: new SqlLiveStore(database),
    history: analytics.liveHistory,
    generationOf: (projectId) => progress.numberOf('analytics', projectId),
    logger,
    lagMs,
    ...(isClockWrong && { isClockWrong }),
    ...(touches && { touches }),
    leftOut: leftOutOf(database),
    rest: (workedMs, signal) => afterReaders(workedMs, signal, 0),
  });
  const follower = touches === undefined ? followerOf(live) : notingFollower(touches, shared);
  return { live, follower, parts: [live, { metrics: liveMetrics(live) }] };
}

/** Hands on what the sinks of this process insert, which are all that there are. */
function followerOf(live: LiveAudiences): AnalyticsFollower {
  return (generation) => ({
    wants: () => live.wants(generation),
    inserted: async (users) => {
      if (live.wants(generation)) live.inserted(generation, await users());
    },
  });
}

/** Notes what the sinks of this process insert for the process that follows the audiences. */
function notingFollower(touches: SqlTouches, { progress }: Pick<SharedStores, 'progress'>): AnalyticsFollower {
  return (generation) => {
    let isWanted = false;
    return {
      wants: () => isWanted,
      inserted: async (users) => {
        isWanted = (await touches.areWanted()) && (await progress.answering('analytics')).includes(generation);
        if (isWanted) await touches.write(generation, await users());
      },
    };
  };
}

/** Metrics of live audiences in Prometheus' text format. */
function liveMetrics(live: LiveAudiences): () => Promise<string> {
  const registry = new Registry();
  const registers = [registry];
  const gauge = (name: string, help: string, value: (figures: LiveFigures) => number): void => {
    const one: Gauge = new Gauge({ name, help, registers, collect: () => one.set(value(live.figures())) });
  };
  const counter = (name: string, help: string, value: (figures: LiveFigures) => number): void => {
    const collect = (): void => {
      one.reset();
      one.inc(value(live.figures()));
    };
    const one: Counter = new Counter({ name, help, registers, collect });
  };
  gauge('tidemark_live_audiences', 'Live audiences that are followed', ({ following }) => following);
  gauge('tidemark_live_lag_seconds', 'How long ago live audiences were last decided', ({ lagMs }) => lagMs / 1000);
  counter('tidemark_live_ticks_total', 'How often live audiences were decided', ({ ticks }) => ticks);
  counter('tidemark_live_candidates_total', 'Users decided for live audiences', ({ candidates }) => candidates);
  counter('tidemark_live_changes_total', 'Users who entered or left live audiences', ({ changes }) => changes);
  counter('tidemark_live_horizon_seconds_total', 'Time it took to find whom time may change', timeOfHorizons);
  return () => registry.metrics();
}

function timeOfHorizons({ horizonMs }: LiveFigures): number {
  return horizonMs / 1000;
}
