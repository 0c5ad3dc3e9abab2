import { standInBy } from '../../runtime/stand-in.ts';
import type { AnalyticsGenerations, AnalyticsReader, AudienceHistory } from '../analytics/analytics-store.ts';
import type { Database } from '../database/database.ts';
import type { ProfileReader } from '../profiles/profile-reader.ts';
import { SqlProfileStore } from '../profiles/sql-profile-store.ts';
import { LiveGenerations } from './live-generations.ts';

/** The stores that queries use: always those of the live generations. */
export interface LiveStores {
  readonly profiles: ProfileReader;
  readonly analytics: AnalyticsReader;
  readonly progress: Pick<LiveGenerations, 'progress'>;
}

type AnalyticsWithHistory = AnalyticsReader & AudienceHistory;

/** The analytics of the first generation, which can open the others. */
export type FirstAnalytics = AnalyticsWithHistory & Pick<AnalyticsGenerations, 'ofGeneration'>;

export function liveStores(database: Database, analytics: FirstAnalytics): LiveStores {
  const live = new LiveGenerations(database);
  return { profiles: liveProfiles(database, live), analytics: liveAnalytics(analytics, live), progress: live };
}

/** The profiles of the live generation of each project. */
export function liveProfiles(database: Database, live: LiveGenerations): ProfileReader {
  const stores = new Map<number, SqlProfileStore>();
  return standInBy<ProfileReader>(async (_, [projectId]) => {
    const number = await live.numberOf('profiles', projectId as string);
    let store = stores.get(number);
    if (store === undefined) stores.set(number, (store = new SqlProfileStore(database, number)));
    return store;
  });
}

/** What the first generation alone has: the history of audiences, whose members come from the live generations. */
const OF_FIRST: ReadonlySet<string> = new Set<keyof AnalyticsWithHistory>([
  'askHistory',
  'audienceChanges',
  'finalize',
  'finalizedAt',
  'forgetAudience',
]);

/** The analytics of the live generation of each project. Each query is answered by a single generation. */
export function liveAnalytics(analytics: FirstAnalytics, live: LiveGenerations): AnalyticsWithHistory {
  return standInBy<AnalyticsWithHistory>(async (method, [query]) => {
    if (OF_FIRST.has(method)) return analytics;
    const { projectId } = query as { readonly projectId?: string };
    return analytics.ofGeneration(await live.numberOf('analytics', projectId));
  });
}
