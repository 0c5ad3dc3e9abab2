import type { Database } from '../database/database.ts';
import type { Profile } from '../profiles/profile.ts';
import type { ProfileReader } from '../profiles/profile-store.ts';
import { SqlProfileStore } from '../profiles/sql-profile-store.ts';
import type { LiveGenerations } from './live-generations.ts';

/** The profiles of whichever generation answers for a project. */
export class LiveProfiles implements ProfileReader {
  readonly #database: Database;
  readonly #live: LiveGenerations;
  readonly #stores = new Map<number, SqlProfileStore>();

  constructor(database: Database, live: LiveGenerations) {
    this.#database = database;
    this.#live = live;
  }

  async find(projectId: string, userKey: string): Promise<Profile | undefined> {
    const number = await this.#live.numberOf('profiles', projectId);
    let store = this.#stores.get(number);
    if (store === undefined) this.#stores.set(number, (store = new SqlProfileStore(this.#database, number)));
    return store.find(projectId, userKey);
  }
}
