/** A message as lines for the tables of schemas/clickhouse. Pure: the same message always yields the same. */
import type { RowTable } from '../analytics/analytics-store.ts';
import { splitObject } from '../messages/json.ts';
import {
  type Identify,
  isImported,
  type JsonText,
  type Message,
  type Micros,
  type Session,
  type Track,
} from '../messages/message.ts';
import { columnJson, nearestDouble, wholeNumber } from './column-json.ts';

/** Where the message stands in the log. */
export interface Place {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}

/** A line for a table: the values of `ROW_COLUMNS` as a JSON array. */
export type Row = readonly [table: RowTable, line: string];

/** What a set of messages says of one user besides traits: a row of `user_rows`. */
export interface UserSeen {
  readonly projectId: string;
  readonly userKey: string;
  /** `userNumber` of `userKey`. */
  readonly user: string;
  userId: string | null;
  anonymousId: string | null;
  firstSeen: Micros;
  lastSeen: Micros;
}

/** Every row of a message but the user's; `user` is their number. Times are microseconds, 128-bit numbers plain decimals. */
export function rowsOf(message: Message, user: string, place: Place): readonly Row[] {
  if (message.type === 'track') return [['track_rows', eventLine(message, user, place)]];
  const version = decimal(message.version);
  const traits = traitRows(message, user, version);
  if (message.type === 'identify') return [['identify_rows', identifyLine(message, user, version, place)], ...traits];
  return [['session_rows', sessionLine(message, user, version, place)], ...traits];
}

/** The row of a user that messages named. */
export function userRow({ projectId, userKey, user, userId, anonymousId, firstSeen, lastSeen }: UserSeen): Row {
  const line =
    `[${quoted(projectId)},${user},${quoted(userKey)},${quoted(userId ?? '')},` +
    `${quoted(anonymousId ?? '')},${firstSeen},${lastSeen}]`;
  return ['user_rows', line];
}

function eventLine(message: Track, user: string, { topic, partition, offset }: Place): string {
  const { event, sessionId, source, properties, messageIdGiven } = message;
  const precedence = isImported(topic) ? HIGHEST_OF_IMPORTS - offset : BY_DEFAULT;
  return (
    `[${headOf(message, user)},${quoted(event)},${quoted(sessionId ?? '')},"${source}",${columnJson(properties)},` +
    `${quoted(properties)},${partition},${offset},${messageIdGiven},${precedence}]`
  );
}

/**
 * Of several copies the row of the highest precedence stays. Live, that is 2^64 - 1 less the offset, so that the first
 * copy does; imported ones come below all of them, so that a live copy stays whichever was read first.
 */
const HIGHEST_OF_IMPORTS = 2n ** 63n - 1n;

/** Leaves it to the table. */
const BY_DEFAULT = 'null';

function sessionLine(message: Session, user: string, version: string, { partition, offset }: Place): string {
  const { sessionId, anonymous } = message;
  return `[${headOf(message, user)},${quoted(sessionId)},${anonymous},${version},${partition},${offset}]`;
}

function identifyLine(message: Identify, user: string, version: string, { topic, partition, offset }: Place): string {
  return `[${headOf(message, user)},${version},${quoted(topic)},${partition},${offset}]`;
}

/** What events, sessions and identifies begin with. */
function headOf({ projectId, messageId, timestamp, receivedAt }: Message, user: string): string {
  const arrived = String(receivedAt);
  // Mostly a caller leaves it to us when it took place.
  const happened = timestamp === receivedAt ? arrived : String(timestamp);
  return `${quoted(projectId)},${user},${quoted(messageId)},${happened},${arrived}`;
}

function traitRows({ projectId, traits }: Identify | Session, user: string, version: string): Row[] {
  const head = `[${quoted(projectId)},${user},${version},`;
  const rows: Row[] = [];
  for (const [trait, value] of splitObject(traits)) {
    rows.push(['trait_rows', `${head}${quoted(trait)},${traitColumns(value)}]`]);
  }
  return rows;
}

function traitColumns(value: JsonText): string {
  switch (value.charAt(0)) {
    case 'n':
      return columns('deleted', '""', '""');
    case 't':
    case 'f':
      return columns('boolean', `"${value}"`, `"${value}"`);
    case '"':
      return columns('string', quoted(value), value);
    case '[':
      return columns('array', quoted(value), '""');
    case '{':
      return columns('object', quoted(value), '""');
    default:
      return columns('number', `"${value}"`, '""', nearestDouble(value), wholeNumber(value));
  }
}

function columns(kind: string, value: string, text: string, number = '0', integer: bigint | null = null): string {
  return `"${kind}",${value},${text},${number},${integer}`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** A version's hexadecimal digits as a decimal number. */
function decimal(version: string): string {
  return BigInt(`0x${version}`).toString();
}
