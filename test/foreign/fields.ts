import { Temporal } from 'temporal-polyfill';
import type { AudienceChange, DeadLetter, Message, Micros } from '../../services/messages/message.ts';

/** How a foreign program shows what is not text or truth. */
export interface Notation {
  readonly time: (micros: Micros) => unknown;
}

/** What a foreign program must find in a message's record, field by field. */
export function fieldsOf(message: Message, { time }: Notation): Record<string, unknown> {
  return {
    message_id: message.messageId,
    message_id_given: message.messageIdGiven,
    project_id: message.projectId,
    user_key: message.userKey,
    user_id: message.userId,
    anonymous_id: message.anonymousId,
    timestamp: time(message.timestamp),
    received_at: time(message.receivedAt),
    version: message.version,
    source: message.source,
    ...ownFieldsOf(message, { time }),
  };
}

export function deadLetterFieldsOf(deadLetter: DeadLetter, { time }: Notation): Record<string, unknown> {
  return {
    topic: deadLetter.topic,
    partition: deadLetter.partition,
    offset: deadLetter.offset,
    key: Buffer.from(deadLetter.key).toString('base64'),
    value: Buffer.from(deadLetter.value).toString('base64'),
    error: deadLetter.error,
    failed_at: time(deadLetter.failedAt),
    reader: deadLetter.reader,
  };
}

export function changeFieldsOf(change: AudienceChange, { time }: Notation): Record<string, unknown> {
  return {
    message_id: change.messageId,
    endpoint_id: change.endpointId,
    project_id: change.projectId,
    user_key: change.userKey,
    user_id: change.userId,
    anonymous_id: change.anonymousId,
    change: change.change,
    at: time(change.at),
    audience_id: change.audience?.id ?? null,
    audience_name: change.audience?.name ?? null,
    audience_version: change.audience?.version ?? null,
    cause: change.cause,
    person: change.person,
    traits: change.traits,
  };
}

/** As Python writes it: microseconds always, +00:00 for UTC. */
export function isoOf(micros: Micros): string {
  const instant = Temporal.Instant.fromEpochNanoseconds(micros * 1000n);
  return instant.toString({ fractionalSecondDigits: 6 }).replace('Z', '+00:00');
}

function ownFieldsOf(message: Message, { time }: Notation): Record<string, unknown> {
  const original = (micros: Micros | null): unknown => (micros === null ? null : time(micros));
  switch (message.type) {
    case 'identify':
      return {
        traits: message.traits,
        context: message.context,
        original_timestamp: original(message.originalTimestamp),
        adjusted: message.adjusted,
      };
    case 'track':
      return {
        event: message.event,
        session_id: message.sessionId,
        properties: message.properties,
        original_timestamp: original(message.originalTimestamp),
        adjusted: message.adjusted,
      };
    case 'session':
    default:
      return { session_id: message.sessionId, anonymous: message.anonymous, traits: message.traits };
  }
}
