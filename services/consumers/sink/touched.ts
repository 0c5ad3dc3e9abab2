/** Whom an insert wrote about, for those who follow what analytics holds. */
import { splitObject } from '../../messages/json.ts';
import type { Message } from '../../messages/message.ts';
import { EventLoopYielder } from '../../runtime/event-loop-yielder.ts';
import type { JoinChange } from '../../stores/analytics/joins.ts';
import type { UsersSeen } from './users-seen.ts';

/** A user whom an insert wrote about. Plain data. */
export interface TouchedUser {
  readonly projectId: string;
  readonly userKey: string;
  /** What was written. Null: it may have been anything. */
  readonly names: TouchedNames | null;
  /** How whose an anonymous id is has changed for the user; left out or null where it has not. */
  readonly joinChange?: JoinChange | null;
}

export interface TouchedNames {
  readonly events: ReadonlySet<string>;
  readonly traits: ReadonlySet<string>;
}

/** Somebody who follows what analytics holds. */
export interface InsertFollower {
  /**
   * Whether inserts are wanted, as far as it is known when a batch is begun: then they are made sooner, and names are
   * collected. Called often; it must not throw.
   */
  readonly wants: () => boolean;
  /**
   * Called once all of an insert is there, so that whoever asks analytics then finds it. Where it rejects it is called again.
   * That an insert is there may not be noted yet, so that after a crash it may be inserted again, and told again.
   *
   * @param users Makes the list of whom it is about, for who wants it. A user may be named more than once.
   */
  readonly inserted: (users: () => Promise<readonly TouchedUser[]>) => Promise<void>;
}

interface Names extends TouchedNames {
  readonly events: Set<string>;
  readonly traits: Set<string>;
}

/** Collects the names of events and traits by user. */
export class Touched {
  // By project, then by user: no key is composed for each message.
  readonly #projects = new Map<string, Map<string, Names>>();

  add(message: Message): void {
    const names = this.#namesOf(message);
    if (message.type === 'track') names.events.add(message.event);
    else for (const trait of splitObject(message.traits).keys()) names.traits.add(trait);
  }

  *users(): Generator<TouchedUser> {
    for (const [projectId, users] of this.#projects)
      for (const [userKey, names] of users) yield { projectId, userKey, names };
  }

  #namesOf({ projectId, userKey }: Message): Names {
    let users = this.#projects.get(projectId);
    if (users === undefined) this.#projects.set(projectId, (users = new Map<string, Names>()));
    let names = users.get(userKey);
    if (names === undefined) users.set(userKey, (names = { events: new Set(), traits: new Set() }));
    return names;
  }
}

/** What was read of one partition: its users, and their names where these were collected. */
export interface ReadUsers {
  readonly seen: UsersSeen;
  readonly touched: Touched | null;
}

/** The users of what was read and of further messages. Yields to the event loop every 2 ms. */
export async function touchedUsers(
  read: readonly ReadUsers[],
  messages: readonly Message[],
): Promise<readonly TouchedUser[]> {
  const yielder = new EventLoopYielder();
  const users: TouchedUser[] = [];
  const further = new Touched();
  for (const message of messages) {
    if (yielder.isOver()) await yielder.next();
    further.add(message);
  }
  for (const { seen, touched } of [...read, { seen: null, touched: further }]) {
    for (const user of touched?.users() ?? unnamed(seen)) {
      if (yielder.isOver()) await yielder.next();
      users.push(user);
    }
  }
  return users;
}

function* unnamed(seen: UsersSeen | null): Generator<TouchedUser> {
  for (const { projectId, userKey } of seen?.users() ?? []) yield { projectId, userKey, names: null };
}
