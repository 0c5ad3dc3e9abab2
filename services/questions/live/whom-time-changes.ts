import type { Micros } from '../../messages/message.ts';
import { END_OF_TIME } from '../../messages/timestamp.ts';
import { hasCode } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { AnalyticsReader, Query, QueryLimits } from '../../stores/analytics/analytics-store.ts';
import type { Audience } from '../definition/audience.ts';
import { type CompileOptions, filter, queryOf } from '../sql/compile.ts';
import { Params } from '../sql/params.ts';
import { isPerson } from '../sql/persons.ts';
import { select } from '../sql/select.ts';
import { mayChange } from './bounds.ts';
import type { Followed } from './followed.ts';

export interface WhomTimeChangesParts {
  readonly analytics: Pick<AnalyticsReader, 'ask'>;
  readonly limits: QueryLimits;
  readonly logger: Pick<Logger, 'warn'>;
}

const MAX_USERS = 200_000;

/**
 * Asks again and again which users time alone may bring into an audience, or out of it, within the next span. The answers are
 * in memory: after a crash they are asked for again. `evaluate.ts` works out the due time of each user that is found.
 */
export class WhomTimeChanges {
  readonly #parts: WhomTimeChangesParts;
  readonly #evaluateAgain: (followed: Followed) => Promise<void>;
  #tookMs = 0;

  /** @param evaluateAgain Called with an audience that has too many such users. */
  constructor(parts: WhomTimeChangesParts, evaluateAgain: (followed: Followed) => Promise<void>) {
    this.#parts = parts;
    this.#evaluateAgain = evaluateAgain;
  }

  get tookMs(): number {
    return this.#tookMs;
  }

  /** Asks about the next span when half of the last one is over. Nobody waits for that. */
  askIfDue(followed: Followed, now: Micros): void {
    const { isAsking, undated, datedUntil, span } = followed;
    if (isAsking || undated !== null || now < datedUntil - span / 2n) return;
    followed.isAsking = true;
    void this.#ask(followed, now)
      .catch((error: unknown) => this.#parts.logger.warn({ err: error }, 'it cannot be asked now whom time may change'))
      .finally(() => (followed.isAsking = false));
  }

  /**
   * Due times are kept from before the query on. So a user who is decided meanwhile, because a message came, has one, and any
   * other is found as analytics has them.
   */
  async #ask(followed: Followed, now: Micros): Promise<void> {
    const { by, projectId, datedUntil } = followed;
    if (by === undefined) return;
    const end = now + followed.span;
    followed.horizonEnd = end;
    // The first time from the evaluation on: nobody knows yet whom time has changed since.
    const from = datedUntil < now ? datedUntil : now;
    const query = horizonQuery(by.definition, {
      projectId,
      joins: by.joins,
      now: from,
      span: end - from,
      limit: MAX_USERS + 1,
    });
    if (query === null) {
      [followed.horizonEnd, followed.datedUntil] = [END_OF_TIME, END_OF_TIME];
      return;
    }
    const found = await this.#find(followed, query);
    if (found !== undefined) followed.undated = found;
  }

  /** Undefined if there are too many, or the query takes too long. */
  async #find(followed: Followed, query: Query): Promise<string[] | undefined> {
    const { analytics, limits } = this.#parts;
    try {
      const { rows, tookMs } = await analytics.ask(query, limits);
      this.#tookMs += tookMs;
      if (rows.length <= MAX_USERS) return rows.map(({ internal_id: user }) => user as string);
    } catch (error) {
      if (!hasCode(error, 'QUERY_LIMIT')) throw error;
    }
    await this.#evaluateAgain(followed);
    return undefined;
  }
}

interface HorizonQuery extends CompileOptions {
  /** From `now` on. */
  readonly span: Micros;
  readonly limit: number;
}

/**
 * The query for `internal_id` of the users whom time alone may bring into the audience within the span, or out of it; null if
 * time changes nothing.
 */
function horizonQuery(definition: Audience, { span, limit, ...options }: HorizonQuery): Query | null {
  const changing = mayChange(definition, span);
  if (changing === null) return null;
  const scope = { params: new Params(), ...options };
  const { params, projectId } = scope;
  return queryOf(
    scope,
    `${select('SELECT internal_id FROM user_rows FINAL', [
      `project_id = ${params.string(projectId)}`,
      isPerson(scope),
      filter(scope, changing),
    ])} LIMIT ${params.count(limit)}`,
  );
}
