import type { AnalyticsReader } from '../stores/analytics/analytics-store.ts';
import type { Route, RouteSet } from '../http/route.ts';
import { ConcurrencyLimiter } from '../http/concurrency-limiter.ts';
import { type AuditParts, auditRoutes } from './admin/audit.ts';
import { type AudienceRouteParts, audienceRoutes } from './audiences/routes.ts';
import { answerCatalogEvents, answerCatalogProperties, answerCatalogTraits } from './catalog/answers.ts';
import { CATALOG_PARAMETERS } from './catalog/catalog-page.ts';
import { Catalog, type CatalogParts } from './catalog/catalog.ts';
import { answerLive, LiveReaders } from './live-events.ts';
import { LIVE_PARAMETERS } from './live-filter.ts';
import type { LiveParts } from './live-reader.ts';
import { LogEnds } from './log-ends.ts';
import type { ProgressWatch } from './progress-watch.ts';
import { answerCounts, answerEventsQuery } from './questions/answer-questions.ts';
import { answerReceipt } from './receipts.ts';
import { answerRefusals, type RefusalParts } from './refusals.ts';
import { BODY_LIMIT_BYTES, limitedTo, PAGE, READ } from './route-parts.ts';
import type { UserStores } from './users/store-parts.ts';
import { userRoutes } from './users/routes.ts';

export interface ReadingParts
  extends UserStores, AudienceRouteParts, LiveParts, RefusalParts, AuditParts, CatalogParts {
  readonly analytics: AnalyticsReader;
  readonly watch: ProgressWatch;
  /** How many receipts may wait at once, half of them of one project; `RECEIPTS_AT_ONCE` where left out. */
  readonly receiptsAtOnce?: number;
}

// Pages have 8 million characters each at most, so those that wait for their clients are 256 MB at worst.
const PAGES_AT_ONCE = 32;
/** Questions that analytics answers, or that wait for it, and evaluations that were asked for. */
const OPEN_QUERIES = 64;
/** Receipts that wait: each takes some 8 KB with its connection and its request, of which 500 bytes are the wait's. */
const RECEIPTS_AT_ONCE = 6_000;
/** Listeners to what is recorded: those with equal filters share one reading of the log. */
const OPEN_LISTENERS = 64;

/** Everything that is read over HTTP: profiles, events, receipts, audiences. */
export function readingRoutes(parts: ReadingParts): RouteSet {
  const waits = new ConcurrencyLimiter(parts.receiptsAtOnce ?? RECEIPTS_AT_ONCE);
  const receipts = { watch: parts.watch, ends: new LogEnds(parts.log), waits };
  const readers = new LiveReaders(parts);
  const pages = limitedTo(PAGES_AT_ONCE);
  const page = { ...READ, ...pages };
  const question = limitedTo(OPEN_QUERIES);
  const ask = { ...READ, ...question, method: 'POST', bodyLimitBytes: BODY_LIMIT_BYTES } as const;
  return {
    routes: [
      ...userRoutes(parts, question, pages),
      {
        ...READ,
        ...limitedTo(OPEN_LISTENERS),
        path: '/v1/events/live',
        query: LIVE_PARAMETERS,
        handle: (call) => answerLive(parts, call, readers),
      },
      { ...ask, path: '/v1/events/query', query: [], handle: (call) => answerEventsQuery(parts, call) },
      { ...ask, path: '/v1/events/counts', query: [], handle: (call) => answerCounts(parts, call) },
      { ...page, path: '/v1/refusals', query: PAGE, handle: (call) => answerRefusals(parts, call) },
      {
        ...READ,
        scope: 'any',
        path: '/v1/receipts/:receipt',
        query: ['wait'],
        handle: (call) => answerReceipt(receipts, call),
      },
      ...audienceRoutes(parts, question, pages),
      ...auditRoutes(parts),
      ...catalogRoutes(parts, { ...READ, ...question }),
    ],
  };
}

function catalogRoutes(parts: ReadingParts, ask: Omit<Route, 'path' | 'handle'>): Route[] {
  const catalog = new Catalog(parts);
  const query = CATALOG_PARAMETERS;
  return [
    { ...ask, query, path: '/v1/catalog/events', handle: (call) => answerCatalogEvents(catalog, call) },
    {
      ...ask,
      query,
      path: '/v1/catalog/events/:name/properties',
      handle: (call) => answerCatalogProperties(catalog, call),
    },
    { ...ask, query, path: '/v1/catalog/traits', handle: (call) => answerCatalogTraits(catalog, call) },
  ];
}
