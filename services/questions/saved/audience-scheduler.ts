import { setTimeout as delay } from 'node:timers/promises';
import { type ErrorCode, hasCode, isRetryable, TidemarkError } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { Looking } from '../../runtime/looking.ts';
import type {
  AudienceHistory,
  Evaluation,
  EvaluationCause,
  QueryLimits,
} from '../../stores/analytics/analytics-store.ts';
import type { LostAnalytics } from '../../stores/generations/lost-analytics.ts';
import type { SqlProjectStore } from '../../stores/projects/sql-project-store.ts';
import { keepRenewing } from '../../stores/database/leases.ts';
import { limitsOf } from '../query-budget.ts';
import { compileMembership } from '../sql/compile-members.ts';
import type { AudienceFollower } from './audience-follower.ts';
import type { Claim, ClaimantEpoch, SavedAudience } from './audience-store.ts';
import { definitionOf } from './references.ts';
import type { SqlAudienceStore } from './sql-audience-store.ts';

export interface SchedulerParts {
  readonly store: SqlAudienceStore;
  readonly projects: Pick<SqlProjectStore, 'findProject'>;
  readonly history: AudienceHistory;
  /** Users whose messages analytics has lost would be recorded as having left, and later as having entered. */
  readonly losses: Pick<LostAnalytics, 'expectNone'>;
  /** For projects without limits of their own. */
  readonly limits: QueryLimits;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** It keeps live audiences up to date in this process; left out: nobody does, and they are evaluated every minute. */
  readonly follower?: AudienceFollower;
  /** Whether an audience may be live on these stores, whichever process follows it; left out: it may. */
  readonly mayBeLive?: () => Promise<boolean>;
  /** How long a claim is valid unless its owner renews it. */
  readonly leaseMs?: number;
  /** How often the scheduler looks for audiences that are due. */
  readonly everyMs?: number;
  /** What is evaluated in turn with audiences; returns whether anything was due. Never rejects but for the store. */
  readonly watches?: { readonly evaluateNext: () => Promise<boolean> };
  /** While it resolves with true nothing is evaluated: members would leave by a time that is wrong, and later come back. */
  readonly isClockWrong?: () => Promise<boolean>;
}

const LEASE_MS = 15_000;
const DUE_POLL_MS = 1_000;
const RETRY_AFTER_MS = 15_000;
const MAX_CLAIM_WAIT_MS = 30_000;
const CLAIM_POLL_MS = 200;

/**
 * Evaluates saved audiences that are due, and deletes the history of deleted ones. Any number of processes may run it: a
 * claim in the database gives an audience to one process at a time. Each process takes projects in turn, so that a project
 * with a hundred audiences due delays another project's by one evaluation. A crash leaves an evaluation that does not
 * count, or one that the next evaluation finalizes.
 */
export class AudienceScheduler {
  readonly #parts: Required<Omit<SchedulerParts, 'follower' | 'watches'>> &
    Pick<SchedulerParts, 'follower' | 'watches'>;
  readonly #looking: Looking;
  /** The project of the last scheduled evaluation: another project's audience goes next, if one is due. */
  #lastProjectId = '';

