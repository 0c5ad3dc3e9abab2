import type { RouteSet } from '../http/route.ts';
import { answerExplain, answerWhy } from './audience-why.ts';
import { answerPreview, type AudienceParts } from './audiences.ts';
import { answerReceipt, type ReceiptParts } from './receipts.ts';
import { answerEvents, answerProfile, type UserStores } from './users.ts';

export interface ReadingParts extends UserStores, ReceiptParts, AudienceParts {}

// An audience's definition is as long as any other body that is not a batch.
const BODY_LIMIT_BYTES = 32_768;

/** Everything that is read over HTTP: profiles, events, receipts, audiences. */
export function readingRoutes(parts: ReadingParts): RouteSet {
  const get = { method: 'GET', bodyLimitBytes: null, style: 'problem' } as const;
  const read = { ...get, scope: 'read' } as const;
  const ask = { ...read, method: 'POST', bodyLimitBytes: BODY_LIMIT_BYTES } as const;
  return {
    routes: [
      { ...read, path: '/v1/users/:user_id', handle: (call) => answerProfile(parts, call) },
      { ...read, path: '/v1/users/:user_id/events', handle: (call) => answerEvents(parts, call) },
      { ...get, scope: 'any', path: '/v1/receipts/:receipt', handle: (call) => answerReceipt(parts, call) },
      { ...ask, path: '/v1/audiences/preview', handle: (call) => answerPreview(parts, call) },
      { ...ask, path: '/v1/audiences/explain', handle: (call) => answerExplain(parts, call) },
      { ...ask, path: '/v1/audiences/why', handle: (call) => answerWhy(parts, call) },
    ],
  };
}
