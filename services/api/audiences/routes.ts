import type { AnalyticsParts } from '../../questions/query-budget.ts';
import { ConcurrencyLimiter } from '../../http/concurrency-limiter.ts';
import type { Call } from '../../http/call.ts';
import type { Route } from '../../http/route.ts';
import { route, unreadRoute } from '../input.ts';
import { DEFINED, type Limited, READ } from '../route-parts.ts';
import { answerCompare, type CompareParts } from './compare.ts';
import { answerFollow, type FollowParts } from './follow.ts';
import { answerHistory, answerVersions } from './past.ts';
import { answerPreview, answerSavedPreview } from './questions.ts';
import {
  answerChange,
  answerDelete,
  answerEvaluate,
  answerList,
  answerSave,
  answerSaved,
  type SavedAudienceParts,
} from './saved.ts';
import { answerMembers } from './streams.ts';
import { answerExplain, answerSavedExplain, answerSavedWhy, answerWhy } from './why.ts';

export interface AudienceRouteParts extends AnalyticsParts, SavedAudienceParts, FollowParts, CompareParts {
  /** How many may wait for changes of audiences; `CHANGES_AT_ONCE` where left out. */
  readonly changesAtOnce?: number;
}

/** Members and changes that are being read, or that wait for analytics. */
const OPEN_STREAMS = 64;
/** Requests that wait for changes of audiences. */
const CHANGES_AT_ONCE = 1_000;

/** Questions about audiences, and saved audiences. */
export function audienceRoutes(parts: AudienceRouteParts, question: Limited, { admitWhole }: Limited): Route[] {
  const ask = { ...READ, ...question };
  const post = { ...DEFINED, ...question };
  const page = { ...READ, admitWhole };
  const streams = new ConcurrencyLimiter(OPEN_STREAMS);
  const stream = { ...READ, admitWhole: (call: Call) => streams.admit(call) };
  const following = { streams, waits: new ConcurrencyLimiter(parts.changesAtOnce ?? CHANGES_AT_ONCE) };
  return [
    route('POST /v1/audiences/preview', post, (call) => answerPreview(parts, call)),
    route('POST /v1/audiences/explain', post, (call) => answerExplain(parts, call)),
    route('POST /v1/audiences/why', post, (call) => answerWhy(parts, call)),
    route('POST /v1/audiences/compare', post, (call) => answerCompare(parts, call)),
    ...savedRoutes(parts),
    unreadRoute('GET /v1/audiences/{id}/preview', ask, (call) => answerSavedPreview(parts, call)),
    unreadRoute('GET /v1/audiences/{id}/explain', ask, (call) => answerSavedExplain(parts, call)),
    unreadRoute('GET /v1/audiences/{id}/why', ask, (call) => answerSavedWhy(parts, call)),
    unreadRoute('GET /v1/audiences/{id}/members', stream, (call) => answerMembers(parts, call)),
    route('GET /v1/audiences/{id}/versions', page, (call, { query }) => answerVersions(parts, call, query)),
    route('GET /v1/audiences/{id}/history', page, (call, { query }) => answerHistory(parts, call, query)),
    unreadRoute('GET /v1/audiences/{id}/changes', READ, (call) => answerFollow(parts, following, call)),
    route('POST /v1/audiences/{id}/evaluate', { ...ask, ...CHANGE }, (call) => answerEvaluate(parts, call)),
  ];
}

const CHANGE = { ...READ, scope: 'audiences' } as const;

export function savedRoutes(parts: SavedAudienceParts): Route[] {
  const write = { ...DEFINED, scope: CHANGE.scope };
  return [
    route('GET /v1/audiences', READ, (call, { query }) => answerList(parts, call, query)),
    route('POST /v1/audiences', write, (call) => answerSave(parts, call)),
    route('GET /v1/audiences/{id}', READ, (call) => answerSaved(parts, call)),
    route('PUT /v1/audiences/{id}', write, (call) => answerChange(parts, call, 'PUT /v1/audiences/{id}')),
    route('PATCH /v1/audiences/{id}', write, (call) => answerChange(parts, call, 'PATCH /v1/audiences/{id}')),
    route('DELETE /v1/audiences/{id}', CHANGE, (call) => answerDelete(parts, call)),
  ];
}
