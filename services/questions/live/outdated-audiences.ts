import { hasCode } from '../../runtime/errors.ts';
import type { LostAnalytics } from '../../stores/generations/lost-analytics.ts';
import type { SqlProjectStore } from '../../stores/projects/sql-project-store.ts';
import { conditionsIn } from '../definition/audience.ts';
import { definitionOf } from '../saved/references.ts';
import type { SqlAudienceStore } from '../saved/sql-audience-store.ts';
import { textOf } from './bounds.ts';
import type { Followed } from './followed.ts';
import type { FollowedAudiences } from './followed-audiences.ts';
import type { LiveAudienceRow, SqlLiveStore } from './sql-live-store.ts';

export interface OutdatedAudiencesParts {
  readonly store: Pick<SqlLiveStore, 'list'>;
  readonly saved: Pick<SqlAudienceStore, 'find' | 'findAll'>;
  readonly projects: Pick<SqlProjectStore, 'findProject'>;
  readonly generationOf: (projectId: string) => Promise<number>;
  readonly losses: Pick<LostAnalytics, 'expectNone'>;
  readonly lagMs: () => Promise<number>;
}

const OUTDATED_EVERY_MS = 2_000;
const OF_PROJECT = ['timezone', 'joins', 'eventsFrom'] as const;
/** Further behind than this nothing is decided: users would leave by time, and return with the messages that wait. */
const BEHIND_MS = 60_000;

/** Finds followed audiences that have to be evaluated anew although no message came: their definition, a setting of the project or the generation changed. */
export class OutdatedAudiences {
  readonly #parts: OutdatedAudiencesParts;
  readonly #audiences: FollowedAudiences;
  #lookedAt = -Infinity;
  #isBehind = false;
  #looking: Promise<void> | undefined;
  /** What was found since it was last asked for, and why a look failed. */
  readonly #found: Followed[] = [];
  #failure: { readonly error: unknown } | undefined;

  constructor(parts: OutdatedAudiencesParts, audiences: FollowedAudiences) {
    this.#parts = parts;
    this.#audiences = audiences;
  }

  /** Whether the sink is so far behind that nothing is decided. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /**
   * The audiences to evaluate anew. One that was deleted, or is not live any more, is no longer followed. The first look is
   * waited for; later ones run beside the ticks.
   *
   * @throws The error of the last look, also of one that nobody waited for.
   */
  async find(): Promise<readonly Followed[]> {
    const swapped = await this.#swapped();
    const isFirst = this.#lookedAt === -Infinity;
    if (performance.now() - this.#lookedAt >= OUTDATED_EVERY_MS) this.#looking ??= this.#lookInBackground();
    if (isFirst) await this.#looking;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
    return [...swapped, ...this.#found.splice(0)];
  }

  async #lookInBackground(): Promise<void> {
    try {
      await this.#look();
    } catch (error) {
      this.#failure = { error };
    } finally {
      this.#looking = undefined;
    }
  }

  async #look(): Promise<void> {
    const following = this.#audiences.following();
    if (following.length === 0) return;
    const begunAt = performance.now();
    this.#isBehind = (await this.#parts.lagMs()) > BEHIND_MS;
    const rows = new Map((await this.#parts.store.list()).map((row) => [row.id, row]));
    const lost = await this.#lost();
    for (const followed of following) {
      const row = rows.get(followed.id);
      if (row === undefined) this.#audiences.removeExactly(followed);
      else if (lost.has(followed.projectId) || (await this.#isOutdated(followed, row))) this.#found.push(followed);
    }
    this.#lookedAt = begunAt;
  }

  /** Those of projects whose answers come from another generation now. */
  async #swapped(): Promise<readonly Followed[]> {
    const swapped: Followed[] = [];
    for (const followed of this.#audiences.following())
      if ((await this.#parts.generationOf(followed.projectId)) !== followed.generation) swapped.push(followed);
    return swapped;
  }

  /** Projects whose messages analytics has lost. */
  async #lost(): Promise<ReadonlySet<string>> {
    const lost = new Set<string>();
    for (const projectId of this.#audiences.projects()) {
      try {
        await this.#parts.losses.expectNone(projectId);
      } catch (error) {
        if (!hasCode(error, 'WAITING_FOR_ANALYTICS')) throw error;
        lost.add(projectId);
      }
    }
    return lost;
  }

  /** Whether what it depends on of its project has changed, or an audience that it refers to. A changed definition of its own makes it due by itself. */
  async #isOutdated({ by }: Followed, row: LiveAudienceRow): Promise<boolean> {
    const { id, projectId, version } = row;
    if (by === undefined || version !== by.version) return false;
    if (OF_PROJECT.some((name) => row[name] !== by[name])) return true;
    if (conditionsIn(by.definition, '').every(({ path }) => !path.includes('/audience'))) return false;
    const [project, saved] = [
      await this.#parts.projects.findProject(projectId),
      await this.#parts.saved.find(projectId, id),
    ];
    return (
      project !== undefined &&
      saved !== undefined &&
      by.text !== textOf(await definitionOf(this.#parts.saved, saved, project))
    );
  }
}
