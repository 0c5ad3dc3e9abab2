import { BODY_LIMIT_BYTES } from '../../http/body-limits.ts';
import type { Call } from '../../http/call.ts';
import type { Route } from '../../http/route.ts';
import type { SqlAudienceStore } from '../../questions/saved/sql-audience-store.ts';
import type { AnalyticsReader } from '../../stores/analytics/analytics-store.ts';
import { route } from '../input.ts';
import { limitedTo, refusePages } from '../route-parts.ts';
import { answerFlag, answerFlags, answerMemberships } from './answers.ts';
import { knownAudiences } from './known-audiences.ts';
import { MemberWatch } from './member-watch.ts';

/** Those that wait are in one statement: it bounds that too. */
const OPEN_LOOK_UPS = 1_000;

export interface MembershipRouteParts {
  readonly saved: Pick<SqlAudienceStore, 'list'>;
  readonly analytics: Pick<AnalyticsReader, 'ask' | 'askHistory'>;
}

/** Whether a user is in audiences now. */
export function membershipRoutes({ saved, analytics }: MembershipRouteParts): Route[] {
  const parts = { known: knownAudiences(saved), members: new MemberWatch(analytics) };
  const ask = { style: 'problem', scope: 'flags', admit: ADMIT, ...limitedTo(OPEN_LOOK_UPS) } as const;
  const get = { ...ask, bodyLimitBytes: null };
  const post = { ...ask, bodyLimitBytes: BODY_LIMIT_BYTES };
  return [
    route('GET /v1/users/{user_id}/memberships', get, (call, input) => answerMemberships(parts, call, input)),
    route('POST /ofrep/v1/evaluate/flags/{key}', post, (call, input) => answerFlag(parts, call, input)),
    route('POST /ofrep/v1/evaluate/flags', post, (call) => answerFlags(parts, call)),
  ];
}

// What a page has, everybody has who opens it: a key that can list people must not be there.
const ADMIT = refusePages(
  'A page may ask this with a key of the scope flags only.',
  ({ key }: Call) => key?.scopes.every((scope) => scope === 'flags' || scope === 'write') === true,
);
