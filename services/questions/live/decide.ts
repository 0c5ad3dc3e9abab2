import type { Micros } from '../../messages/message.ts';
import { hasCode } from '../../runtime/errors.ts';
import { EventLoopYielder } from '../../runtime/event-loop-yielder.ts';
import { allSettledOrThrow } from '../../runtime/pause.ts';
import { userNumber } from '../../stores/analytics/columns.ts';
import { byShard } from '../../stores/analytics/placement.ts';
import { Steps } from '../steps.ts';
import { type Decision, decisionsOn, evaluate } from './evaluate.ts';
import type { Followed } from './followed.ts';
import { memberKey, membersAmong } from './members-among.ts';
import { type Person, personsOf } from '../one-user/person.ts';
import { readUsers, type UserState } from '../one-user/read-users.ts';
import type { RowReader } from '../one-user/user-events-query.ts';

/** A user who is to enter an audience, or to leave it. */
export interface Turn {
  readonly followed: Followed;
  readonly userKey: string;
  readonly change: 'entered' | 'left';
  /** The internal id of the person whose the user is, where ids are joined; else null. */
  readonly joinedTo: string | null;
}

export interface DecideParts {
  /** Asks the analytics of the project's live generation. */
  readonly ask: RowReader['ask'];
  /** Asks the history of audiences. */
  readonly askHistory: RowReader['ask'];
  /** Whether a user is a member, by `memberKey`, where the history may not have it yet. */
  readonly unwritten: ReadonlyMap<string, boolean>;
  /** Over how many shards the rows of users are spread. */
  readonly shards: number;
}

export interface Decided {
  readonly changes: readonly Turn[];
  /** Audiences of which a user cannot be decided here: too many events. */
  readonly undecided: ReadonlySet<Followed>;
}

const USERS_OF_QUESTION = 500;

// Requests have a thread of their own. What takes turns here are the readers, and a turn of theirs may be a statement of
// PGlite: with a turn after every 2 ms, to decide 158 users took up to 2.7 s under 500 events/s (measured).
const YIELD_AFTER_MS = 20;

/** Which audiences each user is to be decided for: all of one project. */
export type Candidates = ReadonlyMap<string, ReadonlySet<Followed>>;

/**
 * Decides users of a project at one instant, and notes in their audiences when they are due next.
 *
 * @throws What asking throws.
 */
export async function decideAll(
  parts: DecideParts,
  projectId: string,
  given: Candidates,
  now: Micros,
): Promise<Decided> {
  const decided = { changes: [] as Turn[], undecided: new Set<Followed>() };
  const of = await withPersons(parts, projectId, given);
  // The rows of joined ids may be on any shard.
  const shards = byShard([...of.candidates.keys()], of.persons.size > 0 ? 1 : parts.shards);
  await allSettledOrThrow(
    shards.map(({ shard, users }) => {
      const ask: RowReader['ask'] = (query) => parts.ask({ ...query, shard });
      return decideOn({ ...parts, ...of, ask, projectId, now }, users, decided);
    }),
  );
  return decided;
}

interface ShardParts extends Omit<DecideParts, 'shards'>, CandidatePersons {
  readonly projectId: string;
  readonly now: Micros;
}

/** Decides users whose rows are on one shard. */
async function decideOn(
  { candidates, persons, projectId, now, ...parts }: ShardParts,
  all: readonly string[],
  { changes, undecided }: { readonly changes: Turn[]; readonly undecided: Set<Followed> },
): Promise<void> {
  const waiting = slicesOf(all, USERS_OF_QUESTION);
  for (let users = waiting.pop(); users !== undefined; users = waiting.pop()) {
    const followed = new Set(users.flatMap((user) => [...(candidates.get(user) ?? [])]));
    const conditions = [...new Set([...followed].flatMap((one) => one.conditions))];
    const joined = new Map(
      users.filter((user) => isPerson(persons, user)).map((user) => [user, joinedIn(persons, user)]),
    );
    const wanted = { projectId, users: [...joined.keys()], conditions, now, joined };
    try {
      const [states, members] = await Promise.all([
        readUsers({ ask: parts.ask, yieldAfterMs: YIELD_AFTER_MS }, wanted),
        membersAmong(parts.askHistory, projectId, [...followed], users.map(userNumber)),
      ]);
      const isMember = (key: string): boolean => parts.unwritten.get(key) ?? members.has(key);
      await decideSlice({ users, candidates, persons, states, isMember, now }, changes, undecided);
    } catch (error) {
      if (!hasCode(error, 'QUERY_LIMIT')) throw error;
      if (users.length === 1) for (const one of followed) undecided.add(one);
      else waiting.push(...slicesOf(users, Math.ceil(users.length / 2)));
    }
  }
}

