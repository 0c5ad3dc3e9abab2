import { limitsOf } from '../../questions/query-budget.ts';
import { AudienceScheduler } from '../../questions/saved/audience-scheduler.ts';
import { type AudienceFollower, FOLLOWED_ELSEWHERE } from '../../questions/saved/audience-follower.ts';
import { SqlAudienceStore } from '../../questions/saved/sql-audience-store.ts';
import type { Config } from '../../runtime/config.ts';
import { isServer } from '../../runtime/embedded.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { QueryLimits } from '../../stores/analytics/analytics-store.ts';
import { LiveGenerations } from '../../stores/generations/live-generations.ts';
import { liveAnalytics } from '../../stores/generations/live-stores.ts';
import { LostAnalytics } from '../../stores/generations/lost-analytics.ts';
import type { ProjectLimits } from '../../stores/projects/project-store.ts';
import { SqlProjectStore } from '../../stores/projects/sql-project-store.ts';
import type { DatabaseAndAnalytics } from '../open-stores.ts';

/** The limits of questions in projects that have no limits of their own. */
export function queryLimitsOf({ queryMaxMs, queryMaxMemoryBytes, queryMaxRows }: Config): QueryLimits {
  return { maxMs: queryMaxMs, maxMemoryBytes: queryMaxMemoryBytes, maxRowsRead: queryMaxRows };
}

/** The limits of a project's questions: its own, else those of the configuration. */
export function projectLimitsOf(config: Config): (project: ProjectLimits) => QueryLimits {
  return (project) => limitsOf(project, queryLimitsOf(config));
}

export function isOnCluster({ analyticsUrl }: Config): boolean {
  return new URLSearchParams(analyticsUrl.split('?')[1]).has('cluster');
}

export interface AudienceSurroundings {
  readonly isClockWrong?: (() => Promise<boolean>) | undefined;
  /** Left out where the process keeps no audience live: others do if the log is on a server. */
  readonly live?: AudienceFollower | undefined;
}

/** Evaluates the saved audiences of these stores. */
export function audienceSchedulerOf(
  config: Config,
  logger: Logger,
  { database, analytics }: DatabaseAndAnalytics,
  { isClockWrong, live: own }: AudienceSurroundings = {},
): AudienceScheduler {
  const live = new LiveGenerations(database);
  const mayBeLive = !isOnCluster(config);
  const follower = own ?? (isServer(config.eventLogUrl) && mayBeLive ? FOLLOWED_ELSEWHERE : undefined);
  return new AudienceScheduler({
    store: new SqlAudienceStore(database, config.maxProjectAudiences),
    projects: new SqlProjectStore(database),
    history: liveAnalytics(analytics, live),
    losses: new LostAnalytics(database, analytics, live),
    limits: queryLimitsOf(config),
    logger,
    mayBeLive,
    ...(isClockWrong && { isClockWrong }),
    ...(follower && { follower }),
  });
}
