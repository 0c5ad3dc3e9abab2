import type { AudienceChange } from '../messages/message.ts';
import type { Logger } from '../runtime/logger.ts';
import { isStopping, Looking } from '../runtime/looking.ts';
import { pause } from '../runtime/pause.ts';
import { keepRenewing } from '../stores/database/leases.ts';
import type { WebhookAddresses } from './addresses.ts';
import { messageBody, type HistoryParts, readRangeAgain, readNextRange } from './audience-messages.ts';
import {
  type Delivery,
  type Endpoint,
  type EndpointClaim,
  type LastAttempt,
  TEST_TYPE,
  type WaitingDelivery,
  type WaitingMessage,
} from './endpoint-store.ts';
import { bodyAs } from './formats.ts';
import { noticeBody } from './notices.ts';
import { waitMsAfter } from './retry-schedule.ts';
import { type Attempt, isDelivered, postWebhook } from './send.ts';
import { signedHeaders } from './signature.ts';
import { makeMessageId, type SqlEndpointClaims } from './sql-endpoint-claims.ts';
import type { SqlEndpointStore } from './sql-endpoint-store.ts';
import { appendToTopic, type ChangeTopic, isTopicUrl } from './topic.ts';
import { changeRecords, forgottenRecords, testRecord } from './topic-records.ts';
import { Turn, Sending } from './sending.ts';
import { WebhookMetrics } from './webhook-metrics.ts';

export interface DelivererParts extends HistoryParts {
  readonly claims: SqlEndpointClaims;
  readonly endpoints: Pick<SqlEndpointStore, 'find'>;
  readonly addresses: WebhookAddresses;
  /** Left out where the log is not on Kafka. */
  readonly topic?: ChangeTopic;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** How often it looks for endpoints that do not have everything. */
  readonly everyMs?: number;
  /** How long a claim is valid unless its owner renews it: longer than an attempt. */
  readonly leaseMs?: number;
  /** For tests. */
  readonly timeoutMs?: number;
  readonly testedWithinMs?: number;
}

// To ask takes 11 ms of processor time on PGlite where 20 endpoints want 100 audiences each.
const DUE_POLL_MS = 500;
const LEASE_MS = 20_000;
/** How long to wait when the history of an audience lags behind. */
const UNREADABLE_WAIT_MS = 5_000;
const TIDY_EVERY_MS = 3_600_000;
/** How long a process of the role `webhooks` has for a test: to see it, and for the attempt. */
const TESTED_WITHIN_MS = 20_000;

/**
 * Sends to endpoints what they do not have. Any number of processes may run it: a claim in the database gives an endpoint to
 * one of them at a time, which sends it one message after the other. A message is noted before it is sent, and the position
 * moves once it was answered: after a crash it is sent again under the same id.
 */
