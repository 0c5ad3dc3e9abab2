import { TidemarkError } from '../runtime/errors.ts';
import type { AnalyticsReader, Query, QueryLimits } from '../stores/analytics/analytics-store.ts';
import type { Project, ProjectLimits } from '../stores/projects/project-store.ts';

// A page of 1,000 events may be 500 MB as they came in; with these bounds it is some 60 MB at worst.
export const MAX_PAGE_CHARS = 8_000_000;

/** The first of these rows that a page has room for, one in any case. `rows` are one more than `limit` where there are more. */
export function pageWithin<T>(
  rows: readonly T[],
  limit: number,
  bytesOf: (row: T) => string,
): { readonly page: readonly T[]; readonly hasMore: boolean } {
  let bytes = 0;
  const full = rows.findIndex((row) => (bytes += Number(bytesOf(row))) > MAX_PAGE_CHARS);
  const page = rows.slice(0, full === -1 ? limit : Math.min(Math.max(full, 1), limit));
  return { page, hasMore: page.length < rows.length };
}

/** Runs several queries under the limits of one query, and sums up what they took. */
export class QueryBudget {
  readonly #reader: AnalyticsReader;
  readonly #limits: QueryLimits;
  readonly #startedMs = performance.now();
  #rowsRead = 0;
  #answeringMs = 0;

  constructor(reader: AnalyticsReader, limits: QueryLimits) {
    this.#reader = reader;
    this.#limits = limits;
  }

  get rowsRead(): number {
    return this.#rowsRead;
  }

  /** How long analytics took to answer, without the wait for a turn. */
  get answeringMs(): number {
    return this.#answeringMs;
  }

  get tookMs(): number {
    return performance.now() - this.#startedMs;
  }

  /** @throws TidemarkError as `AnalyticsReader.ask`. */
  async ask<T>(query: Query): Promise<readonly T[]> {
    this.checkTime();
    const limits = {
      ...this.#limits,
      maxMs: Math.max(Math.ceil(this.#limits.maxMs - this.tookMs), 1),
      maxRowsRead: Math.max(this.#limits.maxRowsRead - this.#rowsRead, 1),
    };
    const { rows, rowsRead, tookMs } = await this.#reader.ask(query, limits);
    this.#rowsRead += rowsRead;
    this.#answeringMs += tookMs;
    return rows as readonly unknown[] as readonly T[];
  }

  /** Call this during work between the queries. @throws TidemarkError `QUERY_LIMIT` past the limit of time. */
  checkTime(): void {
    if (this.tookMs > this.#limits.maxMs)
      throw new TidemarkError('QUERY_LIMIT', 'the question went past its limit of time');
  }
}

/** Where questions are put, and under which limits. */
export interface AnalyticsParts {
  readonly analytics: AnalyticsReader;
  /** The project's own, where it has some. */
  readonly limitsOf: (project: Project) => QueryLimits;
}

export function budgetOf({ analytics, limitsOf }: AnalyticsParts, project: Project): QueryBudget {
  return new QueryBudget(analytics, limitsOf(project));
}

/** The limits of a project's queries: its own where set, otherwise the defaults. */
export function limitsOf(project: ProjectLimits, ofAll: QueryLimits): QueryLimits {
  return {
    maxMs: project.queryMaxMs ?? ofAll.maxMs,
    maxMemoryBytes: project.queryMaxMemoryBytes ?? ofAll.maxMemoryBytes,
    maxRowsRead: project.queryMaxRows ?? ofAll.maxRowsRead,
  };
}