interface CandidatePersons {
  readonly candidates: Candidates;
  /** By an internal id the person whose it is. Left out where ids are not joined. */
  readonly persons: ReadonlyMap<string, Person>;
}

/** Whoever has a joined id is a candidate for what that id is one for: the id itself is in no audience any more. */
async function withPersons({ ask }: DecideParts, projectId: string, given: Candidates): Promise<CandidatePersons> {
  const joining = new Set(
    [...given].flatMap(([user, of]) => ([...of].some(({ by }) => by?.joins === true) ? user : [])),
  );
  const persons = new Map<string, Person>();
  for (const users of slicesOf([...joining], USERS_OF_QUESTION))
    for (const [user, person] of await personsOf({ ask }, projectId, users)) persons.set(user, person);
  const candidates = new Map(given);
  for (const [user, person] of persons) {
    if (user === person.userKey) continue;
    persons.set(person.userKey, person);
    const both = [...(candidates.get(person.userKey) ?? []), ...(given.get(user) ?? [])];
    candidates.set(person.userKey, new Set(both));
  }
  return { candidates, persons };
}

function isPerson(persons: CandidatePersons['persons'], user: string): boolean {
  return (persons.get(user)?.userKey ?? user) === user;
}

function joinedIn(persons: CandidatePersons['persons'], user: string): readonly string[] {
  return persons.get(user)?.joined ?? [];
}

interface Slice extends CandidatePersons {
  readonly users: readonly string[];
  /** Joined ids have none; null of a user who takes too many steps. */
  readonly states: ReadonlyMap<string, UserState | null>;
  /** By `memberKey`. */
  readonly isMember: (key: string) => boolean;
  readonly now: Micros;
}

async function decideSlice(
  { users, candidates, persons, states, isMember, now }: Slice,
  changes: Turn[],
  undecided: Set<Followed>,
): Promise<void> {
  const yielder = new EventLoopYielder(YIELD_AFTER_MS);
  const nothing = { projectId: '', traits: new Map(), events: new Map(), userKey: '', now, steps: new Steps() };
  const withoutEvents = decisionsOn(nothing);
  for (const userKey of users) {
    const state = states.get(userKey);
    const decide = state && decisionsOn({ ...state, userKey, now }, withoutEvents);
    for (const followed of candidates.get(userKey) ?? []) {
      if (yielder.isOver()) await yielder.next();
      const decision = state === undefined ? OUT : decide && decisionOf(followed, decide);
      if (!decision) {
        undecided.add(followed);
        continue;
      }
      followed.note(userKey, decision.due);
      const wasMember = isMember(memberKey(followed.id, userNumber(userKey)));
      if (decision.isMet === wasMember) continue;
      const joinedTo = state === undefined ? (persons.get(userKey)?.userKey ?? null) : null;
      changes.push({ followed, userKey, change: wasMember ? 'left' : 'entered', joinedTo });
    }
  }
}

const OUT: Decision = { isMet: false, due: null };

/** Undefined where it would take too many steps. */
function decisionOf({ by }: Followed, decide: ReturnType<typeof decisionsOn>) {
  try {
    return by && evaluate(by.definition, decide);
  } catch (error) {
    if (hasCode(error, 'QUERY_LIMIT')) return undefined;
    throw error;
  }
}

function slicesOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
