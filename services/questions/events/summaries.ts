/** What users of a project did in the last 24 hours of the clock, the hour that is not over among them, and a day before. */
import type { Micros } from '../../messages/message.ts';
import { DAY_MICROS, HOUR_MICROS } from '../../messages/day-and-hour.ts';
import { hasCode } from '../../runtime/errors.ts';
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
  /** Each of the last seven times 24 hours, by its beginning: the last is the period itself; alone past a limit. */
  readonly days: readonly DayFigures[];
}

/** The figures of 24 hours. */
export interface DayFigures {
  readonly start: Micros;
  readonly events: number;
  readonly activeUsers: number;
  readonly newUsers: number;
}

const SUMMARY_HOURS = 24;
const SUMMARY_DAYS = 7;
const TOP_EVENTS = 5;

/** Many who look at one project are answered alike for this long. */
const SUMMARY_KEPT_MS = 10_000;
/** The days that are over change little, and cost the most. */
const DAYS_KEPT_MS = 300_000;

/** Keeps the answer of a project for ten seconds. */
export class Summaries {
  readonly #parts: AnalyticsParts;
  readonly #kept: KeptAnswers<Omit<Summary, 'days'>>;
  readonly #keptDays: KeptAnswers<Summary['days']>;

  constructor(parts: AnalyticsParts & Omit<KeptAnswersParts, 'keptMs'>) {
    const { newestErasure, monotonicMs } = parts;
    this.#parts = parts;
    this.#kept = new KeptAnswers({ keptMs: SUMMARY_KEPT_MS, newestErasure, monotonicMs });
    this.#keptDays = new KeptAnswers({ keptMs: DAYS_KEPT_MS, newestErasure, monotonicMs });
  }

