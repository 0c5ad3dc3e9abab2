import type { AnalyticsReader } from '../analytics/analytics-store.ts';
import type { Database } from '../database/database.ts';
import type { ProfileReader, ReaderProgress } from '../profiles/profile-store.ts';
import { LiveAnalytics, type LivingAnalytics } from './live-analytics.ts';
import { LiveGenerations } from './live-generations.ts';
import { LiveProfiles } from './live-profiles.ts';
import { LiveProgress } from './live-progress.ts';

/** What questions are put to: always the generations that are live. */
export interface LiveStores {
  readonly profiles: ProfileReader;
  readonly analytics: AnalyticsReader;
  readonly progress: ReaderProgress;
}

export function liveStores(database: Database, analytics: LivingAnalytics): LiveStores {
  const live = new LiveGenerations(database);
  return {
    profiles: new LiveProfiles(database, live),
    analytics: new LiveAnalytics(analytics, live),
    progress: new LiveProgress(database, live),
  };
}
