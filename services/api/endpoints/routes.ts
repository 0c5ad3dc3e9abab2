import { BODY_LIMIT_BYTES } from '../../http/body-limits.ts';
import type { Route } from '../../http/route.ts';
import { route } from '../input.ts';
import { limitedTo, READ } from '../route-parts.ts';
import {
  answerDeliveries,
  answerEndpoint,
  answerEndpointChange,
  answerEndpointDelete,
  answerEndpoints,
  answerNewEndpoint,
  answerResend,
  answerResendSince,
  answerRotation,
  answerTest,
  type EndpointParts,
} from './endpoint-answers.ts';
import { type WatchAnswerParts, watchRoutes } from './watches.ts';

/** Tests that are under way: each takes as long as its endpoint does. */
const TESTS_AT_ONCE = 16;

/**
 * Endpoints of webhooks. All need the scope `audiences`, for a URL may hold a secret. Those of the installation are named by
 * an admin key that names no project.
 */
export function endpointRoutes(parts: EndpointParts & WatchAnswerParts): Route[] {
  const how = { ...READ, scope: 'audiences', isProjectOptional: true } as const;
  const write = { ...how, bodyLimitBytes: BODY_LIMIT_BYTES };
  return [
    ...watchRoutes(parts),
    route('POST /v1/endpoints', write, (call) => answerNewEndpoint(parts, call)),
    route('GET /v1/endpoints', how, (call, input) => answerEndpoints(parts, call, input)),
    route('GET /v1/endpoints/{id}', how, (call, input) => answerEndpoint(parts, call, input)),
    route('PATCH /v1/endpoints/{id}', write, (call, input) => answerEndpointChange(parts, call, input)),
    route('DELETE /v1/endpoints/{id}', how, (call, input) => answerEndpointDelete(parts, call, input)),
    route('POST /v1/endpoints/{id}/rotate', write, (call, input) => answerRotation(parts, call, input)),
    route('POST /v1/endpoints/{id}/test', { ...how, ...limitedTo(TESTS_AT_ONCE) }, (call, input) =>
      answerTest(parts, call, input),
    ),
    route('POST /v1/endpoints/{id}/resend', write, (call, input) => answerResendSince(parts, call, input)),
    route('GET /v1/endpoints/{id}/deliveries', how, (call, input) => answerDeliveries(parts, call, input)),
    route('POST /v1/endpoints/{id}/deliveries/{delivery}/resend', how, (call, input) =>
      answerResend(parts, call, input),
    ),
  ];
}