  /**
   * @param now The present; of an answer that is kept it was up to ten seconds ago.
   * @throws TidemarkError as `AnalyticsReader.ask`. A failure is not kept.
   */
  async of(project: Project, now: Micros): Promise<Summary> {
    const from = now - (now % HOUR_MICROS) - BigInt(SUMMARY_HOURS - 1) * HOUR_MICROS;
    const [summary, days] = await Promise.all([
      this.#kept.of([project.id], async () => {
        return { answer: await findSummary(this.#parts, project, now, from), entries: 1 };
      }),
      this.#keptDays
        .of([project.id, String(from)], async () => {
          return { answer: await findDays(this.#parts, project, now, from), entries: 1 };
        })
        .catch(noneBeyondLimit),
    ]);
    const { events, activeUsers, newUsers } = summary;
    const today = { start: from, events: events.count, activeUsers: activeUsers.count, newUsers: newUsers.count };
    return { ...summary, days: [...days, today] };
  }
}

/** A project with very many events has the period alone. */
function noneBeyondLimit(error: unknown): Summary['days'] {
  if (!hasCode(error, 'QUERY_LIMIT')) throw error;
  return [];
}

/** Those before the period. */
async function findDays(parts: AnalyticsParts, project: Project, now: Micros, from: Micros): Promise<Summary['days']> {
  const budget = budgetOf(parts, project);
  const begin = from - BigInt(SUMMARY_DAYS - 1) * DAY_MICROS;
  const scope = (): Scope => ({ params: new Params(), projectId: project.id, now, joins: project.joinIds });
  const events = await budget.ask<DayRow>(daysQuery(scope(), begin, from));
  const users = await budget.ask<DayRow>(newUsersByDayQuery(scope(), begin, from));
  return Array.from({ length: SUMMARY_DAYS - 1 }, (_, i) => {
    const [row, fresh] = [events, users].map((rows) => rows.find(({ nth }) => nth === i));
    const [n, active, newUsers] = [row?.n, row?.users, fresh?.n].map((count) => Number(count ?? 0));
    return { start: begin + BigInt(i) * DAY_MICROS, events: n ?? 0, activeUsers: active ?? 0, newUsers: newUsers ?? 0 };
  });
}

async function findSummary(
  parts: AnalyticsParts,
  project: Project,
  now: Micros,
  from: Micros,
): Promise<Omit<Summary, 'days'>> {
  const budget = budgetOf(parts, project);
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

interface DayRow {
  /** Which of the days, from 0. */
  readonly nth: number;
  readonly n: string;
  readonly users?: string;
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
  const events = eventsOfPersons(
    scope,
    (user) =>
      `SELECT toString(event) AS event, ${user}, ${at} >= ${begin} AS is_now, ` +
      `toUInt8(intDiv(${at} - ${begin} + if(is_now, 0, ${day}), ${params.micros(HOUR_MICROS)})) AS hour ` +
      `${fromEvents(scope, { events: null, where: [], within, users: null })} ` +
      `AND (${at} >= ${begin} OR ${at} <= ${params.micros(now - DAY_MICROS)})`,
  );
  return queryOf(
    scope,
    `SELECT multiIf(grouping(event) = 0, 'event', grouping(hour) = 0, 'hour', 'all') AS kind, event, hour, ` +
      `countIf(is_now) AS n, countIf(NOT is_now) AS before, ` +
      `uniqExactIf(user_half, is_now) AS users, uniqExactIf(user_half, NOT is_now) AS users_before ` +
      `FROM (${events}) GROUP BY GROUPING SETS ((event), (hour), ()) ` +
      `ORDER BY kind, n DESC, event LIMIT ${SUMMARY_HOURS} BY kind`,
  );
}

/** The rows that are selected with a column of the user, with half of the person as `user_half` in place of it. */
function eventsOfPersons(scope: Scope, rowsOf: (user: string) => string): string {
  const half = 'toUInt64(user) AS user_half';
  return scope.joins === true ? `SELECT *, ${half} FROM (${personRows(scope, rowsOf('user'))})` : rowsOf(half);
}

/** Yields a `DayRow` for each day from `begin` until before `end` that has events. */
function daysQuery(scope: Scope, begin: Micros, end: Micros): Query {
  const { params } = scope;
  const within = { from: { at: begin }, to: { at: end } };
  const day = nthDay(params, 'toUnixTimestamp64Micro(timestamp)', begin);
  const from = fromEvents(scope, { events: null, where: [], within, users: null });
  const events = eventsOfPersons(scope, (user) => `SELECT ${user}, ${day} ${from}`);
  return queryOf(scope, `SELECT nth, count() AS n, uniqExact(user_half) AS users FROM (${events}) GROUP BY nth`);
}

/** The same of users who are new. */
function newUsersByDayQuery(scope: Scope, begin: Micros, end: Micros): Query {
  const { params } = scope;
  const day = nthDay(params, 'first', begin);
  return queryOf(
    scope,
    `SELECT ${day}, count() AS n FROM (${firstsSince(scope, begin)}) ` +
      `WHERE first >= ${params.micros(begin)} AND first < ${params.micros(end)} GROUP BY nth`,
  );
}

function nthDay(params: Params, at: string, begin: Micros): string {
  return `toUInt8(intDiv(${at} - ${params.micros(begin)}, ${params.micros(DAY_MICROS)})) AS nth`;
}

/** Yields a `CountRow`. */
function newUsersQuery(scope: Scope, from: Micros): Query {
  const { params, now } = scope;
  const begin = params.micros(from);
  return queryOf(
    scope,
    `SELECT countIf(first >= ${begin} AND first <= ${params.micros(now)}) AS n, ` +
      `countIf(first >= ${params.micros(from - DAY_MICROS)} AND first <= ${params.micros(now - DAY_MICROS)}) AS before ` +
      `FROM (${firstsSince(scope, from - DAY_MICROS)})`,
  );
}

/** When each user was seen first. Users without a message since then are left out before they are grouped. */
function firstsSince(scope: Scope, since: Micros): string {
  const { params, projectId } = scope;
  const project = `project_id = ${params.string(projectId)}`;
  const recent = `SELECT user FROM user_rows WHERE ${project} AND user_rows.first_seen >= ${params.instant(since)}`;
  const seen = 'toUnixTimestamp64Micro(user_rows.first_seen)';
  const ofThem = `FROM user_rows WHERE ${project} AND user IN (${withIds(scope, personRows(scope, recent))})`;
  return scope.joins === true
    ? `SELECT min(seen) AS first FROM (${personRows(scope, `SELECT user, ${seen} AS seen ${ofThem}`)}) GROUP BY user`
    : `SELECT min(${seen}) AS first ${ofThem} GROUP BY user`;
}
