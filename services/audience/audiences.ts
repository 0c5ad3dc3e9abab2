import type { AnalyticsReader, QueryLimits } from '../analytics/analytics-store.ts';
import type { Audience } from './audience.ts';
import { compilePreview } from './compile.ts';

/** How many users an audience has, and some of them. Plain data. */
export interface Preview {
  /** Of distinct users. */
  readonly count: number;
  /** Callers' user ids, sorted. */
  readonly sample: readonly string[];
  readonly tookMs: number;
  readonly rowsRead: number;
}

/** Asks analytics who is in an audience. */
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
    const now = BigInt(Math.floor(this.#nowMs())) * 1000n;
    const query = compilePreview(definition, { projectId, now, sampleSize });
    const { rows, tookMs, rowsRead } = await this.#reader.ask(query, this.#limits);
    const { count, sample } = rows[0] as { count: string; sample: readonly string[] };
    return { count: Number(count), sample, tookMs, rowsRead };
  }
}
