import type { Message, Micros } from '../../messages/message.ts';
import { ownAnonymousIdOf } from '../../messages/user-key.ts';
import { sightingsOf } from '../../messages/sdk/sightings.ts';
import { EventLoopYielder } from '../../runtime/event-loop-yielder.ts';
import type { UserSeen } from '../../stores/analytics/columns.ts';
import { type ErasedUser, EVERYBODY } from '../../stores/erasures/erased-users.ts';

/** Users of messages and when they were seen: one row for each user, however many messages. */
export class UsersSeen {
  // By project, then by user: no key is composed for each message.
  readonly #projects = new Map<string, Map<string, UserSeen>>();

  see(message: Message): void {
    const { projectId, userKey, userId, timestamp, version } = message;
    const anonymousId = ownAnonymousIdOf(message);
    const users = this.#usersOf(projectId);
    let known = users.get(userKey);
    if (known === undefined) {
      const times = { firstSeen: timestamp, lastSeen: timestamp };
      users.set(userKey, (known = { projectId, userKey, userId, anonymousId, ...times, sightings: null }));
    } else {
      fold(known, userId, anonymousId, timestamp, timestamp);
    }
    for (const id of sightingsOf(message)) addSighting(known, id, version);
  }

  /** Whether this user is among them; with `EVERYBODY`, whether anybody of the project is. */
  has({ projectId, userKey }: ErasedUser): boolean {
    const users = this.#projects.get(projectId);
    return users !== undefined && (userKey === EVERYBODY || users.has(userKey));
  }

  *users(): Generator<UserSeen> {
    for (const users of this.#projects.values()) yield* users.values();
  }

  /**
   * Merges several into one, which then shares their objects: they may be merged again, but not added to. Yields to the
   * event loop every 2 ms.
   */
  static async merge(several: readonly UsersSeen[]): Promise<UsersSeen> {
    const [merged = new UsersSeen(), ...others] = several;
    const yielder = new EventLoopYielder();
    for (const seen of others) {
      for (const users of seen.#projects.values()) {
        for (const user of users.values()) {
          if (yielder.isOver()) await yielder.next();
          merged.#add(user);
        }
      }
    }
    return merged;
  }

  #add(other: UserSeen): void {
    const users = this.#usersOf(other.projectId);
    const known = users.get(other.userKey);
    if (known === undefined) users.set(other.userKey, other);
    else {
      fold(known, other.userId, other.anonymousId, other.firstSeen, other.lastSeen);
      for (const [id, version] of other.sightings ?? []) addSighting(known, id, version);
    }
  }

  #usersOf(projectId: string): Map<string, UserSeen> {
    let users = this.#projects.get(projectId);
    if (users === undefined) {
      users = new Map();
      this.#projects.set(projectId, users);
    }
    return users;
  }
}

/** Adds to what is known of a user. Takes the values one by one, so that no object is made for each message. */
function fold(known: UserSeen, userId: string | null, anonymousId: string | null, first: Micros, last: Micros): void {
  known.userId ??= userId;
  known.anonymousId ??= anonymousId;
  if (first < known.firstSeen) known.firstSeen = first;
  if (last > known.lastSeen) known.lastSeen = last;
}

function addSighting(known: UserSeen, anonymousId: string, version: string): void {
  const sightings = (known.sightings ??= new Map<string, string>());
  const first = sightings.get(anonymousId);
  if (first === undefined || version < first) sightings.set(anonymousId, version);
}
