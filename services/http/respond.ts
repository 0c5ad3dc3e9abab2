import type { Logger } from '../runtime/logger.ts';
import type { Call } from './call.ts';
import type { HttpMetrics } from './http-metrics.ts';
import { type Refusal, refusalOf } from './problems.ts';
import type { RouteTable } from './route-table.ts';
import { send } from './send.ts';
import type { Step } from './steps.ts';

export interface RespondParts {
  readonly table: Pick<RouteTable, 'styleOf'>;
  readonly logger: Logger;
  /** Told of every refusal, before it is sent. */
  readonly onRefusal?: (call: Call, refusal: Refusal) => void;
}

/** The one step that waits for the others: sends what came of the request, then counts and logs it. */
export function respond(parts: RespondParts, metrics: HttpMetrics): Step {
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

function refusalOfThrown(logger: Logger, { requestId, route, req }: Call, error: unknown): Refusal {
  const refusal = route?.refusalOf?.(error, req.method) ?? refusalOf(error);
  // What has a code tells its caller what happened.
  if (refusal.refused === 'internal' && refusal.errorCode === undefined)
    logger.error({ err: error, requestId, route: route?.path }, 'request failed');
  return refusal;
}

function logRequest(logger: Logger, { req, requestId, route }: Call, status: number, ms: number): void {
  logger.debug({ method: req.method, route: route?.path ?? 'none', status, ms, requestId }, 'request');
}
