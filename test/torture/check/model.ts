/**
 * What Postgres and ClickHouse must hold, folded from the log one message after another, as plainly as it can be said. It
 * shares no code with the readers: an error of theirs must not be repeated here.
 */
import type { MessageTopic } from '../../../services/messages/message.ts';
import { canonical, fingerprint } from './canonical.ts';

/** A message as the log holds it. */
export interface LoggedMessage {
  readonly topic: MessageTopic;
  readonly partition: number;
  readonly offset: bigint;
  readonly messageId: string;
  readonly messageIdGiven: boolean;
  readonly projectId: string;
  readonly userKey: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly timestamp: bigint;
  readonly receivedAt: bigint;
  readonly version: string;
  readonly source: string;
  /** JSON text of the traits or properties. */
  readonly content: string;
  readonly event: string | null;
  readonly sessionId: string | null;
  readonly anonymous: boolean | null;
}

export interface ModelTrait {
  /** Canonical; null where it is deleted. */
  readonly value: string | null;
  readonly version: string;
}

/** The first copy of a message on a day. */
export interface ModelEvent {
  readonly name: string;
  readonly messageId: string;
  readonly timestamp: bigint;
}

export interface ModelUser {
  readonly projectId: string;
  readonly userKey: string;
  userId: string | null;
  anonymousId: string | null;
  firstSeen: bigint;
  lastSeen: bigint;
  anonymous: { readonly value: boolean; readonly version: string } | null;
  readonly traits: Map<string, ModelTrait>;
  readonly events: ModelEvent[];
  /** The anonymous ids that came beside the user id, and the time of the last message with each. */
  /** Anonymous id → the version of the first message that gave it beside the user id. */
  readonly seenWith: Map<string, string>;
}

export class Model {
  readonly users = new Map<string, ModelUser>();
  /** Fingerprints of what each event must read like, by `eventKey`. */
  readonly events = new Map<string, string>();
  /** The same of sessions, by `sessionKey`. */
  readonly sessions = new Map<string, string>();
  readonly #applied = new Set<string>();

  /** Records of one partition must come in their order. */
  add(message: LoggedMessage): void {
    const isTrack = message.topic.endsWith('track');
    if (!isTrack && message.messageIdGiven && !this.#isFirst(message)) return;
    this.#seeUser(message);
    if (isTrack) this.#addEvent(message);
    if (message.topic === 'tidemark.session') this.#addSession(message);
    if (!isTrack) this.#setTraits(message);
  }

  user(projectId: string, userKey: string): ModelUser | undefined {
    return this.users.get(`${projectId}/${userKey}`);
  }

  #isFirst({ topic, projectId, userKey, messageId }: LoggedMessage): boolean {
    const identity = fingerprint([topic, projectId, userKey, messageId]);
    if (this.#applied.has(identity)) return false;
    this.#applied.add(identity);
    return true;
  }

  #addEvent(message: LoggedMessage): void {
    const key = eventKey({ ...message, event: message.event ?? '' });
    if (this.events.has(key)) return;
    const { timestamp, receivedAt, sessionId, source, content, partition, offset } = message;
    const { projectId, userKey, messageId, event } = message;
    this.user(projectId, userKey)?.events.push({ name: event ?? '', messageId, timestamp });
    this.events.set(
      key,
      fingerprint([timestamp, receivedAt, sessionId ?? '', source, canonical(content), BigInt(partition), offset]),
    );
  }

  #addSession(message: LoggedMessage): void {
    const key = sessionKey(message);
    if (this.sessions.has(key)) return;
    const { sessionId, timestamp, receivedAt, anonymous, version } = message;
    this.sessions.set(key, fingerprint([sessionId, timestamp, receivedAt, anonymous, version]));
  }

  #seeUser({ projectId, userKey, userId, anonymousId, timestamp, anonymous, version }: LoggedMessage): void {
    const name = `${projectId}/${userKey}`;
    let user = this.users.get(name);
    if (user === undefined) {
      const times = { firstSeen: timestamp, lastSeen: timestamp };
      const nothing = { userId: null, anonymousId: null, anonymous: null };
      user = { projectId, userKey, ...nothing, ...times, traits: new Map(), events: [], seenWith: new Map() };
      this.users.set(name, user);
    }
    if (userId !== null) user.userId = userId;
    if (userId === null && anonymousId !== null) user.anonymousId = anonymousId;
    if (userId !== null && anonymousId !== null) {
      const known = user.seenWith.get(anonymousId);
      if (known === undefined || isNewer(known, version)) user.seenWith.set(anonymousId, version);
    }
    if (timestamp < user.firstSeen) user.firstSeen = timestamp;
    if (timestamp > user.lastSeen) user.lastSeen = timestamp;
    if (anonymous !== null && (user.anonymous === null || isNewer(version, user.anonymous.version))) {
      user.anonymous = { value: anonymous, version };
    }
  }

  #setTraits({ projectId, userKey, content, version }: LoggedMessage): void {
    const traits = this.user(projectId, userKey)?.traits;
    for (const [trait, value] of membersOf(content)) {
      const known = traits?.get(trait);
      if (known === undefined || isNewer(version, known.version)) traits?.set(trait, { value, version });
    }
  }
}

