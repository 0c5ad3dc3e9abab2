/** What the routes of several areas share. */
import { ConcurrencyLimiter } from '../http/concurrency-limiter.ts';
import type { Route } from '../http/route.ts';

// An audience's definition is as long as any other body that is not a batch.
export const BODY_LIMIT_BYTES = 32_768;

/** With a read key. */
export const READ = { bodyLimitBytes: null, style: 'problem', scope: 'read' } as const;

export type Limited = Required<Pick<Route, 'admitWhole'>>;

export function limitedTo(atOnce: number): Limited {
  const limiter = new ConcurrencyLimiter(atOnce);
  return { admitWhole: (call) => limiter.admit(call) };
}
