/** From what a caller sent to a message, and to the record that goes on the log: named, dated, keyed, encoded. Pure. */
import type { Codec } from './codec.ts';
import type { Draft } from './draft.ts';
import {
  type Identify,
  type Message,
  type MessageTopic,
  type Micros,
  type Session,
  type Source,
  topicOf,
  type Track,
} from './message.ts';
import { anonymousKeyOf, partitionKeyOf, userKeyOf } from './user-key.ts';
import { versionOf } from './version.ts';

type StampField = 'messageId' | 'messageIdGiven' | 'projectId' | 'timestamp' | 'receivedAt' | 'version';

interface Unstamped {
  /** Null: the service names it. */
  readonly messageId: string | null;
  /** Null: when it arrived. */
  readonly timestamp: Micros | null;
}

/** A message as its caller gave it, still to be named and dated. */
export type Arrival =
  | (Omit<Identify, StampField> & Unstamped)
  | (Omit<Track, StampField> & Unstamped)
  | (Omit<Session, StampField> & Unstamped);

/** What the service says of an arrival. */
export interface Stamp {
  readonly projectId: string;
  readonly messageId: string;
  /** Whether that id would be the same if the request were sent again. */
  readonly messageIdGiven: boolean;
  readonly receivedAt: Micros;
  /** Bits of the process that took it in, see version.ts. */
  readonly processBits: number;
}

export function arrivalOf(
  projectId: string,
  draft: Draft,
  source: Source,
): Exclude<Arrival, { readonly type: 'session' }> {
  const { userId, anonymousId } = draft;
  const adjusted = draft.adjusted && JSON.stringify(draft.adjusted);
  const userKey = userId === null ? anonymousKeyOf(projectId, anonymousId ?? '') : userKeyOf(projectId, userId);
  return draft.type === 'track'
    ? { ...draft, userKey, source, sessionId: null, adjusted }
    : { ...draft, userKey, source, adjusted };
}

export function stamped<T extends Arrival>(arrival: T, stamp: Stamp): Extract<Message, { readonly type: T['type'] }>;
export function stamped(arrival: Arrival, { processBits, ...stamp }: Stamp): Message {
  const timestamp = arrival.timestamp ?? stamp.receivedAt;
  return { ...arrival, ...stamp, timestamp, version: versionOf(timestamp, stamp.receivedAt, processBits) };
}

/** What the log takes of a message. */
export interface MessageRecord {
  readonly topic: MessageTopic;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** @param topic Where it is to stand; that of live messages of its type where left out. */
export function encoded(message: Message, codec: Pick<Codec, 'encode'>, topic = topicOf(message)): MessageRecord {
  return { topic, key: partitionKeyOf(message), value: codec.encode(message, topic) };
}

/** How many messages of each type. */
export type MessageCounts = Readonly<Record<Message['type'], number>>;

export function countByType(messages: readonly Message[]): MessageCounts {
  const counts = { identify: 0, track: 0, session: 0 };
  for (const { type } of messages) counts[type]++;
  return counts;
}
