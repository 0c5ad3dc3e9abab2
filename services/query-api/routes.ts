import type { AnalyticsReader } from '../stores/analytics/analytics-store.ts';
import type { Call } from '../http/call.ts';
import type { Route, RouteSet } from '../http/route.ts';
import { ConcurrencyLimiter } from '../http/concurrency-limiter.ts';
import { type AuditParts, auditRoutes } from './admin/audit.ts';
import { answerCompare } from './audiences/compare.ts';
import { answerHistory, answerVersions } from './audiences/past.ts';
import { answerFollow, type FollowParts } from './audiences/follow.ts';
import { answerMembers } from './audiences/streams.ts';
import { answerExplain, answerSavedExplain, answerSavedWhy, answerWhy } from './audiences/why.ts';
import { answerPreview, answerSavedPreview, type AudienceParts } from './audiences/questions.ts';
import { answerCatalogEvents, answerCatalogProperties, answerCatalogTraits } from './catalog/answers.ts';
import { CATALOG_PARAMETERS } from './catalog/catalog-page.ts';
import { Catalog, type CatalogParts } from './catalog/catalog.ts';
import { answerLive, type LiveParts } from './live-events.ts';
import { LIVE_PARAMETERS } from './live-filter.ts';
import { LogEnds } from './log-ends.ts';
import type { ProgressWatch } from './progress-watch.ts';
import { answerCounts, answerEventsQuery } from './questions/answer-questions.ts';
import { answerReceipt } from './receipts.ts';
import { answerRefusals, type RefusalParts } from './refusals.ts';
import {
  answerChange,
  answerDelete,
  answerEvaluate,
  answerList,
  answerSave,
  answerSaved,
  type SavedAudienceParts,
} from './audiences/saved.ts';
import { answerExport, EXPORT_PARAMETERS } from './users/export.ts';
import { answerUsers, SEARCH_PARAMETERS } from './users/search.ts';
import type { UserStores } from './users/store-parts.ts';
import { answerUserAudiences, AUDIENCES_PARAMETERS } from './users/user-audiences.ts';
import { answerTraitHistory, HISTORY_PARAMETERS } from './users/trait-history.ts';
import { answerEvents, answerOtherEvents, answerProfile } from './users/users.ts';

export interface ReadingParts
  extends
    UserStores,
    AudienceParts,
    SavedAudienceParts,
    FollowParts,
    LiveParts,
    RefusalParts,
    AuditParts,
    CatalogParts {
  readonly analytics: AnalyticsReader;
  readonly watch: ProgressWatch;
  /** How many receipts may wait at once, half of them of one project; `RECEIPTS_AT_ONCE` where left out. */
  readonly receiptsAtOnce?: number;
  /** How many may wait for changes of audiences; `CHANGES_AT_ONCE` where left out. */
  readonly changesAtOnce?: number;
}

// An audience's definition is as long as any other body that is not a batch.
const BODY_LIMIT_BYTES = 32_768;

// Of pages, 8 million characters each at most, what waits for its client is 256 MB at worst.
const PAGES_AT_ONCE = 32;
/** Questions that analytics answers, or that wait for it, and evaluations that were asked for. */
const OPEN_QUERIES = 64;
/** Receipts that wait: each takes some 8 KB with its connection and its request, of which 500 bytes are the wait's. */
const RECEIPTS_AT_ONCE = 6_000;
/** Members and changes that are being read, or that wait for analytics. */
const OPEN_STREAMS = 64;
/** Requests that wait for changes of audiences. */
const CHANGES_AT_ONCE = 1_000;
/** Exports of users: each may have 16 MB of a page in memory. */
const OPEN_EXPORTS = 8;
/** Listeners to what is recorded: each reads the end of the log by itself. */
const OPEN_LISTENERS = 16;

// The query parameters of more than one route.
const PAGE = ['limit', 'cursor'] as const;
const OF_USER = ['anonymous_id', 'internal_id'] as const;
const EVENTS = ['event', 'since', 'until', ...PAGE] as const;
const STREAM = [...PAGE, 'after'] as const;

