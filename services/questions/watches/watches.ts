import type { Micros } from '../../messages/message.ts';
import { formatMs, microsAt } from '../../messages/timestamp.ts';
import { DAY_MICROS } from '../../messages/day-and-hour.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { keepRenewing } from '../../stores/database/leases.ts';
import type { LostAnalytics } from '../../stores/generations/lost-analytics.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import type { SqlProjectStore } from '../../stores/projects/sql-project-store.ts';
import { dayOf } from '../../stores/service-state/refusal-store.ts';
import type { SqlRefusalStore } from '../../stores/service-state/sql-refusal-store.ts';
import { type BucketRow, compileBuckets } from '../events/count-sql.ts';
import type { EventFilter } from '../events/read-question.ts';
import { weekBefore } from '../events/time-buckets.ts';
import { budgetOf, type QueryBudget } from '../query-budget.ts';
import { consult, type QuestionParts } from '../saved/consult.ts';
import { definitionOf } from '../saved/references.ts';
import type { SqlAudienceStore } from '../saved/sql-audience-store.ts';
import { compilePreview } from '../sql/compile.ts';
import { nextFindings } from './findings.ts';
import type { SqlWatchStore, Tell } from './sql-watch-store.ts';
import {
  type Concern,
  type WatchDefinition,
  holds,
  type Measured,
  readSavedWatch,
  sentenceOf,
  type WatchMessage,
  type WatchClaim,
  type WatchState,
} from './watch.ts';

/** How far what arrives is known: all of it that arrived in between can be counted. */
export interface Traffic {
  /** Since when messages could be sent without a break, as far as the processes that take them tell. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

export interface WatchesParts extends QuestionParts {
  readonly watches: SqlWatchStore;
  readonly saved: SqlAudienceStore;
  readonly projects: Pick<SqlProjectStore, 'findProject'>;
  readonly refusals: Pick<SqlRefusalStore, 'since'>;
  readonly losses: Pick<LostAnalytics, 'expectNone'>;
  /** Undefined where that is not known now, or nothing can be sent. */
  readonly traffic: () => Promise<Traffic | undefined>;
  /** What wants attention now; undefined where some of it is not known. */
  readonly attention: () => Promise<readonly Concern[] | undefined>;
  readonly tell: Tell;
  readonly logger: Pick<Logger, 'warn'>;
  readonly nowMs?: () => number;
  readonly everyMs?: number;
}

const EVALUATE_EVERY_MS = 60_000;
const WATCH_LEASE_MS = 15_000;
/** Longer without a look, and it is not known whether messages could be sent meanwhile. */
const GAP_MS = 180_000;
const MS_IN_MINUTE = 60_000;
const MINUTE_MICROS = 60_000_000n;
const COUNT = { kind: 'count' } as const;

type Found = WatchState & Measured & { readonly evaluatedAtMs: number };
type Arrived = EventFilter & Required<Pick<EventFilter, 'arrived'>>;

/**
 * Evaluates watches that are due, in the schedule of saved audiences: see `AudienceScheduler`. A number that is not known is
 * judged by no rule: while analytics is behind, after an outage, and until all of the time that a rule asks about is known.
 */
export class Watches {
  readonly #parts: WatchesParts & Required<Pick<WatchesParts, 'nowMs' | 'everyMs'>>;
  #lastProjectId = '';

  constructor(parts: WatchesParts) {
    this.#parts = { nowMs: Date.now, everyMs: EVALUATE_EVERY_MS, ...parts };
  }

