import { userKeyOf } from '../../messages/user-key.ts';
import { type Audience, type Condition, conditionsIn, inSequence, isCondition } from '../definition/audience.ts';
import { Steps } from '../steps.ts';
import { decisionsOn } from './evaluate.ts';

/** Which messages of a user an audience asks about. */
export interface Mentions {
  /** Names of events; null: every event. */
  readonly events: ReadonlySet<string> | null;
  /** Names of traits. */
  readonly traits: ReadonlySet<string>;
  /** Whether a user may be in it of whom nothing is known that it asks about. */
  readonly fitsUnknown: boolean;
}

/** What an insert brought of a user. */
export interface Brought {
  /** Names of events, and of traits. */
  readonly events: Iterable<string>;
  readonly traits: Iterable<string>;
}

export function mentionsOf(audience: Audience): Mentions {
  const conditions = conditionsIn(audience, '').map(({ condition }) => condition);
  const named = conditions.flatMap(eventsNamed);
  const traits = conditions.flatMap((one) => (one.kind === 'trait' ? [one.path[0] ?? ''] : []));
  return {
    events: named.includes(null) ? null : new Set(named.filter((name) => name !== null)),
    traits: new Set(traits),
    fitsUnknown: mayFit(audience, unknownUser()).may,
  };
}

/** Whether what an insert brought may change whether its user is in the audience. */
export function concerns({ events, traits }: Mentions, brought: Brought): boolean {
  for (const name of brought.events) if (events === null || events.has(name)) return true;
  for (const name of brought.traits) if (traits.has(name)) return true;
  return false;
}

function eventsNamed(condition: Condition): readonly (string | null)[] {
  if (condition.kind !== 'event') return [];
  return inSequence(condition).flatMap(({ events }): readonly (string | null)[] => events ?? [null]);
}

/** Neither traits nor events: of such a user time changes nothing. */
function unknownUser() {
  const known = { projectId: 'nobody', traits: new Map(), events: new Map(), userKey: userKeyOf('nobody', 'nobody') };
  return decisionsOn({ ...known, now: 0n, steps: new Steps() });
}

/** Whether some user passes, and whether every one does: samples and lists have some users. */
function mayFit(
  audience: Audience,
  decide: ReturnType<typeof unknownUser>,
): { readonly may: boolean; readonly always: boolean } {
  if (isCondition(audience)) {
    if (audience.kind === 'sample' || audience.kind === 'users') return { may: true, always: false };
    const { isMet } = decide(audience);
    return { may: isMet, always: isMet };
  }
  if (audience.kind === 'audience') return mayFit(audience.of, decide);
  if (audience.kind === 'not') {
    const { may, always } = mayFit(audience.of, decide);
    return { may: !always, always: !may };
  }
  const parts = audience.of.map((part) => mayFit(part, decide));
  if (audience.kind === 'all') return { may: parts.every(({ may }) => may), always: parts.every((one) => one.always) };
  return { may: parts.some(({ may }) => may), always: parts.some((one) => one.always) };
}
