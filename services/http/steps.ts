/** The steps of a request: what they share, the first, which answers, and the last, in which its route does. */
import type { Logger } from '../runtime/logger.ts';
import type { SqlRepeatStore } from '../stores/service-state/repeat-store.ts';
import type { Auditor } from './auditor.ts';
import type { Call } from './call.ts';
import type { HttpMetrics } from './http-metrics.ts';
import { type Refusal, refusalOf } from './problems.ts';
import { Repeats } from './repeats.ts';
import type { Answer, Route } from './route.ts';
import type { RouteTable } from './route-table.ts';
import { send } from './send.ts';

/** What the steps of a request share. */
export interface State {
  call: Call<Route>;
  /** What to answer; undefined until known; it stays so if the client disconnects. */
  outcome: Answer | Refusal | undefined;
}

/** What answers a request, from one step on. It resolves once the outcome is known. */
export type Work = (state: State) => Promise<void> | undefined;

/** Puts itself before the work that follows: a step that refuses does not go on to it. */
export type Step = (next: Work) => Work;

/** All steps before the last work, in this order. Done once, so that a request passes them as plain calls. */
export function composed(steps: readonly Step[], last: Work): Work {
  return steps.reduceRight((next, step) => step(next), last);
}

export function routeOf({ call }: State): Route {
  if (call.route === undefined) throw new Error('no route has been found yet');
  return call.route;
}

export function refuse(state: State, refusal: Refusal): undefined {
  state.outcome = refusal;
  return undefined;
}

export interface StepParts {
  readonly table: Pick<RouteTable, 'styleOf'>;
  readonly logger: Logger;
  /** Told of every refusal, before it is sent. */
  readonly onRefusal?: (call: Call, refusal: Refusal) => void;
  /** Where requests with an Idempotency-Key are kept; without it the header counts for nothing but messages. */
  readonly repeats?: SqlRepeatStore | undefined;
}

/** The one step that waits for the others: sends what came of the request, then counts and logs it. */
export function respond(parts: StepParts, metrics: HttpMetrics): Step {
  return (next) => async (state) => {
    try {
      await next(state);
    } catch (error) {
      state.outcome = refusalOfThrown(parts.logger, state.call, error);
    }
    const { call, outcome } = state;
    if (outcome !== undefined && 'refused' in outcome) parts.onRefusal?.(call, outcome);
    if (outcome !== undefined) send(call, outcome, call.route?.style ?? parts.table.styleOf(call.path));
    const ms = performance.now() - call.startedAtMs;
    const status = outcome === undefined ? 0 : call.res.statusCode;
    metrics.observe(call.route, status, ms);
    if (parts.logger.isLevelEnabled('debug')) logRequest(parts.logger, call, status, ms);
  };
}

/** What is answered where a handler throws; what nobody foresaw is logged. */
export function refusalOfThrown(logger: Logger, { requestId, route, req }: Call, error: unknown): Refusal {
  const refusal = route?.refusalOf?.(error, req.method) ?? refusalOf(error);
  // What has a code tells its caller what happened.
  if (refusal.refused === 'internal' && refusal.errorCode === undefined)
    logger.error({ err: error, requestId, route: route?.path }, 'request failed');
  return refusal;
}

function logRequest(logger: Logger, { req, requestId, route }: Call, status: number, ms: number): void {
  logger.debug({ method: req.method, route: route?.path ?? 'none', status, ms, requestId }, 'request');
}

/** What a repeat is compared by is not known before its handler has read all of it. */
const NOT_WITH_STREAMS: Refusal = {
  refused: 'invalid-parameter',
  detail: 'The upload of a file takes no Idempotency-Key: another file under the same key would not be noticed.',
};

/** The last step: its route answers, and what that changed is recorded. */
export function handle({ repeats: store, logger }: StepParts, auditor: Auditor | undefined): Work {
  const repeats = store && new Repeats({ store, logger });
  return (state) => {
    const { call } = state;
    const route = routeOf(state);
    const refusal = route.admitWhole?.(call);
    if (refusal !== undefined) return refuse(state, refusal);
    if (route.streamsBody === true && 'idempotency-key' in call.headers) return refuse(state, NOT_WITH_STREAMS);
    const key = repeats?.keyOf(call, route);
    if (repeats !== undefined && key !== undefined) return handleOnce(state, repeats, key, auditor);
    const outcome = route.handle(call);
    if (outcome instanceof Promise) return outcome.then((settled) => conclude(state, settled, auditor));
    return conclude(state, outcome, auditor);
  };
}

async function handleOnce(state: State, repeats: Repeats, key: string, auditor: Auditor | undefined): Promise<void> {
  state.outcome = await repeats.answer(state.call, key, async () => {
    const outcome = await routeOf(state).handle(state.call);
    await conclude(state, outcome, auditor);
    return outcome;
  });
}

function conclude(state: State, outcome: Answer | Refusal, auditor: Auditor | undefined): Promise<void> | undefined {
  state.outcome = outcome;
  if (!('audit' in outcome) || outcome.audit === undefined) return undefined;
  if (auditor === undefined) throw new Error('a change that no audit log is there for');
  return auditor.record(state.call, outcome.audit);
}
