import type { Route, RouteSet } from '../http/route.ts';
import { AnswerBytes } from '../http/answer-bytes.ts';
import { type AuditParts, auditRoutes } from './admin/audit.ts';
import { type AudienceRouteParts, audienceRoutes } from './audiences/routes.ts';
import { answerCatalogEvents, answerCatalogProperties, answerCatalogTraits } from './catalog/answers.ts';
import type { Catalog, CatalogParts } from '../questions/catalog/catalog.ts';
import { type How, route } from './input.ts';
import { answerLive, LiveReaders } from './live/live-events.ts';
import type { LiveParts } from './live/live-reader.ts';
import type { EndpointParts } from './endpoints/endpoint-answers.ts';
import { endpointRoutes } from './endpoints/routes.ts';
import { answerCounts, answerEventsQuery, answerFunnel, answerSummary } from './events/answer-questions.ts';
import { Summaries } from '../questions/events/summaries.ts';
import { type PinsAndNotesParts, pinsAndNotesRoutes } from './pins-and-notes.ts';
import { receiptRoute, type ReceiptParts } from './receipts/receipts.ts';
import { type RefusalParts, refusalsRoute } from './refusals.ts';
import { DEFINED, limitedTo, READ } from './route-parts.ts';
import type { UserStores } from './users/store-parts.ts';
import { userRoutes } from './users/routes.ts';

export interface ReadingParts
  extends
    UserStores,
    AudienceRouteParts,
    LiveParts,
    ReceiptParts,
    RefusalParts,
    AuditParts,
    CatalogParts,
    EndpointParts,
    PinsAndNotesParts {
  readonly catalog: Catalog;
  readonly codec: ReceiptParts['codec'];
}

const PAGES_AT_ONCE = 32;
/** Pages and answers to questions have 8 million characters each at most: a project has two such at once. */
const ANSWER_BYTES = 32_000_000;
/** Questions that analytics answers, or that wait for it, and evaluations that were asked for. */
const OPEN_QUERIES = 64;
/** Listeners to what is recorded: those with equal filters share one reading of the log. */
const OPEN_LISTENERS = 64;

/** Everything that is read over HTTP: profiles, events, receipts, audiences; and where it is sent. */
export function readingRoutes(parts: ReadingParts): RouteSet {
  const readers = new LiveReaders(parts);
  const summaries = new Summaries(parts);
  const answers = new AnswerBytes(ANSWER_BYTES);
  const pages = limitedTo(PAGES_AT_ONCE, answers);
  const question = limitedTo(OPEN_QUERIES, answers);
  const ask = { ...DEFINED, ...question };
  return {
    routes: [
      ...userRoutes(parts, question, pages),
      route('GET /v1/events/live', { ...READ, ...limitedTo(OPEN_LISTENERS) }, (call, { query }) =>
        answerLive(parts, call, query, readers),
      ),
      route('POST /v1/events/query', ask, (call) => answerEventsQuery(parts, call)),
      route('POST /v1/events/counts', ask, (call) => answerCounts(parts, call)),
      route('POST /v1/funnels', ask, (call) => answerFunnel(parts, call)),
      route('GET /v1/summary', { ...READ, ...question }, (call) => answerSummary(summaries, call)),
      refusalsRoute(parts, pages),
      receiptRoute(parts),
      ...audienceRoutes(parts, question, pages),
      ...endpointRoutes(parts),
      ...pinsAndNotesRoutes(parts),
      ...auditRoutes(parts),
      ...catalogRoutes(parts.catalog, { ...READ, ...question }),
    ],
  };
}

function catalogRoutes(catalog: Catalog, ask: How): Route[] {
  return [
    route('GET /v1/catalog/events', ask, (call, input) => answerCatalogEvents(catalog, call, input)),
    route('GET /v1/catalog/events/{name}/properties', ask, (call, input) =>
      answerCatalogProperties(catalog, call, input),
    ),
    route('GET /v1/catalog/traits', ask, (call, input) => answerCatalogTraits(catalog, call, input)),
  ];
}
