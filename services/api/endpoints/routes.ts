import { BODY_LIMIT_BYTES } from '../../http/body-limits.ts';
import type { Route } from '../../http/route.ts';
import { route } from '../input.ts';
import { pageOf } from '../query.ts';
import { limitedTo, READ } from '../route-parts.ts';
import {
  answerDeliveries,
  answerEndpointChange,
  answerEndpointDelete,
  answerNewEndpoint,
  answerResendSince,
  answerRotation,
  type EndpointParts,
} from './endpoint-answers.ts';
import { deliveryJson, endpointJson } from './endpoint-json.ts';
import { type WatchAnswerParts, watchRoutes } from './watches.ts';

/** Tests that are under way: each takes as long as its endpoint does. */
const TESTS_AT_ONCE = 16;

/**
 * Endpoints of webhooks. All need the scope `audiences`, for a URL may hold a secret. Those of the installation are named by
 * an admin key that names no project.
 */
export function endpointRoutes(parts: EndpointParts & WatchAnswerParts): Route[] {
  const { endpoints, endpointTester } = parts;
  const how = { ...READ, scope: 'audiences', isProjectOptional: true } as const;
  const write = { ...how, bodyLimitBytes: BODY_LIMIT_BYTES };
  return [
    ...watchRoutes(parts),
    route('POST /v1/endpoints', write, (call) => answerNewEndpoint(parts, call)),
    route('GET /v1/endpoints', how, async ({ projectId }, { query }) => {
      const page = pageOf(await endpoints.list(projectId), query, ({ id }) => id);
      if (!page.ok) return page.refusal;
      const { items, next } = page.value;
      const body = `{"endpoints":[${items.map(endpointJson).join(',')}],"next_cursor":${JSON.stringify(next)}}`;
      return { status: 200, body };
    }),
    route('GET /v1/endpoints/{id}', how, async ({ projectId }, { path: { id } }) => {
      return { status: 200, body: endpointJson(await endpoints.find(projectId, id)) };
    }),
    route('PATCH /v1/endpoints/{id}', write, (call, input) => answerEndpointChange(parts, call, input)),
    route('DELETE /v1/endpoints/{id}', how, (call, input) => answerEndpointDelete(parts, call, input)),
    route('POST /v1/endpoints/{id}/rotate', write, (call, input) => answerRotation(parts, call, input)),
    route('POST /v1/endpoints/{id}/test', { ...how, ...limitedTo(TESTS_AT_ONCE) }, async (call, { path: { id } }) => {
      return { status: 200, body: deliveryJson(await endpointTester.test(call.projectId, id)) };
    }),
    route('POST /v1/endpoints/{id}/resend', write, (call, input) => answerResendSince(parts, call, input)),
    route('GET /v1/endpoints/{id}/deliveries', how, (call, input) => answerDeliveries(parts, call, input)),
    route('POST /v1/endpoints/{id}/deliveries/{delivery}/resend', how, async ({ projectId }, { path }) => {
      const { id, delivery } = path;
      const body = deliveryJson(await endpoints.resend(projectId, id, delivery));
      const after = JSON.stringify({ delivery });
      return { status: 200, body, audit: { action: 'endpoint.resend', object: id, after } };
    }),
  ];
}
