import type { EventLog, PartitionRecords } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import type { DeadLetter } from '../../messages/dead-letter.ts';
import { DEAD_LETTER_TOPIC, type Message } from '../../messages/message.ts';
import type { CommandCall } from '../../runtime/command.ts';
import { hasCode } from '../../runtime/errors.ts';
import { formatCoordinates, type RecordCoordinates } from './record-coordinates.ts';

/** A dead letter and its coordinates in the log. */
export interface Found {
  /** The coordinates of the dead letter itself. */
  readonly at: RecordCoordinates;
  readonly letter: DeadLetter;
}

/** Consecutive dead letters of one partition. */
export interface Piece {
  readonly found: readonly Found[];
  /** Records among them that are not valid dead letters. */
  readonly unreadable: number;
}

// The number is small because each message may have half a megabyte.
const RECORDS_A_PIECE = 500;

/** Reads all dead letters, each partition in order, and reports how many have been read. */
export async function* readDeadLetters(
  { log, codec }: { readonly log: Pick<EventLog, 'scan' | 'ends' | 'beginnings'>; readonly codec: Codec },
  { report, signal }: CommandCall,
): AsyncGenerator<Piece> {
  const [beginnings, ends] = await Promise.all([log.beginnings([DEAD_LETTER_TOPIC]), log.ends([DEAD_LETTER_TOPIC])]);
  const ranges = beginnings.map(({ topic, partition, offset: from }) => {
    const end = ends.find((one) => one.partition === partition);
    return { topic, partition, from, to: end?.offset ?? from };
  });
  const total = Number(ranges.reduce((sum, { from, to }) => sum + to - from, 0n));
  let done = 0;
  for await (const piece of log.scan(ranges, { maxRecords: RECORDS_A_PIECE, signal })) {
    yield await decoded(codec, piece);
    done += piece.records.length;
    report({ done, total, unit: 'dead letters' });
  }
}

/** All dead letters of the message that the id, its own or that of one of them, names; in the order of the log. */
export async function* readDeadLettersOf(
  parts: Parameters<typeof readDeadLetters>[0],
  ids: ReadonlySet<string>,
  call: CommandCall,
): AsyncGenerator<Found> {
  let name: string | undefined;
  for await (const { found } of readDeadLetters(parts, call)) {
    for (const one of found) {
      const own = formatCoordinates(one.letter);
      if (own !== name && !ids.has(own) && !ids.has(formatCoordinates(one.at))) continue;
      name = own;
      yield one;
    }
  }
}

/** The message in a dead letter, decoded once its schema has been loaded; undefined if it cannot be decoded. */
export function messageIn(codec: Pick<Codec, 'decode'>, { topic, value }: DeadLetter): Message | undefined {
  try {
    return codec.decode(topic, value);
  } catch (error) {
    if (hasCode(error, 'MESSAGE_UNDECODABLE')) return undefined;
    throw error;
  }
}

async function decoded(codec: Codec, { topic, partition, records }: PartitionRecords): Promise<Piece> {
  await codec.prepare(records.map(({ value }) => value));
  const found: Found[] = [];
  for (const { offset, value } of records) {
    try {
      found.push({ at: { topic, partition, offset }, letter: codec.decodeDeadLetter(value) });
    } catch (error) {
      if (!hasCode(error, 'MESSAGE_UNDECODABLE')) throw error;
    }
  }
  return { found, unreadable: records.length - found.length };
}
