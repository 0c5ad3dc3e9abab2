/** What users of a project did in the last 24 hours of the clock, the hour that is not over among them, and a day before. */
import type { Micros } from '../../messages/message.ts';
import { DAY_MICROS, HOUR_MICROS } from '../../messages/day-and-hour.ts';
import type { Query } from '../../stores/analytics/analytics-store.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { KeptAnswers, type KeptAnswersParts } from '../kept-answers.ts';
import { type AnalyticsParts, budgetOf } from '../query-budget.ts';
import { queryOf } from '../sql/compile.ts';
import { Params, type Scope } from '../sql/params.ts';
import { personRows, withIds } from '../sql/persons.ts';
import { fromEvents } from './event-rows.ts';

/** A number of the period, and of the same time a day before. */
export interface Figure {
  readonly count: number;
  readonly before: number;
}

export interface Summary {
  /** The beginning of an hour. */
  readonly from: Micros;
  /** When it was asked; events up to then count, and that instant included. */
  readonly to: Micros;
  readonly events: Figure;
  /** Users with an event. */
  readonly activeUsers: Figure;
  /** Users of whom nothing earlier is known. */
  readonly newUsers: Figure;
  /** Events of each hour, by its beginning. */
  readonly hours: readonly (Figure & { readonly start: Micros })[];
  /** The most frequent of the period, the most frequent first. */
  readonly topEvents: readonly (Figure & { readonly name: string })[];
}

const SUMMARY_HOURS = 24;
const TOP_EVENTS = 5;

/** Many who look at one project are answered alike for this long. */
const SUMMARY_KEPT_MS = 10_000;

/** Keeps the answer of a project for ten seconds. */
export class Summaries {
  readonly #parts: AnalyticsParts;
  readonly #kept: KeptAnswers<Summary>;

  constructor(parts: AnalyticsParts & Omit<KeptAnswersParts, 'keptMs'>) {
    const { newestErasure, monotonicMs } = parts;
    this.#parts = parts;
    this.#kept = new KeptAnswers({ keptMs: SUMMARY_KEPT_MS, newestErasure, monotonicMs });
  }

  /**
   * @param now The present; of an answer that is kept it was up to ten seconds ago.
   * @throws TidemarkError as `AnalyticsReader.ask`. A failure is not kept.
   */
  of(project: Project, now: Micros): Promise<Summary> {
    return this.#kept.of([project.id], async () => {
      return { answer: await findSummary(this.#parts, project, now), entries: 1 };
    });
  }
}

async function findSummary(parts: AnalyticsParts, project: Project, now: Micros): Promise<Summary> {
  const budget = budgetOf(parts, project);
  const from = now - (now % HOUR_MICROS) - BigInt(SUMMARY_HOURS - 1) * HOUR_MICROS;
  const scope = (): Scope => ({ params: new Params(), projectId: project.id, now, joins: project.joinIds });
  const rows = await budget.ask<SummaryRow>(eventsQuery(scope(), from));
  const [users] = await budget.ask<CountRow>(newUsersQuery(scope(), from));
  const total = rows.find(({ kind }) => kind === 'all');
  const hours = new Map(rows.filter(({ kind }) => kind === 'hour').map((row) => [row.hour, figureOf(row)]));
  return {
    from,
    to: now,
    events: figureOf(total),
    activeUsers: { count: Number(total?.users ?? 0), before: Number(total?.users_before ?? 0) },
    newUsers: figureOf(users),
    hours: Array.from({ length: SUMMARY_HOURS }, (_, hour) => {
      return { start: from + BigInt(hour) * HOUR_MICROS, ...(hours.get(hour) ?? figureOf(undefined)) };
    }),
    topEvents: rows
      .filter(({ kind, n }) => kind === 'event' && n !== '0')
      .slice(0, TOP_EVENTS)
      .map((row) => ({ name: row.event, ...figureOf(row) })),
  };
}

/** Integers are text. */
interface CountRow {
  readonly n: string;
  readonly before: string;
}

interface SummaryRow extends CountRow {
  readonly kind: 'all' | 'hour' | 'event';
  readonly event: string;
  readonly hour: number;
  readonly users: string;
  readonly users_before: string;
}

function figureOf(row: CountRow | undefined): Figure {
  return { count: Number(row?.n ?? 0), before: Number(row?.before ?? 0) };
}

/** Yields an `SummaryRow` for everything, for each hour, and for the most frequent events, the most frequent first. */
function eventsQuery(scope: Scope, from: Micros): Query {
  const { params, now } = scope;
  const [day, begin] = [params.micros(DAY_MICROS), params.micros(from)];
  const within = { from: { at: from - DAY_MICROS }, to: { at: now + 1n } };
  const at = 'toUnixTimestamp64Micro(timestamp)';
  const rowsOf = (user: string): string =>
    `SELECT toString(event) AS event, ${user}, ${at} >= ${begin} AS is_now, ` +
    `toUInt8(intDiv(${at} - ${begin} + if(is_now, 0, ${day}), ${params.micros(HOUR_MICROS)})) AS hour ` +
    `${fromEvents(scope, { events: null, where: [], within, users: null })} ` +
    `AND (${at} >= ${begin} OR ${at} <= ${params.micros(now - DAY_MICROS)})`;
  const half = 'toUInt64(user) AS user_half';
  const events = scope.joins === true ? `SELECT *, ${half} FROM (${personRows(scope, rowsOf('user'))})` : rowsOf(half);
  return queryOf(
    scope,
    `SELECT multiIf(grouping(event) = 0, 'event', grouping(hour) = 0, 'hour', 'all') AS kind, event, hour, ` +
      `countIf(is_now) AS n, countIf(NOT is_now) AS before, ` +
      `uniqExactIf(user_half, is_now) AS users, uniqExactIf(user_half, NOT is_now) AS users_before ` +
      `FROM (${events}) GROUP BY GROUPING SETS ((event), (hour), ()) ` +
      `ORDER BY kind, n DESC, event LIMIT ${SUMMARY_HOURS} BY kind`,
  );
}

/** Yields a `CountRow`. Users without a message of the two days are left out before they are grouped. */
function newUsersQuery(scope: Scope, from: Micros): Query {
  const { params, projectId, now } = scope;
  const project = `project_id = ${params.string(projectId)}`;
  const [begin, earliest] = [params.micros(from), params.instant(from - DAY_MICROS)];
  const recent = `SELECT user FROM user_rows WHERE ${project} AND user_rows.first_seen >= ${earliest}`;
  const seen = 'toUnixTimestamp64Micro(user_rows.first_seen)';
  const ofThem = `FROM user_rows WHERE ${project} AND user IN (${withIds(scope, personRows(scope, recent))})`;
  const firsts =
    scope.joins === true
      ? `SELECT min(seen) AS first FROM (${personRows(scope, `SELECT user, ${seen} AS seen ${ofThem}`)}) GROUP BY user`
      : `SELECT min(${seen}) AS first ${ofThem} GROUP BY user`;
  return queryOf(
    scope,
    `SELECT countIf(first >= ${begin} AND first <= ${params.micros(now)}) AS n, ` +
      `countIf(first >= ${params.micros(from - DAY_MICROS)} AND first <= ${params.micros(now - DAY_MICROS)}) AS before FROM (${firsts})`,
  );
}
