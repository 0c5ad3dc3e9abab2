/** What the routes of several areas share. */
import type { AnswerBytes } from '../http/answer-bytes.ts';
import { DEFINITION_LIMIT_BYTES } from '../http/body-limits.ts';
import { ConcurrencyLimiter } from '../http/concurrency-limiter.ts';
import type { Call } from '../http/call.ts';
import { isOfThisOrigin } from '../http/access/session-cookie.ts';
import type { Refusal } from '../http/problems.ts';
import type { Route } from '../http/route.ts';

/** With a read key. */
export const READ = { bodyLimitBytes: null, style: 'problem', scope: 'read' } as const;

/** With a definition in the body. */
export const DEFINED = { ...READ, bodyLimitBytes: DEFINITION_LIMIT_BYTES } as const;

export type Limited = Required<Pick<Route, 'admitWhole'>>;

/** @param answers Where answers may be large: bounds their bytes, too. */
export function limitedTo(atOnce: number, answers?: Pick<AnswerBytes, 'admit'>): Limited {
  const limiter = new ConcurrencyLimiter(atOnce);
  return { admitWhole: (call) => limiter.admit(call) ?? answers?.admit(call) };
}

/** An `admit` that refuses pages of other origins, but for calls that are not harmed by being asked by one. */
export function refusePages(detail: string, isHarmless: (call: Call) => boolean = () => false) {
  return (call: Call): Refusal | undefined =>
    call.headers.origin === undefined || isOfThisOrigin(call.headers) || isHarmless(call)
      ? undefined
      : { refused: 'origin-refused', detail };
}
