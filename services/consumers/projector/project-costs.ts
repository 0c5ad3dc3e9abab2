import type { ProfileChange } from '../../stores/profiles/profile.ts';
import { charsOf } from './large-batch.ts';

/** The time in which a cost fades by half. */
const HALF_LIFE_MS = 10_000;
// A usual change takes 0.05 to 0.3 ms. One of a profile of 10,000 traits takes 130 ms for a single trait and 500 for 9,000.
const SLOW_MS_A_CHANGE = 5;
// What is less is over soon.
const SLOW_MS = 1_000;
// What a change takes beside its traits, in characters of these.
const CHARS_A_CHANGE = 200;

interface Cost {
  ms: number;
  changes: number;
  atMs: number;
}

/** How long the merges of each project took lately, to know those whose changes are slow. */
export class ProjectCosts {
  readonly #costs = new Map<string, Cost>();
  readonly #now: () => number;

  /** @param now In milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Divides the time of a transaction among the projects of its changes, by the size of these. */
  note(changes: readonly ProfileChange[], tookMs: number): void {
    const sizes = new Map<string, { chars: number; changes: number }>();
    let all = 0;
    for (const change of changes) {
      const chars = CHARS_A_CHANGE + charsOf(change);
      const size = sizes.get(change.projectId) ?? { chars: 0, changes: 0 };
      sizes.set(change.projectId, { chars: size.chars + chars, changes: size.changes + 1 });
      all += chars;
    }
    for (const [projectId, size] of sizes) this.#add(projectId, (tookMs * size.chars) / all, size.changes);
  }

  /** The projects whose changes are slow. */
  slow(): ReadonlySet<string> {
    const slow = new Set<string>();
    for (const [projectId, cost] of this.#costs) {
      this.#fade(cost);
      if (cost.ms < 1) this.#costs.delete(projectId);
      if (cost.ms >= SLOW_MS && cost.ms >= SLOW_MS_A_CHANGE * cost.changes) slow.add(projectId);
    }
    return slow;
  }

  #add(projectId: string, ms: number, changes: number): void {
    const cost = this.#costs.get(projectId) ?? { ms: 0, changes: 0, atMs: this.#now() };
    this.#fade(cost);
    cost.ms += ms;
    cost.changes += changes;
    this.#costs.set(projectId, cost);
  }

  #fade(cost: Cost): void {
    const now = this.#now();
    const left = 2 ** ((cost.atMs - now) / HALF_LIFE_MS);
    cost.ms *= left;
    cost.changes *= left;
    cost.atMs = now;
  }
}
