import type { ProjectsSnapshot } from '../../../services/stores/projects/project-store.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { emptiedDatabase } from './database.ts';

/** The store of projects on the worker's database, emptied. */
export async function emptiedProjects(): Promise<SqlProjectStore> {
  return new SqlProjectStore(await emptiedDatabase());
}

/** The hashes of the keys that are not revoked. */
export async function usableKeys(store: SqlProjectStore): Promise<ReadonlySet<string>> {
  return new Set((await store.snapshot()).keys.map(({ sha256 }) => sha256));
}

/** Counts what is asked, and holds answers back. */
export class WatchedProjects extends SqlProjectStore {
  /** How often `snapshot` was asked. */
  snapshots = 0;
  /** The most calls of `snapshot` that were under way at once. */
  mostAtOnce = 0;
  /** What `snapshot` waits for between reading and answering. */
  gate: Promise<void> | undefined;
  /** The ids of each call of `noteUsed`. */
  readonly noted: (readonly string[])[] = [];
  #underWay = 0;

  override async snapshot(): Promise<ProjectsSnapshot> {
    this.snapshots += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#underWay);
    try {
      const read = await super.snapshot();
      await this.gate;
      return read;
    } finally {
      this.#underWay -= 1;
    }
  }

  override noteUsed(ids: readonly string[], day: string): Promise<void> {
    this.noted.push(ids);
    return super.noteUsed(ids, day);
  }
}
