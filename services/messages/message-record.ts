/** Messages ⇄ the Avro records of schemas/messages. */

import type { DeadLetter } from './dead-letter.ts';
import { isHex } from './hex.ts';
import { type Envelope, type Message, type MessageTopic, type Micros, type Source, typeOf } from './message.ts';
import { EARLIEST, END_OF_TIME } from './timestamp.ts';

interface EnvelopeRecord {
  readonly message_id: string;
  readonly message_id_given: boolean;
  readonly project_id: string;
  readonly user_key: string;
  readonly user_id: string | null;
  readonly anonymous_id: string | null;
  readonly timestamp: Micros;
  readonly received_at: Micros;
  readonly version: string;
  readonly source: string;
}

interface IdentifyRecord extends EnvelopeRecord {
  readonly traits: string;
}

interface TrackRecord extends EnvelopeRecord {
  readonly event: string;
  readonly session_id: string | null;
  readonly properties: string;
}

interface SessionRecord extends EnvelopeRecord {
  readonly session_id: string;
  readonly anonymous: boolean;
  readonly traits: string;
}

interface DeadLetterRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly error: string;
  readonly failed_at: Micros;
  readonly reader: string;
}

export function recordOf(message: Message): IdentifyRecord | TrackRecord | SessionRecord {
  switch (message.type) {
    case 'identify':
      return { ...envelopeRecordOf(message), traits: message.traits };
    case 'track': {
      const { event, sessionId, properties } = message;
      return { ...envelopeRecordOf(message), event, session_id: sessionId, properties };
    }
    case 'session':
    default: {
      const { sessionId, anonymous, traits } = message;
      return { ...envelopeRecordOf(message), session_id: sessionId, anonymous, traits };
    }
  }
}

/** The message of a record of this topic's current schema; undefined where the door could not have made it. */
export function messageOf(topic: MessageTopic, record: unknown): Message | undefined {
  const envelope = envelopeOf(record as EnvelopeRecord);
  if (!isPlausible(envelope)) return undefined;
  switch (typeOf(topic)) {
    case 'identify':
      return { ...envelope, type: 'identify', traits: (record as IdentifyRecord).traits };
    case 'track': {
      const { event, session_id, properties } = record as TrackRecord;
      return { ...envelope, type: 'track', event, sessionId: session_id, properties };
    }
    case 'session':
    default: {
      const { session_id, anonymous, traits } = record as SessionRecord;
      return { ...envelope, type: 'session', sessionId: session_id, anonymous, traits };
    }
  }
}

export function deadLetterRecordOf({ failedAt, key, value, ...rest }: DeadLetter): DeadLetterRecord {
  return {
    ...rest,
    key: Buffer.from(key),
    value: Buffer.from(value),
    error: rest.error.toWellFormed(),
    failed_at: failedAt,
  };
}

export function deadLetterOf(record: unknown): DeadLetter {
  const { topic, partition, offset, key, value, error, failed_at, reader } = record as DeadLetterRecord;
  return {
    topic,
    partition,
    offset,
    key: new Uint8Array(key),
    value: new Uint8Array(value),
    error,
    failedAt: failed_at,
    reader,
  };
}

function envelopeRecordOf(message: Envelope): EnvelopeRecord {
  return {
    message_id: message.messageId,
    message_id_given: message.messageIdGiven,
    project_id: message.projectId,
    user_key: message.userKey,
    user_id: message.userId,
    anonymous_id: message.anonymousId,
    timestamp: message.timestamp,
    received_at: message.receivedAt,
    version: message.version,
    source: message.source,
  };
}

function envelopeOf(record: EnvelopeRecord): Envelope {
  return {
    messageId: record.message_id,
    messageIdGiven: record.message_id_given,
    projectId: record.project_id,
    userKey: record.user_key,
    userId: record.user_id,
    anonymousId: record.anonymous_id,
    timestamp: record.timestamp,
    receivedAt: record.received_at,
    version: record.version,
    source: record.source as Source,
  };
}

/** What the stores build on and Avro cannot say: without it a foreign writer's record would go wrong in there, silently. */
function isPlausible({ userKey, version, timestamp, receivedAt }: Envelope): boolean {
  return (
    isHex(userKey, 64) &&
    isHex(version, 32) &&
    timestamp >= EARLIEST &&
    timestamp < END_OF_TIME &&
    receivedAt >= EARLIEST &&
    receivedAt < END_OF_TIME
  );
}
