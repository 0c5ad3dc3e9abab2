import type {
  AudienceCursor,
  AudienceSize,
  AudienceStore,
  AudienceVersion,
  ChangeTerms,
  EvaluationsQuery,
  LastEvaluation,
  NewAudience,
  SavedAudience,
} from '../../../services/questions/saved/audience-store.ts';
import { refuseReferences, refuseUsed } from '../../../services/questions/saved/references.ts';
import type { LiveEpoch } from '../../../services/stores/analytics/live-history.ts';
import type { Micros } from '../../../services/messages/message.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';

/** What an audience that is not live has. */
export const NOT_LIVE = { isLive: false, liveThrough: null, isFollowed: false } as const;

/** Saved audiences in memory, which can be unreachable. Held to the same contract as the real store. */
export class MemoryAudienceStore implements AudienceStore {
  readonly audiences = new Map<string, SavedAudience>();
  /** Versions of each audience, newest first. */
  readonly kept = new Map<string, AudienceVersion[]>();
  readonly evaluated = new Map<string, LastEvaluation[]>();
  readonly readableAt = new Map<string, Micros>();
  /** How often it was asked what is shown, and of how many audiences the last time. */
  looks: number[] = [];
  /** The ids of each question for several. */
  readonly questions: (readonly string[])[] = [];
  unreachable = false;
  readonly #maxPerProject: number;
  #count = 0;

  constructor(maxPerProject = 100) {
    this.#maxPerProject = maxPerProject;
  }

  async create(projectId: string, audience: NewAudience, by?: string): Promise<SavedAudience> {
    this.#check();
    if (projectId === 'proj_none') throw new TidemarkError('PROJECT_UNKNOWN', projectId);
    this.#refuseTaken(projectId, audience.name);
    if ([...this.audiences.values()].filter((one) => one.projectId === projectId).length >= this.#maxPerProject) {
      throw new TidemarkError('AUDIENCE_LIMIT', `${this.#maxPerProject} audiences`);
    }
    refuseReferences(this.#of(projectId), null, audience.definition);
    const id = `aud_${String(++this.#count).padStart(20, '0')}`;
    const times = { createdAtMs: this.#count, updatedAtMs: this.#count };
    const rest = { ...NOT_LIVE, note: '', tags: [], ...audience, evaluation: null, failure: null };
    const made: SavedAudience = { ...rest, id, projectId, version: 1, revision: 1, ...times };
    this.audiences.set(id, made);
    this.#keep(made, by);
    return made;
  }

  async liveEpochs(): Promise<readonly LiveEpoch[]> {
    return [];
  }

  async list(
    projectId: string,
    limit: number,
    after?: AudienceCursor,
    tag?: string,
  ): Promise<readonly SavedAudience[]> {
    this.#check();
    const found = [...this.audiences.values()].filter((one) => one.projectId === projectId).sort(newestFirst);
    return found
      .filter((one) => after === undefined || newestFirst(after, one) < 0)
      .filter(({ tags }) => tag === undefined || tags.includes(tag))
      .slice(0, limit);
  }

  async find(projectId: string, id: string): Promise<SavedAudience | undefined> {
    this.#check();
    const found = this.audiences.get(id);
    return found?.projectId === projectId ? found : undefined;
  }

  async findAll(projectId: string, ids: readonly string[]): Promise<readonly SavedAudience[]> {
    this.questions.push(ids);
    const found = await Promise.all(ids.map((id) => this.find(projectId, id)));
    return found.filter((one) => one !== undefined);
  }

  async update(
    projectId: string,
    id: string,
    changes: Partial<NewAudience>,
    { ifRevisions, by }: ChangeTerms = {},
  ): Promise<SavedAudience> {
    const before = this.#at(projectId, id, ifRevisions);
    if (changes.name !== undefined && changes.name !== before.name) this.#refuseTaken(projectId, changes.name);
    refuseReferences(this.#of(projectId), id, changes.definition ?? '');
    const isChanged = changes.definition !== undefined && changes.definition !== before.definition;
    const version = before.version + (isChanged ? 1 : 0);
    const after = { ...before, ...changes, version, revision: before.revision + 1 };
    this.audiences.set(id, after);
    if (isChanged) this.#keep(after, by);
    return after;
  }

  async remove(projectId: string, id: string, { ifRevisions }: ChangeTerms = {}): Promise<void> {
    this.#at(projectId, id, ifRevisions);
    refuseUsed(this.#of(projectId), id);
    this.audiences.delete(id);
  }

  async versions(projectId: string, id: string, limit: number, before?: number): Promise<readonly AudienceVersion[]> {
    if ((await this.find(projectId, id)) === undefined) return [];
    const kept = this.kept.get(id) ?? [];
    return kept.filter(({ version }) => before === undefined || version < before).slice(0, limit);
  }

  async evaluations(
    projectId: string,
    id: string,
    { limit, since, before }: EvaluationsQuery,
  ): Promise<readonly LastEvaluation[]> {
    if ((await this.find(projectId, id)) === undefined) return [];
    const wanted = (this.evaluated.get(id) ?? []).filter(
      ({ at }) => (since === undefined || at >= since) && (before === undefined || at < before),
    );
    return wanted.slice(0, limit);
  }

  async sizes(ids: readonly string[], since: Micros): Promise<ReadonlyMap<string, readonly AudienceSize[]>> {
    this.#check();
    const found = ids.map((id) => [id, (this.evaluated.get(id) ?? []).filter(({ at }) => at >= since)] as const);
    return new Map(found.filter(([, sizes]) => sizes.length > 0));
  }

  async changesReadableAt(ids: readonly string[]): Promise<ReadonlyMap<string, Micros | null>> {
    this.looks.push(ids.length);
    this.#check();
    const known = ids.filter((id) => this.audiences.has(id));
    return new Map(known.map((id) => [id, this.readableAt.get(id) ?? null]));
  }

  #of(projectId: string): readonly SavedAudience[] {
    return [...this.audiences.values()].filter((one) => one.projectId === projectId);
  }

  #at(projectId: string, id: string, revisions: readonly number[] | undefined): SavedAudience {
    this.#check();
    const found = this.audiences.get(id);
    if (found?.projectId !== projectId) throw new TidemarkError('AUDIENCE_UNKNOWN', id);
    if (revisions?.includes(found.revision) === false) throw new TidemarkError('AUDIENCE_CHANGED', id);
    return found;
  }

  #keep({ id, version, definition, createdAtMs: changedAtMs }: SavedAudience, by: string | undefined): void {
    const kept = { version, definition, changedAtMs, changedBy: by ?? null, changedByName: null };
    this.kept.set(id, [kept, ...(this.kept.get(id) ?? [])]);
  }

  #refuseTaken(projectId: string, name: string): void {
    const isTaken = [...this.audiences.values()].some((one) => one.projectId === projectId && one.name === name);
    if (isTaken) throw new TidemarkError('AUDIENCE_EXISTS', name);
  }

  #check(): void {
    if (this.unreachable) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered');
  }
}

function newestFirst(a: AudienceCursor, b: AudienceCursor): number {
  return b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}
