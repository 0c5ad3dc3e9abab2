import type { AnalyticsStore, QueryLimits } from '../stores/analytics/analytics-store.ts';
import { AudienceScheduler } from '../audience/saved/audience-scheduler.ts';
import { SqlAudienceStore } from '../audience/saved/sql-audience-store.ts';
import type { Database } from '../stores/database/database.ts';
import { LiveAnalytics } from '../stores/generations/live-analytics.ts';
import { LiveGenerations } from '../stores/generations/live-generations.ts';
import { SqlProjectStore } from '../stores/projects/sql-project-store.ts';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';

/** The limits of questions of projects that have none of their own. */
export function queryLimitsOf({ queryMaxMs, queryMaxMemoryBytes, queryMaxRows }: Config): QueryLimits {
  return { maxMs: queryMaxMs, maxMemoryBytes: queryMaxMemoryBytes, maxRowsRead: queryMaxRows };
}

/** What evaluates saved audiences in these stores. */
export function audienceSchedulerOf(
  config: Config,
  logger: Logger,
  { database, analytics }: { readonly database: Database; readonly analytics: AnalyticsStore },
): AudienceScheduler {
  return new AudienceScheduler({
    store: new SqlAudienceStore(database, config.maxProjectAudiences),
    projects: new SqlProjectStore(database),
    history: new LiveAnalytics(analytics, new LiveGenerations(database)),
    limits: queryLimitsOf(config),
    logger,
  });
}
