import type { NewRecord } from '../event-log/event-log.ts';
import type { Codec } from '../messages/codec.ts';
import type { Draft } from '../messages/draft.ts';
import { type Identify, importTopicOf, type Track } from '../messages/message.ts';
import { importedMessageId } from '../messages/message-id.ts';
import { anonymousKeyOf, partitionKeyOf, userKeyOf } from '../messages/user-key.ts';
import { versionOf } from '../messages/version.ts';
import type { RawRecord } from './record.ts';

/** What all messages of an import have in common: kept with its state, so that a repeat is the same byte for byte. */
export interface Stamp {
  readonly projectId: string;
  readonly importId: string;
  readonly begunAtMicros: number;
  readonly processBits: number;
}

/**
 * The message of a record: a pure function, so that a record read again after a kill makes the same message, and its
 * repeat changes nothing. Its time of arrival is that of the import's beginning and a microsecond a line, so that lines
 * keep their order.
 */
export function importedMessage(draft: Draft, { line, bytes }: RawRecord, stamp: Stamp): Identify | Track {
  const { projectId, importId, begunAtMicros, processBits } = stamp;
  const receivedAt = BigInt(begunAtMicros + line);
  const timestamp = draft.timestamp ?? receivedAt;
  const common = {
    messageId: draft.messageId ?? importedMessageId(projectId, importId, line, bytes),
    // Whoever chose it: a repeat can come.
    messageIdGiven: true,
    projectId,
    userKey:
      draft.userId === null ? anonymousKeyOf(projectId, draft.anonymousId ?? '') : userKeyOf(projectId, draft.userId),
    timestamp,
    receivedAt,
    version: versionOf(timestamp, receivedAt, processBits),
    source: 'import',
  } as const;
  return draft.type === 'track' ? { ...draft, ...common, sessionId: null } : { ...draft, ...common };
}

export function importedRecord(message: Identify | Track, codec: Pick<Codec, 'encode'>): NewRecord {
  const topic = importTopicOf(message);
  return { topic, key: partitionKeyOf(message), value: codec.encode(message, topic) };
}
