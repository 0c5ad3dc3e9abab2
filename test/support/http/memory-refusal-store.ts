import { createHash } from 'node:crypto';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import type {
  CountedRefusals,
  ListedRefusals,
  RefusalCursor,
  RefusalStore,
} from '../../../services/stores/service-state/refusal-store.ts';

/** A refusal store in memory that can be unavailable. It keeps every group, and forgets nothing. */
export class MemoryRefusalStore implements RefusalStore {
  readonly #groups = new Map<string, ListedRefusals>();
  unreachable = false;
  /** How many groups each call of `add` brought. */
  readonly added: number[] = [];

  get all(): readonly ListedRefusals[] {
    return [...this.#groups.values()];
  }

  async add(counted: readonly CountedRefusals[]): Promise<void> {
    this.#check();
    this.added.push(counted.length);
    for (const one of counted) {
      const { projectId, keyId, path, code, pointer } = one;
      const id = createHash('md5')
        .update(JSON.stringify([keyId, path, code, pointer]))
        .digest('hex');
      const before = this.#groups.get(projectId + id);
      const firstAtMs = Math.min(one.firstAtMs, before?.firstAtMs ?? Infinity);
      const example = one.example ?? before?.example ?? null;
      this.#groups.set(projectId + id, { ...one, id, count: one.count + (before?.count ?? 0), firstAtMs, example });
    }
  }

  async list(projectId: string, limit: number, after?: RefusalCursor): Promise<readonly ListedRefusals[]> {
    this.#check();
    const isBefore = (one: RefusalCursor, other: RefusalCursor): boolean =>
      one.lastAtMs === other.lastAtMs ? one.id > other.id : one.lastAtMs > other.lastAtMs;
    return this.all
      .filter((one) => one.projectId === projectId && (after === undefined || isBefore(after, one)))
      .toSorted((one, other) => (isBefore(one, other) ? -1 : 1))
      .slice(0, limit);
  }

  async today(projectId: string): Promise<Record<string, number>> {
    this.#check();
    const counts: Record<string, number> = {};
    for (const one of this.all.filter((group) => group.projectId === projectId))
      counts[one.code] = (counts[one.code] ?? 0) + one.count;
    return counts;
  }

  async deleteOld(): Promise<void> {
    this.#check();
  }

  #check(): void {
    if (this.unreachable) throw new TidemarkError('STORE_UNAVAILABLE', 'unavailable, as ordered');
  }
}
