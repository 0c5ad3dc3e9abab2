/** The vocabulary of the log: what a message is and what its fields mean. Pure types; no I/O anywhere in this folder. */

import definitions from '../../schemas/http/definitions.json' with { type: 'json' };

/** The topics of what callers send as it happens. */
export const LIVE_TOPICS = ['tidemark.identify', 'tidemark.track', 'tidemark.session'] as const;

/**
 * The topics of history (`tidemark import`), with the schemas of the live ones: a lane of its own with readers of its
 * own, so that millions of old messages hold up nothing new.
 */
export const IMPORT_TOPICS = ['tidemark.import-identify', 'tidemark.import-track'] as const;
export type ImportTopic = (typeof IMPORT_TOPICS)[number];

/** Every topic that holds messages. Receipts name them by their index: new ones come last. */
export const MESSAGE_TOPICS = [...LIVE_TOPICS, ...IMPORT_TOPICS] as const;
export type MessageTopic = (typeof MESSAGE_TOPICS)[number];

/** What a reader could not process goes here, whole, with why. */
export const DEAD_LETTER_TOPIC = 'tidemark.dead-letter';

/** The projects and their deletions, so that a log can be opened without the database that had them. */
export const PROJECT_TOPIC = 'tidemark.project';

/** What the messages of each user came to, in place of those that are deleted. */
export const SNAPSHOT_TOPIC = 'tidemark.snapshot';

/** Every topic of the log. */
export const TOPICS = [...MESSAGE_TOPICS, DEAD_LETTER_TOPIC, PROJECT_TOPIC, SNAPSHOT_TOPIC] as const;

/** What is told to other programs on Kafka. It is no part of the log: nothing reads it back, and its records expire. */
export const AUDIENCE_CHANGE_TOPIC = 'tidemark.audience-change';

/** Every topic whose records have a schema. */
export const SCHEMA_TOPICS = [...TOPICS, AUDIENCE_CHANGE_TOPIC] as const;

/** The call that brought a message in. */
export type Source =
  'identify' | 'track' | 'batch' | 'page' | 'screen' | 'group' | 'alias' | 'project-user' | 'add-event' | 'import';

/** Microseconds since 1970-01-01T00:00:00Z, negative before. A bigint: 2299 does not fit a double. */
export type Micros = bigint;

/**
 * A free-form JSON object as text: valid, duplicate keys resolved, digits untouched. Nobody parses it who does not need
 * to look inside.
 */
export type JsonText = string;

export interface Envelope {
  /** Names the message within its project, topic and user; 1 to 128 characters. */
  readonly messageId: string;
  /** Whether the caller chose `messageId` (or an Idempotency-Key): only then can a repeat come. */
  readonly messageIdGiven: boolean;
  readonly projectId: string;
  /** The internal user id: 64 hexadecimal digits, see user-key.ts. */
  readonly userKey: string;
  /** The caller's id of the user; null where only the internal id was given (add-event) or the user is anonymous. */
  readonly userId: string | null;
  /** An SDK's `anonymousId`. It names the user only where there is no user id; beside one it is recorded and read. */
  readonly anonymousId: string | null;
  /** When it took place. */
  readonly timestamp: Micros;
  /** When it arrived. */
  readonly receivedAt: Micros;
  /** 32 hexadecimal digits that totally order messages as strings compare, see version.ts. */
  readonly version: string;
  readonly source: Source;
}

/** A user's traits at a time. */
export interface Identify extends Envelope {
  readonly type: 'identify';
  readonly traits: JsonText;
  /** What an SDK knew of its surroundings; null where the call had none. */
  readonly context: JsonText | null;
  readonly originalTimestamp: Micros | null;
  readonly adjusted: JsonText | null;
}

/** Something a user did. */
export interface Track extends Envelope {
  readonly type: 'track';
  readonly event: string;
  readonly properties: JsonText;
  readonly sessionId: string | null;
  /** By the caller's clock, where that was clearly wrong and `timestamp` is the corrected time. */
  readonly originalTimestamp: Micros | null;
  /** A list of `Problem`s: what of an SDK's call was mended or left out. Null where it came as it is. */
  readonly adjusted: JsonText | null;
}

/** A session began; the user exists; its traits. */
export interface Session extends Envelope {
  readonly type: 'session';
  readonly sessionId: string;
  readonly anonymous: boolean;
  readonly traits: JsonText;
}

export type Message = Identify | Track | Session;

/** A project as it was at one time. Its keys and its secret are on no log. */
export interface ProjectRecord {
  readonly projectId: string;
  readonly name: string;
  /** Null of one that was deleted, as all of its settings. */
  readonly timezone: string | null;
  readonly rateLimit: number | null;
  readonly rateLimitBytes: bigint | null;
  readonly queryMaxMs: bigint | null;
  readonly queryMaxMemoryBytes: bigint | null;
  readonly queryMaxRows: bigint | null;
  readonly createdAt: Micros | null;
  /** Rises with every record of a project: the highest is the newest. */
  readonly revision: bigint;
  /** Outweighs every revision: a deletion is final. */
  readonly deletedAt: Micros | null;
}

/** The topic that a live message belongs to. */
export function topicOf(message: Pick<Message, 'type'>): MessageTopic {
  return TOPIC_OF[message.type];
}

// Not put together for each message: a text that is always the same one is compared and found at once.
const TOPIC_OF = { identify: 'tidemark.identify', track: 'tidemark.track', session: 'tidemark.session' } as const;

/** The topic that an imported message belongs to. */
export function importTopicOf(message: Pick<Identify | Track, 'type'>): ImportTopic {
  return `tidemark.import-${message.type}`;
}

/** What the messages of a topic are, whichever lane it belongs to. */
export function typeOf(topic: MessageTopic): Message['type'] {
  switch (topic) {
    case 'tidemark.identify':
    case 'tidemark.import-identify':
      return 'identify';
    case 'tidemark.track':
    case 'tidemark.import-track':
      return 'track';
    case 'tidemark.session':
    default:
      return 'session';
  }
}

/** Whether the topic is of the import lane. */
export function isImported(topic: string): topic is ImportTopic {
  return (IMPORT_TOPICS as readonly string[]).includes(topic);
}

/** One thing wrong with a request body. `path` is an RFC 6901 pointer to the member at fault or missing. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/**
 * The most traits that a message sets, and that a profile keeps: the newest, deletions included. The published schema
 * says it, so that callers and code have one number.
 */
export const MAX_TRAITS = definitions.$defs.traits.maxProperties;

/** A record that a reader could not process, whole, and why. */
export interface DeadLetter {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  /** What the reader could not do, in words. */
  readonly error: string;
  readonly failedAt: Micros;
  /** `projector` or `sink`. */
  readonly reader: string;
}

/** A record of `AUDIENCE_CHANGE_TOPIC`: a user entered or left a saved audience, or is to be forgotten. */
export interface AudienceChange {
  /** The same whenever the same change is written again, and no other's of this user. */
  readonly messageId: string;
  readonly endpointId: string;
  readonly projectId: string;
  /** The internal user id; '' of a test. */
  readonly userKey: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly change: 'entered' | 'left' | 'forgotten' | 'test';
  /** When the audience was evaluated; of others when they were made. */
  readonly at: Micros;
  /** Null where the change is of no audience. */
  readonly audience: { readonly id: string; readonly name: string; readonly version: number } | null;
  readonly cause: string | null;
  /** The internal id of the user whose an anonymous id is, or was, where that is the cause; else null. */
  readonly person: string | null;
  /** A JSON object; null where none are asked for. */
  readonly traits: JsonText | null;
}