  /** Returns whether one was due. A failure is noted and does not delay the others. */
  async evaluateNext(): Promise<boolean> {
    const { watches, everyMs, logger } = this.#parts;
    const claim = await watches.claimDue(WATCH_LEASE_MS, everyMs, this.#lastProjectId);
    if (claim === undefined) return false;
    const { projectId, name } = claim.watch;
    this.#lastProjectId = projectId ?? '';
    const endRenewing = keepRenewing(() => watches.renew(claim, WATCH_LEASE_MS), WATCH_LEASE_MS);
    try {
      await (projectId === null ? this.#lookAround(claim) : this.#evaluate(claim, projectId));
    } catch (error) {
      logger.warn({ err: error, project: projectId, watch: name }, 'a watch could not be evaluated');
      const failure = error instanceof TidemarkError ? error.code : 'STORE_REJECTED';
      await watches.giveUp(claim, failure).catch(() => undefined);
    } finally {
      endRenewing();
      // If this fails, the claim expires.
      await watches.release(claim).catch(() => undefined);
    }
    return true;
  }

  async #lookAround(claim: WatchClaim): Promise<void> {
    const now = await this.#parts.attention();
    if (now === undefined) return;
    const { findings, messages } = nextFindings(claim.watch.state.findings ?? [], now, this.#parts.nowMs());
    await this.#commit(claim, { findings }, messages);
  }

  async #evaluate(claim: WatchClaim, projectId: string): Promise<void> {
    const { definition, state } = claim.watch;
    const project = await this.#parts.projects.findProject(projectId);
    if (project === undefined) return;
    await this.#parts.losses.expectNone(projectId);
    const read = readSavedWatch(claim.watch, project.timezone, await consult(this.#parts, project, definition));
    const nowMs = this.#parts.nowMs();
    const isAudience = read.question.kind === 'audience';
    const traffic = isAudience ? { sinceMs: -Infinity, untilMs: nowMs } : await this.#parts.traffic();
    if (traffic === undefined) return;
    const sinceMs = knownSince(state, traffic, nowMs);
    const looked = { ...state, lookedAtMs: nowMs, sinceMs };
    const { untilMs: evaluatedAtMs } = traffic;
    if (evaluatedAtMs <= (state.evaluatedAtMs ?? 0)) return void (await this.#commit(claim, looked, []));
    const { samples, value, before = null } = await this.#measure(project, state, read, evaluatedAtMs);
    const after = { ...looked, samples, evaluatedAtMs };
    if (value === undefined) return void (await this.#commit(claim, after, []));
    const isWhole = isAudience || evaluatedAtMs - sinceMs >= read.rule.minutes * MS_IN_MINUTE;
    await this.#judge(claim, read, { ...after, value, before }, isWhole);
  }

  /** @param state With what was found. */
  async #judge(claim: WatchClaim, read: WatchDefinition, state: Found, isWhole: boolean): Promise<void> {
    const { name, projectId, definition } = claim.watch;
    const { value, before, evaluatedAtMs: nowMs, raisedAtMs = null } = state;
    const isRaised = holds(read.rule, state, isWhole) ?? raisedAtMs !== null;
    if (isRaised === (raisedAtMs !== null)) return void (await this.#commit(claim, state, []));
    const { question, rule } = JSON.parse(definition) as Readonly<Record<'question' | 'rule', object>>;
    const times = { raised_at: formatMs(raisedAtMs ?? nowMs), ended_at: isRaised ? null : formatMs(nowMs) };
    const text = sentenceOf(name, read, state, isRaised);
    const data = { project_id: projectId, watch: { name, question, rule }, value, before, ...times, text };
    const type = isRaised ? 'watch.raised' : 'watch.ended';
    const message = { type, projectId, endpoints: read.endpoints, data } as const;
    await this.#commit(claim, { ...state, raisedAtMs: isRaised ? nowMs : null }, [message]);
  }

  #commit(claim: WatchClaim, state: WatchState, messages: readonly WatchMessage[]): Promise<boolean> {
    return this.#parts.watches.commit(claim, state, messages, this.#parts.tell);
  }

  /** Nothing where the number is not known. */
  async #measure(
    project: Project,
    state: WatchState,
    { question, rule }: WatchDefinition,
    untilMs: number,
  ): Promise<Pick<WatchState, 'value' | 'before' | 'samples'>> {
    const until = microsAt(untilMs);
    if (question.kind === 'refused') return this.#refused(project.id, state.samples ?? [], rule.minutes, untilMs);
    if (question.kind === 'audience') return this.#size(project, question.id, rule.kind, until);
    const budget = budgetOf(this.#parts, project);
    const numberUntil = async (to: Micros): Promise<number | null> => {
      const arrived = { from: to - BigInt(rule.minutes) * MINUTE_MICROS, to };
      const n = await countOf(budget, project, { ...question.of, arrived });
      if (question.shareOf === null) return n;
      const all = await countOf(budget, project, { ...question.shareOf, arrived });
      return all === 0 ? null : (100 * n) / all;
    };
    const value = await numberUntil(until);
    if (value === null) return {};
    return rule.kind === 'changed_by'
      ? { value, before: await numberUntil(weekBefore(until, project.timezone)) }
      : { value };
  }

  /**
   * A live audience is counted; of others it is the size of the last evaluation, unless the one after that failed. That of a
   * week ago is the size of the last evaluation by then, of the same definition.
   */
  async #size(project: Project, id: string, rule: string, now: Micros): Promise<Partial<Measured>> {
    const { saved } = this.#parts;
    const audience = await saved.find(project.id, id);
    const by = { limit: 1, before: weekBefore(now, project.timezone) + 1n };
    const [past] = rule === 'changed_by' ? await saved.evaluations(project.id, id, by) : [];
    const before = past && past.version === audience?.version ? past.members : null;
    if (audience?.isLive !== true)
      return audience?.failure === null && audience.evaluation ? { value: audience.evaluation.members, before } : {};
    const options = { projectId: project.id, now, joins: project.joinIds, sampleSize: 0 };
    const query = compilePreview(await definitionOf(saved, audience, project), options);
    const [row] = await budgetOf(this.#parts, project).ask<{ readonly count: string }>(query);
    return { value: Number(row?.count ?? 0), before };
  }

  /** Refusals are counted by day: what is new since an instant is what was counted then, taken from what is there now. */
  async #refused(
    projectId: string,
    samples: NonNullable<WatchState['samples']>,
    minutes: number,
    nowMs: number,
  ): Promise<Pick<WatchState, 'value' | 'samples'>> {
    const { refusals } = this.#parts;
    const beginMs = nowMs - minutes * MS_IN_MINUTE;
    const oldest = samples.findLastIndex(([atMs]) => atMs <= beginMs);
    const kept = samples.slice(Math.max(0, oldest));
    const isDue = nowMs - (kept.at(-1)?.[0] ?? 0) >= minutes * 1_000;
    const { ofDay } = await refusals.since(projectId, dayOf(nowMs));
    const [first] = kept;
    const next = isDue ? [...kept, [nowMs, ofDay] as const] : kept;
    if (first === undefined) return { samples: next };
    const { all } = await refusals.since(projectId, dayOf(first[0]));
    return { value: Math.max(0, all - first[1]), samples: next };
  }
}

/** From when on it is known what arrives, after this look. */
function knownSince(state: WatchState, { sinceMs, untilMs }: Traffic, nowMs: number): number {
  const { lookedAtMs = 0, sinceMs: before = untilMs } = state;
  const isUnbroken = nowMs >= lookedAtMs && nowMs - lookedAtMs <= GAP_MS;
  return Math.max(isUnbroken ? before : untilMs, sinceMs);
}

/** Messages of long ago that are sent now are history: what counts is dated within a day of its arrival. */
async function countOf(budget: QueryBudget, { id, joinIds, timezone }: Project, filter: Arrived): Promise<number> {
  const { from, to } = filter.arrived;
  const question = { ...filter, measure: COUNT, interval: null, timezone, split: null, comparesPrevious: false };
  const span = { from: from - DAY_MICROS, to: to + DAY_MICROS };
  const context = { projectId: id, now: to, joins: joinIds, span };
  const [row] = await budget.ask<BucketRow>(compileBuckets(question, context, null, []));
  return Number(row?.n ?? 0);
}
