/** What the topic of dead letters keeps: their bytes. */
import { wholeRanges } from '../../event-log/deleted-records.ts';
import type { EventLog, ScanRange } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import { type DeadLetter, DEAD_LETTER_TOPIC, type Message } from '../../messages/message.ts';
import { hasCode, isRetryable } from '../../runtime/errors.ts';
import { formatCoordinates, type RecordCoordinates } from './record-coordinates.ts';

export interface LettersOnLogParts {
  readonly log: Pick<EventLog, 'scan' | 'ends' | 'beginnings'>;
  readonly codec: Pick<Codec, 'prepare' | 'decodeDeadLetter'>;
}

/**
 * The dead letters at these places of their topic, by the text of the place; without those whose record is gone
 * or no dead letter. Those between the first and the last place of a partition are read too.
 */
export async function lettersAt(
  { log, codec }: LettersOnLogParts,
  places: readonly RecordCoordinates[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, DeadLetter>> {
  const found = new Map<string, DeadLetter>();
  if (places.length === 0) return found;
  const wanted = new Set(places.map(formatCoordinates));
  const ranges = (await wholeRanges(log, [DEAD_LETTER_TOPIC])).flatMap((whole) => rangeOf(whole, places));
  for await (const { topic, partition, records } of log.scan(ranges, { signal })) {
    for (const { offset, value } of records) {
      const name = formatCoordinates({ topic, partition, offset });
      if (!wanted.has(name)) continue;
      await codec.prepare([value]);
      const letter = letterIn(codec, value);
      if (letter !== undefined) found.set(name, letter);
    }
  }
  return found;
}

function rangeOf({ topic, partition, from, to }: ScanRange, places: readonly RecordCoordinates[]): ScanRange[] {
  const offsets = places
    .filter((one) => one.partition === partition && one.offset >= from && one.offset < to)
    .map(({ offset }) => offset)
    .toSorted((one, other) => (one < other ? -1 : 1));
  const [first, last] = [offsets[0], offsets.at(-1)];
  return first === undefined || last === undefined ? [] : [{ topic, partition, from: first, to: last + 1n }];
}

/** The dead letter of a record, once its schema has been loaded; undefined if it is another record. */
export function letterIn(codec: Pick<Codec, 'decodeDeadLetter'>, value: Uint8Array): DeadLetter | undefined {
  return unlessUndecodable(() => codec.decodeDeadLetter(value));
}

/** Loads the schemas of messages. An unreachable registry is no reason not to list a dead letter. */
export async function prepareMessages(codec: Pick<Codec, 'prepare'>, letters: readonly DeadLetter[]): Promise<void> {
  try {
    await codec.prepare(letters.map(({ value }) => value));
  } catch (error) {
    if (!isRetryable(error)) throw error;
  }
}

/** The message in a dead letter, decoded once its schema has been loaded; undefined if it cannot be decoded. */
export function messageIn(
  codec: Pick<Codec, 'decode'>,
  { topic, value }: Pick<DeadLetter, 'topic' | 'value'>,
): Message | undefined {
  return unlessUndecodable(() => codec.decode(topic, value));
}

/** Undefined where the record cannot be decoded. */
export function unlessUndecodable<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (hasCode(error, 'MESSAGE_UNDECODABLE')) return undefined;
    throw error;
  }
}
