/** Live audiences in a process that has a sink: the only one, or one of several. */
import { Counter, Gauge, Registry } from 'prom-client';
import { LiveLag } from '../../consumers/throttle/live-lag.ts';
import { BACK_PRESSURE, inSequence, liveLagThrottle, type Throttle } from '../../consumers/throttle/throttle.ts';
import { readerLags } from '../../operations/status/log-lag.ts';
import { LiveAudiences, type LiveFigures } from '../../questions/live/live-audiences.ts';
import { SqlLiveStore } from '../../questions/live/sql-live-store.ts';
import { SqlTouches } from '../../questions/live/sql-touches.ts';
import { SqlAudienceStore } from '../../questions/saved/sql-audience-store.ts';
import type { Config } from '../../runtime/config.ts';
import { isServer } from '../../runtime/embedded.ts';
import type { Logger } from '../../runtime/logger.ts';
import { leftOutOf } from '../../stores/erasures/left-out.ts';
import { LiveGenerations } from '../../stores/generations/live-generations.ts';
import { liveAnalytics } from '../../stores/generations/live-stores.ts';
import { LostAnalytics } from '../../stores/generations/lost-analytics.ts';
import { SqlGenerations } from '../../stores/generations/sql-generations.ts';
import { SqlProjectStore } from '../../stores/projects/sql-project-store.ts';
import { isOnCluster, queryLimitsOf } from './audience-parts.ts';
import { insertFollowerOf } from './insert-followers.ts';
import type { OpenedStores } from '../open-stores.ts';
import { withMetricsOf } from '../reader-side.ts';
import type { ReadersHealth } from '../stores.ts';

const LAG_WITHIN_MS = 3_000;

interface LiveNeeds {
  /** Requests come before live audiences, as before every reader. */
  readonly throttle?: Throttle;
  readonly isClockWrong?: () => Promise<boolean>;
}

/** Undefined on a cluster of ClickHouse: shards ask for tables of their own, which was never tried. */
function liveAudiencesOf(
  config: Config,
  logger: Logger,
  { database, analytics, log }: Pick<OpenedStores, 'database' | 'analytics' | 'log'>,
  { throttle, isClockWrong }: LiveNeeds = {},
): LiveAudiences | undefined {
  if (isOnCluster(config)) return undefined;
  const live = new LiveGenerations(database);
  const lagMs = async (): Promise<number> => {
    const { sink } = await readerLags({ log, progress: live }, AbortSignal.timeout(LAG_WITHIN_MS));
    return sink.oldestAtMs === null ? 0 : Date.now() - sink.oldestAtMs;
  };
  const arePaused = (): Promise<boolean> => new SqlGenerations(database).isAnyPaused();
  const lag = new LiveLag({ log, progress: live, readers: ['projector', 'sink'], arePaused });
  const afterReaders = inSequence(throttle, liveLagThrottle(lag, BACK_PRESSURE.liveAudiences));
  return new LiveAudiences({
    store: new SqlLiveStore(database),
    saved: new SqlAudienceStore(database, config.maxProjectAudiences),
    projects: new SqlProjectStore(database),
    analytics: liveAnalytics(analytics, live),
    history: analytics.liveHistory,
    generationOf: (projectId) => live.numberOf('analytics', projectId),
    losses: new LostAnalytics(database, analytics, live),
    limits: queryLimitsOf(config),
    logger,
    lagMs,
    ...(isClockWrong && { isClockWrong }),
    ...(isServer(config.eventLogUrl) && { touches: new SqlTouches(database) }),
    leftOut: leftOutOf(database),
    rest: (workedMs, signal) => afterReaders(workedMs, signal, 0),
  });
}

export interface LiveOfProcess {
  /** Nothing in either where this process keeps no audience live. */
  readonly live: { readonly live?: LiveAudiences };
  readonly follower: Partial<ReturnType<typeof insertFollowerOf>>;
  /** Readers whose metrics have those of live audiences besides. */
  readonly withMetrics: (readers: ReadersHealth) => ReadersHealth;
}

export function livePartsOf(...opened: Parameters<typeof liveAudiencesOf>): LiveOfProcess {
  const live = liveAudiencesOf(...opened);
  if (live === undefined) return { live: {}, follower: {}, withMetrics: (readers) => readers };
  const metrics = { metrics: liveMetrics(live) };
  const withMetrics = (readers: ReadersHealth): ReadersHealth => withMetricsOf(readers, metrics);
  const [config, , { database }] = opened;
  return { live: { live }, follower: insertFollowerOf(config, database, live), withMetrics };
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
