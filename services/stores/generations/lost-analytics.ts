import { nameOf } from '../../event-log/partition.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { AnalyticsGenerations } from '../analytics/analytics-store.ts';
import type { Database } from '../database/database.ts';
import { sinkPositions } from '../profiles/progress-of.ts';
import type { LiveGenerations } from './live-generations.ts';

/** Tells whether analytics lacks rows that it had: after a power cut, a restored backup, the loss of a shard or of its folder. */
export class LostAnalytics {
  readonly #database: Database;
  readonly #analytics: Pick<AnalyticsGenerations, 'ofGeneration'>;
  readonly #live: LiveGenerations;

  constructor(database: Database, analytics: Pick<AnalyticsGenerations, 'ofGeneration'>, live: LiveGenerations) {
    this.#database = database;
    this.#analytics = analytics;
    this.#live = live;
  }

  /**
   * Checks the generation that answers for this project.
   *
   * @throws TidemarkError `WAITING_FOR_ANALYTICS`, retryable, until the sink has inserted what was lost, and what the log
   *   had besides when that was noticed.
   */
  async expectNone(projectId: string): Promise<void> {
    const number = await this.#live.numberOf('analytics', projectId);
    // Read first: what analytics holds only grows, unless it is lost.
    const positions = await sinkPositions(this.#database, number);
    const analytics = await this.#analytics.ofGeneration(number);
    const ingested = await analytics.ingestedUpTo(positions);
    const ends = new Map(ingested.map((end) => [nameOf(end), end.offset]));
    const behind = positions.find((position) => {
      const end = ends.get(nameOf(position)) ?? 0n;
      return end < position.offset || position.offset < (position.behindUntil ?? 0n);
    });
    if (behind === undefined) return;
    throw new TidemarkError('WAITING_FOR_ANALYTICS', `analytics has lost messages of ${nameOf(behind)} that it had`);
  }
}