/** Everything that is read over HTTP: profiles, events, receipts, audiences. */
export function readingRoutes(parts: ReadingParts): RouteSet {
  const get = { method: 'GET', bodyLimitBytes: null, style: 'problem' } as const;
  const read = { ...get, scope: 'read' } as const;
  const waits = new ConcurrencyLimiter(parts.receiptsAtOnce ?? RECEIPTS_AT_ONCE);
  const receipts = { watch: parts.watch, ends: new LogEnds(parts.log), waits };
  const page = { ...read, ...limitedTo(PAGES_AT_ONCE) };
  const question = limitedTo(OPEN_QUERIES);
  const ask = { ...read, ...question, method: 'POST', bodyLimitBytes: BODY_LIMIT_BYTES } as const;
  return {
    routes: [
      { ...page, path: '/v1/users', query: SEARCH_PARAMETERS, handle: (call) => answerUsers(parts, call) },
      { ...page, path: '/v1/events', query: [...OF_USER, ...EVENTS], handle: (call) => answerOtherEvents(parts, call) },
      { ...read, path: '/v1/users/:user_id', query: ['by'], handle: (call) => answerProfile(parts, call) },
      {
        ...page,
        path: '/v1/users/:user_id/events',
        query: ['by', ...EVENTS],
        handle: (call) => answerEvents(parts, call),
      },
      ...userRoutes(parts, question),
      {
        ...read,
        ...limitedTo(OPEN_LISTENERS),
        path: '/v1/events/live',
        query: LIVE_PARAMETERS,
        handle: (call) => answerLive(parts, call),
      },
      { ...ask, path: '/v1/events/query', query: [], handle: (call) => answerEventsQuery(parts, call) },
      { ...ask, path: '/v1/events/counts', query: [], handle: (call) => answerCounts(parts, call) },
      { ...page, path: '/v1/refusals', query: PAGE, handle: (call) => answerRefusals(parts, call) },
      {
        ...get,
        scope: 'any',
        path: '/v1/receipts/:receipt',
        query: ['wait'],
        handle: (call) => answerReceipt(receipts, call),
      },
      { ...ask, path: '/v1/audiences/preview', query: [], handle: (call) => answerPreview(parts, call) },
      { ...ask, path: '/v1/audiences/explain', query: [], handle: (call) => answerExplain(parts, call) },
      { ...ask, path: '/v1/audiences/why', query: [], handle: (call) => answerWhy(parts, call) },
      { ...ask, path: '/v1/audiences/compare', query: [], handle: (call) => answerCompare(parts, call) },
      ...savedRoutes(parts, question, page),
      ...auditRoutes(parts),
      ...catalogRoutes(parts, { ...read, ...question }),
    ],
  };
}

type Limited = Required<Pick<Route, 'admitWhole'>>;

function limitedTo(atOnce: number): Limited {
  const limiter = new ConcurrencyLimiter(atOnce);
  return { admitWhole: (call) => limiter.admit(call) };
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

function userRoutes(parts: ReadingParts, question: Limited): Route[] {
  const get = { method: 'GET', bodyLimitBytes: null, style: 'problem', scope: 'read' } as const;
  const ask = { ...get, ...question };
  const one = '/v1/users/:user_id';
  return [
    {
      ...ask,
      path: `${one}/audiences`,
      query: AUDIENCES_PARAMETERS,
      handle: (call) => answerUserAudiences(parts, call),
    },
    {
      ...get,
      ...limitedTo(OPEN_EXPORTS),
      path: `${one}/export`,
      query: EXPORT_PARAMETERS,
      handle: (call) => answerExport(parts, call),
    },
    {
      ...ask,
      path: `${one}/traits/:name/history`,
      query: HISTORY_PARAMETERS,
      handle: (call) => answerTraitHistory(parts, call),
    },
  ];
}

function savedRoutes(parts: ReadingParts, question: Limited, { admitWhole }: Limited): Route[] {
  const get = { method: 'GET', bodyLimitBytes: null, style: 'problem', scope: 'read' } as const;
  const ask = { ...get, ...question };
  const page = { ...get, admitWhole };
  const streams = new ConcurrencyLimiter(OPEN_STREAMS);
  const stream = { ...get, admitWhole: (call: Call) => streams.admit(call) };
  const following = { streams, waits: new ConcurrencyLimiter(parts.changesAtOnce ?? CHANGES_AT_ONCE) };
  const change = { ...get, scope: 'audiences' } as const;
  const write = { ...change, bodyLimitBytes: BODY_LIMIT_BYTES } as const;
  const one = '/v1/audiences/:id';
  return [
    { ...get, path: '/v1/audiences', query: PAGE, handle: (call) => answerList(parts, call) },
    { ...write, method: 'POST', path: '/v1/audiences', query: [], handle: (call) => answerSave(parts, call) },
    { ...get, path: one, query: [], handle: (call) => answerSaved(parts, call) },
    { ...write, method: 'PUT', path: one, query: [], handle: (call) => answerChange(parts, call, true) },
    { ...write, method: 'PATCH', path: one, query: [], handle: (call) => answerChange(parts, call, false) },
    { ...change, method: 'DELETE', path: one, query: [], handle: (call) => answerDelete(parts, call) },
    { ...ask, path: `${one}/preview`, query: ['sample'], handle: (call) => answerSavedPreview(parts, call) },
    { ...ask, path: `${one}/explain`, query: ['sample'], handle: (call) => answerSavedExplain(parts, call) },
    {
      ...ask,
      path: `${one}/why`,
      query: ['user_id', 'internal_id', 'events'],
      handle: (call) => answerSavedWhy(parts, call),
    },
    { ...stream, path: `${one}/members`, query: STREAM, handle: (call) => answerMembers(parts, call) },
    { ...page, path: `${one}/versions`, query: PAGE, handle: (call) => answerVersions(parts, call) },
    {
      ...page,
      path: `${one}/history`,
      query: [...PAGE, 'since', 'until', 'per'],
      handle: (call) => answerHistory(parts, call),
    },
    {
      ...get,
      path: `${one}/changes`,
      query: ['since', 'wait', ...STREAM],
      handle: (call) => answerFollow(parts, following, call),
    },
    {
      ...ask,
      ...change,
      method: 'POST',
      path: `${one}/evaluate`,
      query: [],
      handle: (call) => answerEvaluate(parts, call),
    },
  ];
}