export class WebhookDeliverer {
  readonly #parts: DelivererParts;
  readonly #metrics: WebhookMetrics;
  readonly #looking: Looking;
  readonly #turns = new Sending();
  #lastProjectId = '';
  #tidyAtMs = 0;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
    this.#metrics = new WebhookMetrics(() => parts.claims.oldestWaitingMs(), this.#turns);
    const { everyMs = DUE_POLL_MS, logger } = parts;
    this.#looking = new Looking({ look: () => this.#look(), everyMs, cannot: 'webhooks cannot be sent', logger });
  }

  /** Sends what there is from now on. */
  start(): void {
    this.#looking.start();
    const { topic, logger } = this.#parts;
    // So that it is there before the first change. If it fails, the first message for it tries again.
    topic?.open().catch((error: unknown) => {
      if (!isStopping(error, this.#looking.stopping))
        logger.warn({ err: error }, 'the topic of changes cannot be opened');
    });
  }

  /** Ends the attempts under way: what they sent is sent again. Idempotent. */
  async stop(): Promise<void> {
    await this.#looking.stop();
    await this.#turns.ended();
    await this.#parts.topic?.close();
  }

  /** In Prometheus' text format. */
  metrics(): Promise<string> {
    return this.#metrics.text();
  }

  /** Resolves with what became of it: it is sent once. @throws TidemarkError `ENDPOINT_UNKNOWN`. */
  async test(projectId: string | null, id: string): Promise<Delivery> {
    const { claims, endpoints } = this.#parts;
    const endpoint = await endpoints.find(projectId, id);
    const messageId = makeMessageId();
    if (await claims.leaveTest(endpoint, messageId)) return this.#testedElsewhere(endpoint, messageId);
    return this.#sendTest({ endpoint, secrets: await claims.secretsOf(endpoint) }, messageId);
  }

  async #sendTest(claim: Pick<EndpointClaim, 'endpoint' | 'secrets'>, messageId: string): Promise<Delivery> {
    const { endpoint } = claim;
    const message = testMessage(endpoint, messageId);
    const attempt = await this.#attempt(claim, message, this.#looking.stopping);
    return this.#parts.claims.noteTest(endpoint, messageId, isDelivered(attempt), attempt);
  }

  async #testedElsewhere(endpoint: Endpoint, messageId: string): Promise<Delivery> {
    const { claims, everyMs = DUE_POLL_MS, testedWithinMs: tookMs = TESTED_WITHIN_MS } = this.#parts;
    const { stopping } = this.#looking;
    for (const until = performance.now() + tookMs; performance.now() < until && !stopping.aborted;) {
      await pause(everyMs, stopping);
      const tested = await claims.tested(messageId);
      if (tested !== undefined) return tested;
    }
    const error = 'no process of the role webhooks has sent it';
    return claims.noteTest(endpoint, messageId, false, { atMs: Date.now(), status: null, error, tookMs, answer: '' });
  }

  /** Begins a turn, or waits until there may be one to begin. */
  async #look(): Promise<boolean> {
    const { claims, leaseMs = LEASE_MS, everyMs = DUE_POLL_MS } = this.#parts;
    const { stopping } = this.#looking;
    const { areAll, fullProjects, freed } = this.#turns;
    const test = areAll ? undefined : await claims.takeTest(fullProjects);
    if (test !== undefined) {
      const notDueAgain = (): boolean => false;
      this.#turns.begin(new Turn(test, stopping), () =>
        this.#sendTest(test, test.testId).then(notDueAgain, notDueAgain),
      );
      return true;
    }
    const claim = areAll ? undefined : await claims.claimDue(leaseMs, this.#lastProjectId, fullProjects);
    if (claim === undefined) {
      await this.#tidy();
      await Promise.race([freed, pause(everyMs, stopping)]);
    } else {
      const turn = new Turn(claim, stopping);
      this.#lastProjectId = turn.projectId;
      this.#turns.begin(turn, () => this.#take(turn));
    }
    return true;
  }

  /** Returns whether the endpoint is due again. Never rejects. */
  async #take(turn: Turn): Promise<boolean> {
    const { claims, leaseMs = LEASE_MS, logger } = this.#parts;
    const { claim } = turn;
    // A turn whose endpoint was deleted ends this way, too.
    const endRenewing = keepRenewing(
      () => claims.renew(claim, leaseMs),
      leaseMs,
      () => turn.endBecauseLost(),
    );
    let hasMore = true;
    try {
      while (hasMore && turn.mayGoOn) hasMore = await this.#deliverNext(turn);
    } catch (error) {
      hasMore = false;
      if (!isStopping(error, turn.signal)) {
        const { id, projectId } = claim.endpoint;
        logger.warn({ err: error, project: projectId, endpoint: id }, 'the changes for an endpoint cannot be read now');
        await claims.postpone(claim, UNREADABLE_WAIT_MS).catch(() => undefined);
      }
    } finally {
      endRenewing();
      // If this fails, the claim expires.
      await claims.release(claim).catch(() => undefined);
    }
    return hasMore;
  }

  /** Returns whether to go on with this endpoint. */
  async #deliverNext(turn: Turn): Promise<boolean> {
    const { claims } = this.#parts;
    const { claim } = turn;
    const waiting = await claims.waiting(claim);
    if (waiting === undefined) return this.#deliverNew(turn);
    if ('notice' in waiting) {
      const { id } = waiting;
      const changes = (): readonly AudienceChange[] => forgottenRecords(claim.endpoint, waiting);
      return this.#deliver(turn, waiting, { id, body: () => noticeBody(waiting), changes });
    }
    const changes = await readRangeAgain(this.#parts, claim.endpoint, waiting.range);
    return changes.length === 0 ? claims.drop(claim, waiting) : this.#deliverRange(turn, waiting, changes);
  }

  async #deliverNew(turn: Turn): Promise<boolean> {
    const { claims } = this.#parts;
    const { claim } = turn;
    const behind = await claims.behind(claim);
    if (behind === undefined) return false;
    const read = await readNextRange(this.#parts, claim.endpoint, behind);
    const { range, changes } = read ?? {};
    if (range === undefined || changes === undefined || isSamePosition(range.from, range.to)) {
      await claims.postpone(claim, UNREADABLE_WAIT_MS);
      return false;
    }
    if (changes.length === 0) return claims.pass(claim, range);
    const delivery = await claims.begin(claim, range);
    return delivery !== undefined && this.#deliverRange(turn, delivery, changes);
  }

  #deliverRange(turn: Turn, delivery: WaitingDelivery, changes: readonly string[]): Promise<boolean> {
    const { endpoint } = turn.claim;
    return this.#deliver(turn, delivery, {
      id: delivery.id,
      body: () => messageBody(endpoint, delivery.range, changes),
      changes: () => changeRecords(endpoint, delivery, changes),
    });
  }

  async #deliver(turn: Turn, delivery: WaitingMessage, message: OutgoingMessage): Promise<boolean> {
    const { claims, logger } = this.#parts;
    const { id } = delivery;
    const { claim } = turn;
    const { endpoint } = claim;
    const attempt = await this.#attempt(claim, message, turn.signal);
    const succeeded = isDelivered(attempt);
    // It was ended before it could be answered, which is not the endpoint's fault.
    if (turn.signal.aborted && attempt.status === null && !succeeded) return false;
    this.#metrics.count(succeeded ? 'delivered' : 'failed');
    turn.failures = succeeded ? 0 : turn.failures + 1;
    if (succeeded) return claims.delivered(claim, delivery, attempt);
    const { status, error, retryAfterMs } = attempt;
    const { failures } = turn;
    const nextInMs = waitMsAfter(failures, retryAfterMs);
    const isGone = status === 410;
    await claims.failed(claim, { id }, { attempt, nextInMs, isGone });
    const names = { project: endpoint.projectId, endpoint: endpoint.id, delivery: id };
    const outcome = isGone ? 'an endpoint is gone, and disabled' : 'a webhook could not be delivered';
    logger.warn({ ...names, status, error, failures, nextInMs }, outcome);
    return false;
  }

  async #attempt(
    { endpoint: { url, format }, secrets }: Pick<EndpointClaim, 'endpoint' | 'secrets'>,
    message: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<Attempt & LastAttempt> {
    const { addresses, timeoutMs, topic } = this.#parts;
    const [atMs, startedMs] = [Date.now(), performance.now()];
    const post = (): Promise<Attempt> => {
      const body = bodyAs(format, message.body());
      const headers = signedHeaders({ id: message.id, timestampS: Math.floor(atMs / 1_000), body }, secrets);
      return postWebhook({ url, headers, body }, { addresses, signal, ...(timeoutMs !== undefined && { timeoutMs }) });
    };
    const attempt = await (isTopicUrl(url) ? appendToTopic(topic, message.changes, signal) : post());
    const tookMs = Math.round(performance.now() - startedMs);
    return { ...attempt, atMs, tookMs, error: attempt.error ?? redirectIn(attempt.status) };
  }

  async #tidy(): Promise<void> {
    if (performance.now() < this.#tidyAtMs) return;
    this.#tidyAtMs = performance.now() + TIDY_EVERY_MS;
    await this.#parts.claims.deleteOld();
  }
}

/** What is sent, in the form that its endpoint takes. */
interface OutgoingMessage {
  /** The `webhook-id`. */
  readonly id: string;
  readonly body: () => string;
  readonly changes: () => readonly AudienceChange[];
}

function testMessage(endpoint: Endpoint, id: string): OutgoingMessage {
  const nowMs = Date.now();
  const data = JSON.stringify({ project_id: endpoint.projectId, endpoint_id: endpoint.id });
  return {
    id,
    body: () => `{"type":"${TEST_TYPE}","timestamp":"${new Date(nowMs).toISOString()}","data":${data}}`,
    changes: () => [testRecord(endpoint, id, nowMs)],
  };
}

function isSamePosition(one: WaitingDelivery['range']['from'], other: WaitingDelivery['range']['to']): boolean {
  return one.isInitial === other.isInitial && one.at === other.at && one.afterUser === other.afterUser;
}

function redirectIn(status: number | null): string | null {
  return status !== null && status >= 300 && status < 400 ? 'a redirect is not followed: change the URL' : null;
}
