import { isBlank } from '../../event-log/blank.ts';
import { wholeRanges } from '../../event-log/deleted-records.ts';
import type { EventLog, PartitionRecords, ScanRange, TopicPartition } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import { type DeadLetter, DEAD_LETTER_TOPIC, type Message } from '../../messages/message.ts';
import { EARLIEST, END_OF_TIME } from '../../messages/timestamp.ts';
import type { Queryable } from '../../stores/database/database.ts';
import { type ErasedUsers, isLeftOut } from '../../stores/erasures/erased-users.ts';
import { readErasedUsers } from '../../stores/erasures/read-erased-users.ts';
import {
  addLetters,
  dropLettersBefore,
  type LetterRow,
  NO_CONTENT,
  type ReadUpTo,
  readUpTo,
} from '../../stores/profiles/dead-letter-rows.ts';
import { letterIn, messageIn, prepareMessages } from './letters-on-log.ts';

export interface FollowedParts {
  readonly log: Pick<EventLog, 'scan' | 'ends' | 'beginnings'>;
  readonly codec: Pick<Codec, 'prepare' | 'decode' | 'decodeDeadLetter'>;
  readonly database: Queryable;
}

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whether messages that could not be decoded are tried again: their schema may be known now. */
  readonly again?: boolean;
}

// A dead letter may have half a megabyte.
const LETTERS_A_PIECE = { maxRecords: 500, maxBytes: 4_000_000, withBlank: true } as const;

const END_OF_LOG = 2n ** 62n;

/**
 * Reads what came to the topic of dead letters into their table. Each piece is one statement, so that whoever is killed
 * loses nothing and adds nothing twice; several processes may do it at once. Where nothing came, it asks the log for its
 * ends, and the table how far it has been read.
 *
 * @throws TidemarkError what the log and the database throw.
 */
export async function followDeadLetters(parts: FollowedParts, options: FollowOptions = {}): Promise<void> {
  const { log, database } = parts;
  const whole = await wholeRanges(log, [DEAD_LETTER_TOPIC]);
  await dropLettersBefore(
    database,
    whole.map(({ partition, from }) => ({ partition, offset: from })),
  );
  const known = new Map((await readUpTo(database, options.again)).map((one) => [one.partition, one]));
  const shorter = whole.filter(({ partition, to }) => to <= (known.get(partition)?.last ?? -1n));
  if (shorter.length > 0) return followAnew(parts, shorter, options);
  const ranges = whole
    .map((range) => ({ ...range, from: firstToRead(range, known.get(range.partition)) }))
    .filter(({ from, to }) => from < to);
  if (ranges.length === 0) return;
  for await (const piece of log.scan(ranges, { ...LETTERS_A_PIECE, signal: options.signal })) {
    if (isOfAnotherTopic(piece, known.get(piece.partition))) return followAnew(parts, [piece], options);
    const last = piece.records.at(-1);
    if (last !== undefined) await addLetters(database, piece.partition, last, await letterRowsOf(parts, piece));
  }
}

/** Reads partitions from their beginning that were made anew: what the table has of them is not on the log any more. */
async function followAnew(
  parts: FollowedParts,
  partitions: readonly TopicPartition[],
  options: FollowOptions,
): Promise<void> {
  await dropLettersBefore(
    parts.database,
    partitions.map(({ partition }) => ({ partition, offset: END_OF_LOG })),
  );
  return followDeadLetters(parts, options);
}

/** The record that was read last is read again, to see whether the topic was made anew. */
function firstToRead({ from, to }: ScanRange, known: ReadUpTo | undefined): bigint {
  if (known === undefined) return from;
  const { last, undecoded } = known;
  if (undecoded !== null && undecoded < last) return undecoded;
  return to > last + 1n ? last : to;
}

function isOfAnotherTopic({ records }: PartitionRecords, known: ReadUpTo | undefined): boolean {
  const same = records.find(({ offset }) => offset === known?.last);
  return same !== undefined && Math.floor(same.appendedAtMs) !== known?.appendedAtMs;
}

async function letterRowsOf(
  { codec, database }: FollowedParts,
  { topic, partition, records }: PartitionRecords,
): Promise<readonly LetterRow[]> {
  const written = records.filter((record) => !isBlank(record));
  await codec.prepare(written.map(({ value }) => value));
  const read = written.map((record) => ({ record, letter: letterIn(codec, record.value) }));
  await prepareMessages(
    codec,
    read.flatMap(({ letter }) => letter ?? []),
  );
  const left = await readErasedUsers(database);
  // The first of each reader: one that crashed may have written the same again.
  const rows = new Map<string, LetterRow>();
  for (const { record, letter } of read) {
    const row =
      letter === undefined || !isPlausible(letter)
        ? { topic, partition, log_offset: record.offset, reader: '', ...NO_CONTENT, error: 'no dead letter' }
        : rowOf(codec, letter, left);
    const name = `${row.topic}/${row.partition}/${row.log_offset} ${row.reader}`;
    const own = { letter_offset: record.offset, appended_at_ms: Math.floor(record.appendedAtMs) };
    if (!rows.has(name)) rows.set(name, { ...row, ...own });
  }
  return [...rows.values()];
}

const MOST_CHARS = 249;

/** Whether a reader may have written it: others write to the topic too, and what they write must not hold up the table. */
function isPlausible({ topic, reader, failedAt }: DeadLetter): boolean {
  const areNames = [topic, reader].every((name) => name !== '' && name.length <= MOST_CHARS && !name.includes('\0'));
  return areNames && failedAt >= EARLIEST && failedAt < END_OF_TIME;
}

function rowOf(
  codec: FollowedParts['codec'],
  letter: DeadLetter,
  left: ErasedUsers,
): Omit<LetterRow, 'letter_offset' | 'appended_at_ms'> {
  const { topic, partition, offset, reader, error, failedAt, key, value } = letter;
  const at = { topic, partition, log_offset: offset, reader };
  const message = messageIn(codec, letter);
  if (message !== undefined && isLeftOut(left, message)) return { ...at, ...NO_CONTENT };
  return {
    ...at,
    failed_at_us: failedAt,
    error: withoutNul(error),
    code: errorCodeIn(error) ?? null,
    bytes: key.byteLength + value.byteLength,
    ...ofMessage(message),
  };
}

function ofMessage(message: Message | undefined) {
  const { projectId = null, messageId = null, userId = null, anonymousId = null } = message ?? {};
  return {
    project_id: withoutNul(projectId),
    user_key: message?.userKey ?? null,
    message_id: withoutNul(messageId),
    received_at_us: message?.receivedAt ?? null,
    user_id: withoutNul(userId ?? anonymousId),
    event: withoutNul(message !== undefined && 'event' in message ? message.event : null),
  };
}

/** The code of the error, if it begins with one. */
function errorCodeIn(error: string): string | undefined {
  return /^([A-Z][A-Z_]+): /.exec(error)?.[1];
}

/** Postgres has no NUL in a text. */
function withoutNul<T extends string | null>(text: T): string | T {
  return typeof text === 'string' ? text.replaceAll('\0', '') : text;
}
