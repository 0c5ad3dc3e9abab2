import { ConcurrencyLimiter } from '../../http/concurrency-limiter.ts';
import type { Call } from '../../http/call.ts';
import type { Route } from '../../http/route.ts';
import { BODY_LIMIT_BYTES, type Limited, PAGE, READ } from '../route-parts.ts';
import { answerCompare } from './compare.ts';
import { answerFollow, type FollowParts } from './follow.ts';
import { answerHistory, answerVersions, HISTORY_QUERY, VERSIONS_QUERY } from './past.ts';
import { answerPreview, answerSavedPreview, type AudienceParts } from './questions.ts';
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

export interface AudienceRouteParts extends AudienceParts, SavedAudienceParts, FollowParts {
  /** How many may wait for changes of audiences; `CHANGES_AT_ONCE` where left out. */
  readonly changesAtOnce?: number;
}

/** Members and changes that are being read, or that wait for analytics. */
const OPEN_STREAMS = 64;
/** Requests that wait for changes of audiences. */
const CHANGES_AT_ONCE = 1_000;

const STREAM = [...PAGE, 'after'] as const;

/** Questions about audiences, and saved audiences. */
export function audienceRoutes(parts: AudienceRouteParts, question: Limited, { admitWhole }: Limited): Route[] {
  const ask = { ...READ, ...question };
  const page = { ...READ, admitWhole };
  const streams = new ConcurrencyLimiter(OPEN_STREAMS);
  const stream = { ...READ, admitWhole: (call: Call) => streams.admit(call) };
  const following = { streams, waits: new ConcurrencyLimiter(parts.changesAtOnce ?? CHANGES_AT_ONCE) };
  const change = { ...READ, scope: 'audiences' } as const;
  const write = { ...change, bodyLimitBytes: BODY_LIMIT_BYTES } as const;
  const one = '/v1/audiences/:id';
  return [
    ...questionRoutes(parts, question),
    { ...READ, path: '/v1/audiences', query: PAGE, handle: (call) => answerList(parts, call) },
    { ...write, method: 'POST', path: '/v1/audiences', query: [], handle: (call) => answerSave(parts, call) },
    { ...READ, path: one, query: [], handle: (call) => answerSaved(parts, call) },
    { ...write, method: 'PUT', path: one, query: [], handle: (call) => answerChange(parts, call, true) },
    { ...write, method: 'PATCH', path: one, query: [], handle: (call) => answerChange(parts, call, false) },
    { ...change, method: 'DELETE', path: one, query: [], handle: (call) => answerDelete(parts, call) },
    { ...ask, path: `${one}/preview`, query: ['sample'], handle: (call) => answerSavedPreview(parts, call) },
    { ...ask, path: `${one}/explain`, query: ['sample'], handle: (call) => answerSavedExplain(parts, call) },
    {
      ...ask,
      path: `${one}/why`,
      query: ['user_id', 'anonymous_id', 'internal_id', 'events'],
      handle: (call) => answerSavedWhy(parts, call),
    },
    { ...stream, path: `${one}/members`, query: STREAM, handle: (call) => answerMembers(parts, call) },
    { ...page, path: `${one}/versions`, query: VERSIONS_QUERY, handle: (call) => answerVersions(parts, call) },
    {
      ...page,
      path: `${one}/history`,
      query: HISTORY_QUERY,
      handle: (call) => answerHistory(parts, call),
    },
    {
      ...READ,
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

function questionRoutes(parts: AudienceRouteParts, question: Limited): Route[] {
  const post = { ...READ, ...question, method: 'POST', bodyLimitBytes: BODY_LIMIT_BYTES } as const;
  return [
    { ...post, path: '/v1/audiences/preview', query: [], handle: (call) => answerPreview(parts, call) },
    { ...post, path: '/v1/audiences/explain', query: [], handle: (call) => answerExplain(parts, call) },
    { ...post, path: '/v1/audiences/why', query: [], handle: (call) => answerWhy(parts, call) },
    { ...post, path: '/v1/audiences/compare', query: [], handle: (call) => answerCompare(parts, call) },
  ];
}