/** Traits that a profile keeps at most, deleted ones too. ClickHouse keeps all. */
const KEPT_TRAITS = 10_000;

/** What Postgres keeps of a user's traits: the newest, and of one version those whose names have the lower bytes. */
export function keptTraits({ traits }: ModelUser): readonly (readonly [string, ModelTrait])[] {
  const byNewest = [...traits].sort(([a, x], [b, y]) => {
    if (x.version === y.version) return Buffer.compare(Buffer.from(a), Buffer.from(b));
    return isNewer(x.version, y.version) ? -1 : 1;
  });
  return byNewest.slice(0, KEPT_TRAITS);
}

const KEPT_ANONYMOUS_IDS = 100;

/** What Postgres keeps of these: the first, and of one version those with the lower bytes. As texts, in the order of texts. */
export function keptSightings({ seenWith }: ModelUser): readonly string[] {
  const byFirst = [...seenWith].sort(([a, x], [b, y]) => {
    if (x === y) return Buffer.compare(Buffer.from(a), Buffer.from(b));
    return isNewer(y, x) ? -1 : 1;
  });
  return byFirst
    .slice(0, KEPT_ANONYMOUS_IDS)
    .map(([id, version]) => `${id} ${version}`)
    .sort();
}

/** ClickHouse names users by the first half of their key. */
export function userNumberOf(userKey: string): string {
  return BigInt(`0x${userKey.slice(0, 32)}`).toString();
}

interface EventIdentity {
  readonly projectId: string;
  readonly event: string;
  readonly timestamp: bigint;
  readonly userKey: string;
  readonly messageId: string;
}

/** Copies of one UTC day are one event. */
export function eventKey({ userKey, ...rest }: EventIdentity): string {
  return eventKeyOf({ ...rest, user: userNumberOf(userKey) });
}

export function eventKeyOf(identity: Omit<EventIdentity, 'userKey'> & { readonly user: string }): string {
  const { projectId, event, timestamp, user, messageId } = identity;
  const day = new Date(Number(timestamp / 1000n) - (timestamp % 1000n < 0n ? 1 : 0)).toISOString().slice(0, 10);
  return fingerprint([projectId, event, day, user, messageId]);
}

export function sessionKey({ projectId, userKey, messageId }: Omit<EventIdentity, 'event' | 'timestamp'>): string {
  return sessionKeyOf(projectId, userNumberOf(userKey), messageId);
}

export function sessionKeyOf(projectId: string, user: string, messageId: string): string {
  return fingerprint([projectId, user, messageId]);
}

/** The version that the message's times make, less the process's bits. */
export function versionOfTimes(timestamp: bigint, receivedAt: bigint): bigint {
  const since1900 = (micros: bigint): bigint => micros + 2_208_988_800_000_000n;
  const time = timestamp > receivedAt ? receivedAt : timestamp;
  return since1900(time) * 2n ** 54n + since1900(receivedAt);
}

function isNewer(version: string, than: string): boolean {
  return BigInt(`0x${version}`) > BigInt(`0x${than}`);
}

/** Each member of a JSON object as canonical text; null where it says null. */
export function membersOf(content: string): ReadonlyMap<string, string | null> {
  const value = JSON.parse(content, (_key, member: unknown, { source }: { source?: string }) =>
    typeof member === 'number' ? JSON.rawJSON(source ?? String(member)) : member,
  ) as object;
  const members = Object.entries(value).map(([key, member]: [string, unknown]) => {
    return [key, member === null ? null : canonical(JSON.stringify(member))] as const;
  });
  return new Map(members);
}
