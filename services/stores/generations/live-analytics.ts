import type { AudienceHistory, ChangesQuery, Difference, Evaluation } from '../analytics/audience-history.ts';
import type {
  AnalyticsGenerations,
  AnalyticsStore,
  AnalyticsReader,
  EventsQuery,
  Query,
  QueryLimits,
  QueryResult,
  StoredEvent,
} from '../analytics/analytics-store.ts';
import type { Micros } from '../../messages/message.ts';
import type { LiveGenerations } from './live-generations.ts';

/** The analytics of the first generation, which can open the others. */
export type LivingAnalytics = AnalyticsReader & AudienceHistory & Pick<AnalyticsGenerations, 'ofGeneration'>;

/** The analytics of the live generation of each project. Each query is answered by a single generation. */
export class LiveAnalytics implements AnalyticsReader, AudienceHistory {
  readonly #analytics: LivingAnalytics;
  readonly #live: LiveGenerations;

  constructor(analytics: LivingAnalytics, live: LiveGenerations) {
    this.#analytics = analytics;
    this.#live = live;
  }

  async userEvents(query: EventsQuery): Promise<readonly StoredEvent[]> {
    return (await this.#of(query.projectId)).userEvents(query);
  }

  async ask(query: Query, limits: QueryLimits): Promise<QueryResult> {
    return (await this.#of(query.projectId)).ask(query, limits);
  }

  askHistory(query: Query, limits: QueryLimits): Promise<QueryResult> {
    return this.#analytics.askHistory(query, limits);
  }

  async stream(query: Query, limits: QueryLimits): Promise<AsyncIterable<Uint8Array>> {
    return (await this.#of(query.projectId)).stream(query, limits);
  }

  /**
   * Members are computed from the live generation of the project, and their history is kept in the first generation.
   */
  async difference(evaluation: Evaluation, members: Query, limits: QueryLimits): Promise<Difference> {
    return (await this.#of(evaluation.projectId)).difference(evaluation, members, limits);
  }

  audienceChanges(query: ChangesQuery, limits: QueryLimits): Promise<AsyncIterable<Uint8Array>> {
    return this.#analytics.audienceChanges(query, limits);
  }

  finalize(evaluation: Evaluation): Promise<void> {
    return this.#analytics.finalize(evaluation);
  }

  finalizedAt(projectId: string, audienceId: string): Promise<Micros | null> {
    return this.#analytics.finalizedAt(projectId, audienceId);
  }

  forgetAudience(projectId: string, audienceId: string): Promise<void> {
    return this.#analytics.forgetAudience(projectId, audienceId);
  }

  async #of(projectId: string | undefined): Promise<AnalyticsStore> {
    return this.#analytics.ofGeneration(await this.#live.numberOf('analytics', projectId));
  }
}
