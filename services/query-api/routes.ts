import type { AnalyticsReader } from '../stores/analytics/analytics-store.ts';
import type { Route, RouteSet } from '../http/route.ts';
import { ConcurrencyLimiter } from '../http/concurrency-limiter.ts';
import { answerChanges, answerMembers, type StreamParts } from './audience-streams.ts';
import { answerExplain, answerSavedExplain, answerSavedWhy, answerWhy } from './audience-why.ts';
import { answerPreview, answerSavedPreview, type AudienceParts } from './audiences.ts';
import { answerLive, type LiveParts } from './live-events.ts';
import { LogEnds } from './log-ends.ts';
import type { ProgressWatch } from './progress-watch.ts';
import { answerReceipt } from './receipts.ts';
import {
  answerChange,
  answerDelete,
  answerEvaluate,
  answerList,
  answerSave,
  answerSaved,
  type SavedAudienceParts,
} from './saved-audiences.ts';
import { answerUsers } from './users/search.ts';
import type { UserStores } from './users/store-parts.ts';
import { answerEvents, answerOtherEvents, answerProfile } from './users/users.ts';

export interface ReadingParts extends UserStores, AudienceParts, SavedAudienceParts, StreamParts, LiveParts {
  readonly analytics: AnalyticsReader;
  readonly watch: ProgressWatch;
  /** How many receipts may wait at once, half of them of one project; `RECEIPTS_AT_ONCE` where left out. */
  readonly receiptsAtOnce?: number;
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
/** Listeners to what is recorded: each reads the end of the log by itself. */
const OPEN_LISTENERS = 16;

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
      { ...page, path: '/v1/users', handle: (call) => answerUsers(parts, call) },
      { ...page, path: '/v1/events', handle: (call) => answerOtherEvents(parts, call) },
      { ...read, path: '/v1/users/:user_id', handle: (call) => answerProfile(parts, call) },
      { ...page, path: '/v1/users/:user_id/events', handle: (call) => answerEvents(parts, call) },
      { ...read, ...limitedTo(OPEN_LISTENERS), path: '/v1/events/live', handle: (call) => answerLive(parts, call) },
      { ...get, scope: 'any', path: '/v1/receipts/:receipt', handle: (call) => answerReceipt(receipts, call) },
      { ...ask, path: '/v1/audiences/preview', handle: (call) => answerPreview(parts, call) },
      { ...ask, path: '/v1/audiences/explain', handle: (call) => answerExplain(parts, call) },
      { ...ask, path: '/v1/audiences/why', handle: (call) => answerWhy(parts, call) },
      ...savedRoutes(parts, question),
    ],
  };
}

type Limited = Required<Pick<Route, 'admitWhole'>>;

function limitedTo(atOnce: number): Limited {
  const limiter = new ConcurrencyLimiter(atOnce);
  return { admitWhole: (call) => limiter.admit(call) };
}

function savedRoutes(parts: ReadingParts, question: Limited): Route[] {
  const get = { method: 'GET', bodyLimitBytes: null, style: 'problem', scope: 'read' } as const;
  const ask = { ...get, ...question };
  const stream = { ...get, ...limitedTo(OPEN_STREAMS) };
  const change = { ...get, scope: 'audiences' } as const;
  const write = { ...change, bodyLimitBytes: BODY_LIMIT_BYTES } as const;
  const one = '/v1/audiences/:id';
  return [
    { ...get, path: '/v1/audiences', handle: (call) => answerList(parts, call) },
    { ...write, method: 'POST', path: '/v1/audiences', handle: (call) => answerSave(parts, call) },
    { ...get, path: one, handle: (call) => answerSaved(parts, call) },
    { ...write, method: 'PUT', path: one, handle: (call) => answerChange(parts, call, true) },
    { ...write, method: 'PATCH', path: one, handle: (call) => answerChange(parts, call, false) },
    { ...change, method: 'DELETE', path: one, handle: (call) => answerDelete(parts, call) },
    { ...ask, path: `${one}/preview`, handle: (call) => answerSavedPreview(parts, call) },
    { ...ask, path: `${one}/explain`, handle: (call) => answerSavedExplain(parts, call) },
    { ...ask, path: `${one}/why`, handle: (call) => answerSavedWhy(parts, call) },
    { ...stream, path: `${one}/members`, handle: (call) => answerMembers(parts, call) },
    { ...stream, path: `${one}/changes`, handle: (call) => answerChanges(parts, call) },
    { ...ask, ...change, method: 'POST', path: `${one}/evaluate`, handle: (call) => answerEvaluate(parts, call) },
  ];
}