  constructor(parts: SchedulerParts) {
    const defaults = { isClockWrong: () => Promise.resolve(false), mayBeLive: () => Promise.resolve(true) };
    this.#parts = { leaseMs: LEASE_MS, everyMs: DUE_POLL_MS, ...defaults, ...parts };
    const { everyMs, logger } = this.#parts;
    this.#looking = new Looking({
      look: () => this.#evaluateNext(),
      everyMs,
      cannot: 'audiences cannot be evaluated',
      logger,
    });
  }

  /** Evaluates what is due from now on. */
  start(): void {
    this.#looking.start();
  }

  /** Starts no further evaluation, and waits for the one under way. Idempotent. */
  stop(): Promise<void> {
    return this.#looking.stop();
  }

  /**
   * Evaluates it now, waiting for somebody else's evaluation to end, and resolves with it as it is after.
   *
   * @throws TidemarkError `AUDIENCE_UNKNOWN`; `AUDIENCE_BUSY`, retryable; `STORE_UNAVAILABLE` while the clock is wrong; what
   *   the question throws.
   */
  async evaluate(projectId: string, id: string): Promise<SavedAudience> {
    const { store, isClockWrong } = this.#parts;
    if (await isClockWrong()) {
      throw new TidemarkError('STORE_UNAVAILABLE', 'The clock of this machine is wrong: no audience is evaluated.');
    }
    const isElsewhere = this.#epoch === 0n && (await store.find(projectId, id))?.isLive === true;
    if (isElsewhere) await this.#askFor(projectId, id);
    else await this.#evaluateClaimed(await this.#claim(projectId, id));
    const audience = await store.find(projectId, id);
    if (audience === undefined) throw new TidemarkError('AUDIENCE_UNKNOWN', 'The audience was deleted meanwhile.');
    if (isElsewhere && audience.failure !== null)
      throw new TidemarkError(audience.failure, 'The process that follows it could not evaluate it.');
    return audience;
  }

  get #epoch(): ClaimantEpoch {
    return this.#parts.follower?.epoch ?? null;
  }

  /** Has the process evaluate it that follows it, and waits until that is done. */
  async #askFor(projectId: string, id: string): Promise<void> {
    const { store } = this.#parts;
    const until = performance.now() + MAX_CLAIM_WAIT_MS;
    await store.makeDue(projectId, id);
    for (;;) {
      const awaited = await store.isAwaited(id);
      if (awaited === null) return;
      if (awaited === 'due' && performance.now() > until)
        throw new TidemarkError('AUDIENCE_BUSY', 'No process follows live audiences now.');
      await delay(CLAIM_POLL_MS);
    }
  }

  /** Resolves if an audience may be live here. @throws TidemarkError `AUDIENCE_NOT_LIVE`. */
  async expectLive(): Promise<void> {
    if (await this.#parts.mayBeLive()) return;
    const message = 'No audience is live on a ClickHouse with replicas: see docs/audiences.md.';
    throw new TidemarkError('AUDIENCE_NOT_LIVE', message);
  }

  async #claim(projectId: string, id: string): Promise<Claim> {
    const until = performance.now() + MAX_CLAIM_WAIT_MS;
    for (;;) {
      try {
        return await this.#parts.store.claim(projectId, id, this.#parts.leaseMs, this.#epoch);
      } catch (error) {
        if (!hasCode(error, 'AUDIENCE_BUSY') || performance.now() > until) throw error;
        await delay(CLAIM_POLL_MS);
      }
    }
  }

  /** Returns whether an audience or a watch was due. A failure is recorded and does not delay the others. */
  async #evaluateNext(): Promise<boolean> {
    const { store, leaseMs, logger, watches } = this.#parts;
    if (await this.#parts.isClockWrong()) return false;
    const wasWatchDue = (await watches?.evaluateNext()) === true;
    const claim = await store.claimDue(leaseMs, this.#lastProjectId, this.#epoch);
    if (claim === undefined) return wasWatchDue;
    this.#lastProjectId = claim.audience.projectId;
    try {
      await this.#evaluateClaimed(claim);
    } catch (error) {
      if (this.#looking.stopping.aborted) return true;
      const { id, projectId } = claim.audience;
      logger.warn({ err: error, project: projectId, audience: id }, 'an audience could not be evaluated');
    }
    return true;
  }

  async #evaluateClaimed(claim: Claim): Promise<void> {
    const { store, leaseMs, follower } = this.#parts;
    const endRenewing = keepRenewing(() => store.renew(claim, leaseMs), leaseMs);
    try {
      const changedAt = (await follower?.hold(claim.audience, claim.isDeleted)) ?? 0n;
      if (claim.isDeleted) await this.#forget(claim);
      else await this.#evaluateNow({ ...claim, at: claim.at > changedAt ? claim.at : changedAt + 1n });
    } catch (error) {
      follower?.leave(claim.audience.id);
      await store
        .giveUp(claim, failureCode(error), isRetryable(error) ? RETRY_AFTER_MS : AFTER_REFRESH_MS)
        .catch(() => undefined);
      throw error;
    } finally {
      endRenewing();
      // If this fails, the claim expires.
      await store.release(claim).catch(() => undefined);
    }
  }

  async #forget(claim: Claim): Promise<void> {
    const { id, projectId } = claim.audience;
    await this.#parts.history.forgetAudience(projectId, id);
    await this.#parts.store.forget(claim);
  }

  async #evaluateNow(claim: Claim): Promise<void> {
    const { store, history, losses, limits, logger, follower } = this.#parts;
    const { audience, at } = claim;
    const project = await this.#parts.projects.findProject(audience.projectId);
    if (project === undefined) throw new TidemarkError('PROJECT_UNKNOWN', `There is no project ${audience.projectId}.`);
    await losses.expectNone(project.id);
    const definition = await definitionOf(store, audience, project);
    const cause = await this.#caughtUp(claim);
    const evaluation = evaluationOf(audience, { at, version: audience.version, cause });
    const members = compileMembership(definition, { projectId: project.id, now: at, joins: project.joinIds });
    const difference = await history.difference(evaluation, members, limitsOf(project, limits));
    if (!(await store.commit(claim, evaluation, difference))) {
      throw new TidemarkError('AUDIENCE_BUSY', 'the claim on this audience ran out, or it was deleted meanwhile');
    }
    await history.finalize(evaluation);
    if (difference.entered + difference.left > 0) await store.noteReadable(claim, at);
    const { version } = audience;
    const { timezone, joinIds: joins, eventsFrom } = project;
    await follower?.follow(audience, { definition, version, timezone, joins, eventsFrom }, at);
    logger.info({ project: project.id, audience: audience.id, cause, ...difference }, 'evaluated an audience');
  }

  /** Finalizes the last evaluation if a crash prevented it. Returns the cause of the next one. */
  async #caughtUp(claim: Claim): Promise<EvaluationCause> {
    const { history, store } = this.#parts;
    const { audience } = claim;
    const last = audience.evaluation;
    if (last === null) return 'first';
    const finalizedAt = await history.finalizedAt(audience.projectId, audience.id);
    // Its history was lost: analytics was deleted, or is of an older backup than the projects.
    if (finalizedAt === null && last.cause !== 'first') return 'first';
    if (finalizedAt === null || finalizedAt < last.at) {
      await history.finalize(evaluationOf(audience, last));
      await store.noteReadable(claim, last.at);
    }
    return last.version === audience.version ? 'refresh' : 'definition';
  }
}

/** It is due again after its refresh. */
const AFTER_REFRESH_MS = 366 * 86_400_000;

function evaluationOf(
  { id, projectId }: SavedAudience,
  { at, version, cause }: Pick<Evaluation, 'at' | 'version' | 'cause'>,
): Evaluation {
  return { projectId, audienceId: id, at, version, cause };
}

function failureCode(error: unknown): ErrorCode {
  return error instanceof TidemarkError ? error.code : 'STORE_REJECTED';
}
