/** What an import makes of a line. Pure. */
import type { NewRecord } from '../../event-log/event-log.ts';
import { arrivalOf, encoded, type MessageRecord, stamped } from '../../messages/arrival.ts';
import type { Codec } from '../../messages/codec.ts';
import type { Draft } from '../../messages/draft.ts';
import { type Identify, importTopicOf, type Track } from '../../messages/message.ts';
import { importedMessageId } from '../../messages/message-id.ts';
import type { ImportTask } from './begin.ts';
import type { ReadRecord } from './record-reader.ts';
import type { RawRecord } from './record.ts';
import type { ImportState } from './state.ts';

/**
 * A pure function of file and state: a line read again after a kill makes the same message, whose repeat changes nothing.
 * Lines arrive a microsecond apart, from the import's beginning on, so that they keep their order.
 *
 * A profile that does not say as of when it is must not be newer than what was sent meanwhile.
 */
export function importedMessage(
  { project: projectId, profilesAsOf }: Pick<ImportTask, 'project' | 'profilesAsOf'>,
  draft: Draft,
  { line, bytes }: RawRecord,
  { importId, begunAtMicros, processBits, files }: ImportState,
): Identify | Track {
  const timestamp = draft.timestamp ?? (draft.type === 'identify' ? (profilesAsOf ?? null) : null);
  return stamped(arrivalOf(projectId, { ...draft, timestamp }, 'import'), {
    projectId,
    messageId: draft.messageId ?? importedMessageId(projectId, importId, line, bytes),
    // Whoever chose it: a repeat can come.
    messageIdGiven: true,
    receivedAt: BigInt(begunAtMicros + (files?.lines ?? 0) + line),
    processBits,
  });
}

/** @param codec Undefined where nobody reads it. */
export function importedRecord(message: Identify | Track, codec: Pick<Codec, 'encode'> | undefined): MessageRecord {
  return encoded(message, codec ?? NO_CODEC, importTopicOf(message));
}

const NO_CODEC: Pick<Codec, 'encode'> = { encode: () => new Uint8Array() };

/** What is to be appended, and reported, next. */
export class Portion {
  readonly records: NewRecord[] = [];
  bytes = 0;
  refused = 0;
  dropped = 0;
  untimed = 0;
  report = '';
  last: ReadRecord | undefined;

  add(record: NewRecord, isUntimed: boolean): void {
    this.records.push(record);
    this.bytes += record.value.byteLength;
    if (isUntimed) this.untimed += 1;
  }
}

export function sums(portions: readonly Portion[]): [records: number, bytes: number, untimed: number] {
  const sum = (of: (portion: Portion) => number): number => portions.reduce((total, each) => total + of(each), 0);
  return [sum(({ records }) => records.length), sum(({ bytes }) => bytes), sum(({ untimed }) => untimed)];
}
