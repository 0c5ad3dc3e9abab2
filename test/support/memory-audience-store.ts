import type {
  AudienceCursor,
  AudienceStore,
  NewAudience,
  SavedAudience,
} from '../../services/audience/saved/audience-store.ts';
import { TidemarkError } from '../../services/runtime/errors.ts';

/** Saved audiences in memory, which can be away. Held to the same contract as the real store. */
export class MemoryAudienceStore implements AudienceStore {
  readonly audiences = new Map<string, SavedAudience>();
  away = false;
  readonly #maxPerProject: number;
  #count = 0;

  constructor(maxPerProject = 100) {
    this.#maxPerProject = maxPerProject;
  }

  async create(projectId: string, audience: NewAudience): Promise<SavedAudience> {
    this.#check();
    if (projectId === 'proj_none') throw new TidemarkError('PROJECT_UNKNOWN', projectId);
    this.#refuseTaken(projectId, audience.name);
    if ([...this.audiences.values()].filter((one) => one.projectId === projectId).length >= this.#maxPerProject) {
      throw new TidemarkError('AUDIENCE_LIMIT', `${this.#maxPerProject} audiences`);
    }
    const id = `aud_${String(++this.#count).padStart(20, '0')}`;
    const times = { createdAtMs: this.#count, updatedAtMs: this.#count };
    const made = { ...audience, id, projectId, version: 1, ...times, evaluation: null, failure: null };
    this.audiences.set(id, made);
    return made;
  }

  async list(projectId: string, limit: number, after?: AudienceCursor): Promise<readonly SavedAudience[]> {
    this.#check();
    const found = [...this.audiences.values()].filter((one) => one.projectId === projectId).sort(newestFirst);
    return found.filter((one) => after === undefined || newestFirst(after, one) < 0).slice(0, limit);
  }

  async find(projectId: string, id: string): Promise<SavedAudience | undefined> {
    this.#check();
    const found = this.audiences.get(id);
    return found?.projectId === projectId ? found : undefined;
  }

  async update(projectId: string, id: string, changes: Partial<NewAudience>): Promise<SavedAudience> {
    const before = await this.find(projectId, id);
    if (before === undefined) throw new TidemarkError('AUDIENCE_UNKNOWN', id);
    if (changes.name !== undefined && changes.name !== before.name) this.#refuseTaken(projectId, changes.name);
    const isChanged = changes.definition !== undefined && changes.definition !== before.definition;
    const after = { ...before, ...changes, version: before.version + (isChanged ? 1 : 0) };
    this.audiences.set(id, after);
    return after;
  }

  async remove(projectId: string, id: string): Promise<void> {
    if ((await this.find(projectId, id)) === undefined) throw new TidemarkError('AUDIENCE_UNKNOWN', id);
    this.audiences.delete(id);
  }

  #refuseTaken(projectId: string, name: string): void {
    const isTaken = [...this.audiences.values()].some((one) => one.projectId === projectId && one.name === name);
    if (isTaken) throw new TidemarkError('AUDIENCE_EXISTS', name);
  }

  #check(): void {
    if (this.away) throw new TidemarkError('STORE_UNAVAILABLE', 'away, as ordered');
  }
}

function newestFirst(a: AudienceCursor, b: AudienceCursor): number {
  return b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}
