/** Finds the records of people who were forgotten on the log. */
import { wholeRanges } from '../../event-log/deleted-records.ts';
import type { EventLog, LogRecord, PartitionRecords } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import { hourOf } from '../../messages/day-and-hour.ts';
import { DEAD_LETTER_TOPIC, type Message, type Micros, SNAPSHOT_TOPIC } from '../../messages/message.ts';
import type { CommandCall } from '../../runtime/command.ts';
import { EventLoopYielder } from '../../runtime/event-loop-yielder.ts';
import type { BlankedRecord } from '../../stores/erasures/blanked-records.ts';
import { type ErasedUsers, erasedNameOf, mayBeLeftOut, userNamed } from '../../stores/erasures/erased-users.ts';
import { LOG_TOPICS, placesBy } from '../../stores/erasures/places.ts';
import { letterIn, unlessUndecodable } from '../dead-letters/letters-on-log.ts';

/** The topics whose records are people's. A dead letter has the key of its message. */
export const PERSONAL_TOPICS = placesBy(LOG_TOPICS, 'records');

export interface ForgottenRecord extends BlankedRecord {
  /** Whose it is, or which event, as in `ErasedUsers`. */
  readonly name: string;
}

export interface FindParts {
  readonly log: Pick<EventLog, 'scan' | 'beginnings' | 'ends'>;
  readonly codec: Pick<Codec, 'prepare' | 'decode' | 'decodeDeadLetter' | 'decodeSnapshot'>;
}

const READ_AT_ONCE = { maxRecords: 10_000, maxBytes: 8 * 2 ** 20 };

/**
 * Reads the log once and compares keys. Only a record whose key is that of somebody who was forgotten or of whom events were
 * erased, is decoded, to see when its message was received, and which event it is. Yields what a piece of the log has, without those that have nothing.
 */
export async function* findForgotten(
  parts: FindParts,
  erased: ErasedUsers,
  { report, signal }: Pick<CommandCall, 'report' | 'signal'>,
): AsyncGenerator<readonly ForgottenRecord[]> {
  if (erased.size === 0) return;
  const ranges = await wholeRanges(parts.log, PERSONAL_TOPICS);
  const total = Number(ranges.reduce((sum, { from, to }) => sum + to - from, 0n));
  let done = 0;
  for await (const piece of parts.log.scan(ranges, { ...READ_AT_ONCE, signal })) {
    const forgotten = await forgottenIn(parts.codec, piece, erased);
    if (forgotten.length > 0) yield forgotten;
    done += piece.records.length;
    report({ phase: 'log', done, total, unit: 'records' });
  }
}

/** Those of a piece. */
export async function forgottenIn(
  codec: FindParts['codec'],
  { topic, partition, records }: PartitionRecords,
  erased: ErasedUsers,
): Promise<readonly ForgottenRecord[]> {
  if (erased.size === 0 || !PERSONAL_TOPICS.includes(topic)) return [];
  const yielder = new EventLoopYielder();
  const named: { readonly record: LogRecord; readonly user: string }[] = [];
  for (const record of records) {
    if (yielder.isOver()) await yielder.next();
    const user = textOfKey(record.key);
    if (mayBeLeftOut(erased, user)) named.push({ record, user });
  }
  if (named.length === 0) return [];
  const read = await messageReader(
    codec,
    topic,
    named.map(({ record }) => record),
  );
  return named.flatMap(({ record, user }) => {
    const message = read(record);
    const receivedAt = message?.receivedAt ?? storedAtOf(record);
    const name = erasedNameOf(erased, user, receivedAt, message);
    if (name === undefined) return [];
    const { projectId } = userNamed(user);
    return [{ topic, partition, offset: record.offset, projectId, hour: hourOf(receivedAt), name }];
  });
}

/** The message of a record, or when a snapshot was read; undefined where it cannot be decoded. */
async function messageReader(
  codec: FindParts['codec'],
  topic: string,
  records: readonly LogRecord[],
): Promise<(record: LogRecord) => Pick<Message, 'receivedAt'> | undefined> {
  await codec.prepare(records.map(({ value }) => value));
  const decoded = (of: string, value: Uint8Array) => unlessUndecodable(() => codec.decode(of, value));
  if (topic === SNAPSHOT_TOPIC)
    return ({ value }) => unlessUndecodable(() => ({ receivedAt: codec.decodeSnapshot(value).readAt }));
  if (topic !== DEAD_LETTER_TOPIC) return ({ value }) => decoded(topic, value);
  const letters = new Map(records.map((record) => [record, letterIn(codec, record.value)]));
  await codec.prepare([...letters.values()].flatMap((letter) => letter?.value ?? []));
  return (record) => {
    const letter = letters.get(record);
    return letter && decoded(letter.topic, letter.value);
  };
}

function storedAtOf({ appendedAtMs }: LogRecord): Micros {
  return BigInt(Math.floor(appendedAtMs)) * 1000n;
}

/** Keys are ASCII. */
export function textOfKey(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
}
