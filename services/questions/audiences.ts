import type { AnalyticsReader, QueryLimits } from '../stores/analytics/analytics-store.ts';
import type { Micros } from '../messages/message.ts';
import { microsAt } from '../messages/timestamp.ts';
import type { Audience } from './definition/audience.ts';
import { compileComparison, compilePreview } from './sql/compile.ts';
import { compileUnnamed } from './sql/compile-members.ts';
import { namedUser, sampleUser, type SampleUser } from './sample-user.ts';
import { explain, type Explanation } from './explain/explain.ts';
import { explainMembership, type Why } from './explain/why.ts';

/** How many users an audience has, and some of them. Plain data. */
export interface Preview {
  /** The number of distinct users. */
  readonly count: number;
  /** Callers' user ids, sorted. */
  readonly sample: readonly string[];
  /** Some of them, whatever they are known by, in the order of internal ids. */
  readonly sampleUsers: readonly SampleUser[];
  readonly tookMs: number;
  readonly rowsRead: number;
}

/** Some of the users of a group. */
export interface UserGroup {
  readonly count: number;
  readonly sample: readonly SampleUser[];
}

/** What becomes of the users of an audience if its definition becomes another. Plain data. */
export interface Comparison {
  readonly evaluatedAt: Micros;
  readonly fromCount: number;
  readonly toCount: number;
  readonly entering: UserGroup;
  readonly leaving: UserGroup;
  readonly staying: UserGroup;
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
    const { count, sample, named, unnamed } = rows[0] as unknown as PreviewRow;
    const users = named.map((ids) => namedUser(projectId, ...ids));
    const result = { count: Number(count), sample, tookMs, rowsRead };
    if (unnamed.length === 0) return { ...result, sampleUsers: sorted(users) };
    const maxRowsRead = Math.max(this.#limits.maxRowsRead - rowsRead, 1);
    const rest = compileUnnamed(projectId, unnamed, sampleSize - users.length);
    const others = await this.#reader.ask(rest, { ...this.#limits, maxRowsRead });
    users.push(...others.rows.map((row) => sampleUser(String(row['internal_id']), '', '')));
    return {
      ...result,
      sampleUsers: sorted(users),
      tookMs: tookMs + others.tookMs,
      rowsRead: rowsRead + others.rowsRead,
    };
  }

  /**
   * The users who enter, leave and stay if the definition of an audience becomes another. `sampleSize` is 0 to `MAX_SAMPLE`.
   *
   * @throws TidemarkError as `preview`.
   */
  async compare(projectId: string, from: Audience, to: Audience, sampleSize: number): Promise<Comparison> {
    const now = this.#now();
    const query = compileComparison(from, to, { projectId, now, sampleSize });
    const { rows, tookMs, rowsRead } = await this.#reader.ask(query, this.#limits);
    const row = rows[0] as unknown as ComparisonRow;
    const group = (name: GroupName): UserGroup => ({
      count: Number(row[name]),
      sample: row[`${name}_sample`].map((ids) => sampleUser(...ids)),
    });
    return {
      evaluatedAt: now,
      fromCount: Number(row.from_count),
      toCount: Number(row.to_count),
      entering: group('entering'),
      leaving: group('leaving'),
      staying: group('staying'),
      tookMs,
      rowsRead,
    };
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
    return microsAt(this.#nowMs());
  }
}

interface PreviewRow {
  readonly count: string;
  readonly sample: readonly string[];
  readonly named: readonly (readonly [userId: string, anonymousId: string])[];
  readonly unnamed: readonly string[];
}

type GroupName = 'entering' | 'leaving' | 'staying';

type ComparisonRow = Readonly<Record<'from_count' | 'to_count' | GroupName, string>> &
  Readonly<Record<`${GroupName}_sample`, readonly (readonly [userKey: string, userId: string, anonymousId: string])[]>>;

function sorted(users: readonly SampleUser[]): readonly SampleUser[] {
  return users.toSorted((one, other) => (one.userKey < other.userKey ? -1 : 1));
}
