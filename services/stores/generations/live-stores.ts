import type { AnalyticsReader } from '../analytics/analytics-store.ts';
import type { Database } from '../database/database.ts';
import type { ProfileReader, ReaderProgress } from '../profiles/profile-store.ts';
import type { Profile, WholeProfile } from '../profiles/profile.ts';
import { SqlProfileStore } from '../profiles/sql-profile-store.ts';
import { LiveAnalytics, type LivingAnalytics } from './live-analytics.ts';
import { LiveGenerations } from './live-generations.ts';
import { LiveProgress } from './live-progress.ts';

/** The stores that queries use: always those of the live generations. */
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

/** The profiles of the live generation of each project. */
export class LiveProfiles implements ProfileReader {
  readonly #database: Database;
  readonly #live: LiveGenerations;
  readonly #stores = new Map<number, SqlProfileStore>();

  constructor(database: Database, live: LiveGenerations) {
    this.#database = database;
    this.#live = live;
  }

  async find(projectId: string, userKey: string): Promise<Profile | undefined> {
    return (await this.#storeOf(projectId)).find(projectId, userKey);
  }

  async findPage(
    projectId: string,
    userKeys: readonly string[],
    maxChars: number,
  ): Promise<readonly (Profile | undefined)[]> {
    return (await this.#storeOf(projectId)).findPage(projectId, userKeys, maxChars);
  }

  async findWhole(projectId: string, userKey: string): Promise<WholeProfile | undefined> {
    return (await this.#storeOf(projectId)).findWhole(projectId, userKey);
  }

  async seenWith(projectId: string, anonymousId: string, after: string, limit: number): Promise<readonly string[]> {
    return (await this.#storeOf(projectId)).seenWith(projectId, anonymousId, after, limit);
  }

  async #storeOf(projectId: string): Promise<SqlProfileStore> {
    const number = await this.#live.numberOf('profiles', projectId);
    let store = this.#stores.get(number);
    if (store === undefined) this.#stores.set(number, (store = new SqlProfileStore(this.#database, number)));
    return store;
  }
}
