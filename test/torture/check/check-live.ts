/**
 * What live audiences say, against the messages of the log: every definition is decided anew for every user, as plainly as it
 * can be said, at the instant up to which the audience is live.
 */
import type { Findings } from './findings.ts';
import type { Model, ModelEvent, ModelUser } from './model.ts';

const HOUR_MICROS = 3_600_000_000n;

/** A live audience of the run: its definition, and the same for the model. */
export interface LiveDefinition {
  readonly definition: object;
  readonly has: (user: ModelUser, now: bigint) => boolean;
}

/** As its changes say it. */
export interface LiveReport {
  readonly index: number;
  readonly projectId: string;
  /** Up to when, in microseconds since 1970. */
  readonly through: bigint;
  /** Internal ids. */
  readonly members: ReadonlySet<string>;
  /** Users who entered twice without leaving, or the other way round. */
  readonly twice: readonly string[];
}

type Counts = (event: ModelEvent, now: bigint) => boolean;

/** Different messages: a copy on another day is the same. */
function times({ events }: ModelUser, name: string | null, now: bigint, counts: Counts = () => true): number {
  const found = events.filter((event) => (name === null || event.name === name) && counts(event, now));
  return new Set(found.map((event) => JSON.stringify([event.name, event.messageId]))).size;
}

const lastHour: Counts = ({ timestamp }, now) => timestamp >= now - HOUR_MICROS && timestamp < now;

function hasTrait({ traits }: ModelUser, name: string): boolean {
  const value = traits.get(name)?.value;
  return value !== undefined && value !== null;
}

/** One of each kind of condition that messages and time change differently. */
export const LIVE_DEFINITIONS: readonly LiveDefinition[] = [
  { definition: { event: 'page' }, has: (user, now) => times(user, 'page', now) > 0 },
  {
    definition: { event: 'Order Completed', count: { at_least: 3 } },
    has: (user, now) => times(user, 'Order Completed', now) >= 3,
  },
  { definition: { not: { event: 'page' } }, has: (user, now) => times(user, 'page', now) === 0 },
  {
    definition: { event: 'a.b', count: { exactly: 2 } },
    has: (user, now) => times(user, 'a.b', now) === 2,
  },
  {
    definition: { trait: 'told one', exists: true },
    has: (user) => hasTrait(user, 'told one'),
  },
  {
    definition: {
      all: [
        { trait: 'told two', exists: false },
        { event: { any: true }, count: { at_least: 10 } },
      ],
    },
    has: (user, now) => !hasTrait(user, 'told two') && times(user, null, now) >= 10,
  },
  {
    definition: { event: 'order completed', within: { last: '1h' } },
    has: (user, now) => times(user, 'order completed', now, lastHour) > 0,
  },
  {
    definition: { all: [{ event: 'page' }, { not: { event: 'page', within: { last: '1h' } } }] },
    has: (user, now) => times(user, 'page', now) > 0 && times(user, 'page', now, lastHour) === 0,
  },
  {
    definition: {
      any: [
        { trait: 'told three', exists: true },
        { event: 'a.b', within: { before: '2020-01-01' } },
      ],
    },
    has: (user, now) => hasTrait(user, 'told three') || times(user, 'a.b', now, before2020) > 0,
  },
  {
    definition: { event: { any: true }, count: { at_most: 20 } },
    has: (user, now) => times(user, null, now) <= 20,
  },
];

const before2020: Counts = ({ timestamp }) => timestamp < BigInt(Date.UTC(2020, 0)) * 1000n;

export function checkLive(reports: readonly LiveReport[], model: Model, findings: Pick<Findings, 'add'>): void {
  for (const { index, projectId, through, members, twice } of reports) {
    const { definition, has } = LIVE_DEFINITIONS[index] ?? { definition: {}, has: () => false };
    const audience = JSON.stringify(definition);
    for (const user of twice) findings.add('entered or left a live audience twice', `${user}: ${audience}`);
    const expected = new Set<string>();
    for (const user of model.users.values())
      if (user.projectId === projectId && has(user, through)) expected.add(user.userKey);
    for (const user of expected.difference(members))
      findings.add('missing in a live audience', `${user} of ${audience}`);
    for (const user of members.difference(expected))
      findings.add('too many in a live audience', `${user} in ${audience}`);
  }
}
