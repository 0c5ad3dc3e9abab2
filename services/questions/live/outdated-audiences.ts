import type { AnalyticsReader } from '../../stores/analytics/analytics-store.ts';
import { hasCode } from '../../runtime/errors.ts';
import type { LostAnalytics } from '../../stores/generations/lost-analytics.ts';
import type { ProjectStore } from '../../stores/projects/project-store.ts';
import { conditionsIn } from '../definition/audience.ts';
import type { AudienceStore } from '../saved/audience-store.ts';
import { definitionOf } from '../saved/references.ts';
import { textOf } from './bounds.ts';
import type { Followed } from './followed.ts';
import type { FollowedAudiences } from './followed-audiences.ts';
import type { LiveAudienceRow, LiveStore } from './live-store.ts';

export interface OutlookParts {
  readonly store: Pick<LiveStore, 'list'>;
  readonly saved: Pick<AudienceStore, 'find' | 'findAll'>;
  readonly projects: Pick<ProjectStore, 'findProject'>;
  readonly generationOf: (projectId: string) => Promise<number>;
  readonly losses: Pick<LostAnalytics, 'expectNone'>;
  readonly analytics: Pick<AnalyticsReader, 'hasUserOrder'>;
  readonly lagMs: () => Promise<number>;
}

const OUTLOOK_EVERY_MS = 2_000;
/** People would leave by time, and return with the messages that wait. */
const BEHIND_MS = 60_000;

/** Looks for what makes an audience another one without a message: its definition, a time zone, what answers. */
export class Outlook {
  readonly #parts: OutlookParts;
  readonly #audiences: FollowedAudiences;
  #lookedAt = -Infinity;
  #isBehind = false;
  #looking: Promise<void> | undefined;
  /** What was found since it was last asked for, and why a look failed. */
  readonly #found: Followed[] = [];
  #failure: { readonly error: unknown } | undefined;

  constructor(parts: OutlookParts, audiences: FollowedAudiences) {
    this.#parts = parts;
    this.#audiences = audiences;
  }

  /** Whether the sink is so far behind that nothing is decided. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /**
   * Those that follow what they no longer are. An audience that is gone, or is not live any more, is followed no more. The
   * first look is waited for; later ones take their time beside what is decided.
   *
   * @throws What a look throws, also one that nobody waited for.
   */
  async outdated(): Promise<readonly Followed[]> {
    const swapped = await this.#swapped();
    const isFirst = this.#lookedAt === -Infinity;
    if (performance.now() - this.#lookedAt >= OUTLOOK_EVERY_MS) this.#looking ??= this.#lookInBackground();
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

  /** Projects of which analytics lacks messages that it had. */
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

  /** A changed definition of its own makes it due by itself. */
  async #isOutdated({ by }: Followed, { id, projectId, version, timezone }: LiveAudienceRow): Promise<boolean> {
    if (by === undefined || version !== by.version) return false;
    if (timezone !== by.timezone) return true;
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
