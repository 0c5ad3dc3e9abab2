import type {
  AnalyticsGenerations,
  AnalyticsReader,
  EventsQuery,
  Query,
  QueryLimits,
  QueryResult,
  StoredEvent,
} from '../analytics/analytics-store.ts';
import type { LiveGenerations } from './live-generations.ts';

/** The analytics of whichever generation answers for a project. One question is answered by one generation alone. */
export class LiveAnalytics implements AnalyticsReader {
  readonly #analytics: AnalyticsReader & Pick<AnalyticsGenerations, 'ofGeneration'>;
  readonly #live: LiveGenerations;

  constructor(analytics: AnalyticsReader & Pick<AnalyticsGenerations, 'ofGeneration'>, live: LiveGenerations) {
    this.#analytics = analytics;
    this.#live = live;
  }

  async userEvents(query: EventsQuery): Promise<readonly StoredEvent[]> {
    return (await this.#of(query.projectId)).userEvents(query);
  }

  async ask(query: Query, limits: QueryLimits): Promise<QueryResult> {
    return (await this.#of(query.projectId)).ask(query, limits);
  }

  async #of(projectId: string | undefined): Promise<AnalyticsReader> {
    return this.#analytics.ofGeneration(await this.#live.numberOf('analytics', projectId));
  }
}
