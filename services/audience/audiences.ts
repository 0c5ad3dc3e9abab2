import type { AnalyticsReader, QueryLimits } from '../stores/analytics/analytics-store.ts';
import type { Micros } from '../messages/message.ts';
import type { Audience } from './definition/audience.ts';
import { compilePreview } from './sql/compile.ts';
import { explain, type Explanation } from './explain/explain.ts';
import { explainMembership, type Why } from './explain/why.ts';

/** How many users an audience has, and some of them. Plain data. */
export interface Preview {
  /** Of distinct users. */
  readonly count: number;
  /** Callers' user ids, sorted. */
  readonly sample: readonly string[];
  readonly tookMs: number;
  readonly rowsRead: number;
}

/** Evaluates audiences in analytics. */
export class Audiences {
  readonly #reader: AnalyticsReader;
  readonly #limits: QueryLimits;
  readonly #nowMs: () => number;

  constructor(reader: AnalyticsReader, limits: QueryLimits, nowMs: () => number = Date.now) {
    this.#reader = reader;
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  /**
   * `sampleSize` is 0 to `MAX_SAMPLE`.
   *
   * @throws TidemarkError `QUERY_LIMIT` past the limits, naming which; `STORE_UNAVAILABLE`, retryable.
   */
  async preview(projectId: string, definition: Audience, sampleSize: number): Promise<Preview> {
    const query = compilePreview(definition, { projectId, now: this.#now(), sampleSize });
    const { rows, tookMs, rowsRead } = await this.#reader.ask(query, this.#limits);
    const { count, sample } = rows[0] as { count: string; sample: readonly string[] };
    return { count: Number(count), sample, tookMs, rowsRead };
  }
  /**
   * The query of the audience and its estimated cost, without running it. @param path The pointer to the definition in
   * its document.
   *
   * @throws TidemarkError as `preview`.
   */
  explain(projectId: string, definition: Audience, path: string, sampleSize: number): Promise<Explanation> {
    const options = { projectId, now: this.#now(), sampleSize };
    return explain(this.#reader, this.#limits, definition, path, options);
  }

  /**
   * Whether the user with this internal id is in the audience, and why. Undefined if no message names the user.
   * @param path The pointer to the definition in its document.
   *
   * @throws TidemarkError as `preview`.
   */
  why(
    user: { readonly projectId: string; readonly userKey: string },
    definition: Audience,
    path: string,
    eventsShown: number,
  ): Promise<Why | undefined> {
    const options = { ...user, now: this.#now(), eventsShown };
    return explainMembership(this.#reader, this.#limits, definition, path, options);
  }

  #now(): Micros {
    return BigInt(Math.floor(this.#nowMs())) * 1000n;
  }
}
