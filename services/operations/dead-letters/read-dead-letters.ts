import type { EventLog, PartitionRecords } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import type { DeadLetter } from '../../messages/dead-letter.ts';
import { DEAD_LETTER_TOPIC, type Message } from '../../messages/message.ts';
import type { CommandCall } from '../../runtime/command.ts';
import { hasCode } from '../../runtime/errors.ts';
import type { Queryable } from '../../stores/database/database.ts';
import { isLeftOut, type LeftOut, readLeftOut } from '../../stores/erasures/left-out.ts';
import { ErasedUsersReader } from '../../stores/erasures/read-erased-users.ts';
import { noteDeadLetters } from '../../stores/profiles/unstored-messages.ts';
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

export interface ReadParts {
  readonly log: Pick<EventLog, 'scan' | 'ends' | 'beginnings'>;
  readonly codec: Codec;
  readonly database: Queryable;
}

/**
 * Reads the dead letters, each partition in order, and reports how many have been read. Those of deleted projects and of
 * people who were forgotten are left out, as far as their messages can be decoded: they are nobody's any more.
 *
 * @throws TidemarkError what the log and the database throw; where anything was deleted, what the registry throws.
 */
export async function* readDeadLetters(parts: ReadParts, call: CommandCall): AsyncGenerator<Piece> {
  const erased = new ErasedUsersReader(parts.database);
  for await (const piece of readAllDeadLetters(parts, call)) {
    const left = await readLeftOut(parts.database, erased);
    const isNothing = left.projects.size === 0 && left.users.size === 0;
    yield isNothing ? piece : { ...piece, found: await ofOthers(parts.codec, piece.found, left) };
  }
}

async function ofOthers(codec: Codec, found: readonly Found[], left: LeftOut): Promise<readonly Found[]> {
  await codec.prepare(found.map(({ letter }) => letter.value));
  return found.filter(({ letter }) => {
    const message = messageIn(codec, letter);
    return message === undefined || !isLeftOut(left, message);
  });
}

/** With those that are nobody's. */
async function* readAllDeadLetters(
  { log, codec }: Omit<ReadParts, 'database'>,
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

/**
 * Makes what is on the log as a dead letter known to the readers, where it is not: those of a version that did not record it, and
 * those that a restored backup of the database does not have. To be called before the log is read again.
 */
export async function noteKnownDeadLetters(parts: ReadParts): Promise<void> {
  const call = { report: () => undefined, signal: new AbortController().signal };
  for await (const { found } of readAllDeadLetters(parts, call)) {
    for (const reader of ['projector', 'sink'] as const) {
      const letters = found.filter(({ letter }) => letter.reader === reader);
      await noteDeadLetters(
        parts.database,
        reader,
        letters.map(({ letter: { topic, partition, offset } }) => ({ topic, partition, offset })),
      );
    }
  }
}

/** The dead letters of the message that the id, its own or that of one of them, names; in the order of the log. */
export async function* readDeadLettersOf(
  parts: ReadParts,
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
export function messageIn(
  codec: Pick<Codec, 'decode'>,
  { topic, value }: Pick<DeadLetter, 'topic' | 'value'>,
): Message | undefined {
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
