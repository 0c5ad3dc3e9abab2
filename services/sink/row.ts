/** A message as lines of JSON for the tables of schemas/clickhouse. Pure: the same message always yields the same. */
import type { RowTable } from '../analytics/analytics-store.ts';
import { userNumber } from '../analytics/user-number.ts';
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

/** A line for a table. */
export type Row = readonly [table: RowTable, line: string];

/** What a set of messages says of one user besides traits: a row of `user_rows`. */
export interface UserSeen {
  readonly projectId: string;
  readonly userKey: string;
  userId: string | null;
  anonymousId: string | null;
  firstSeen: Micros;
  lastSeen: Micros;
}

/** Every row of a message but the user's. Times are microseconds, 128-bit numbers plain decimals. */
export function rowsOf(message: Message, place: Place): readonly Row[] {
  if (message.type === 'track') return [['track_rows', eventLine(message, place)]];
  if (message.type === 'identify') return [['identify_rows', identifyLine(message, place)], ...traitRows(message)];
  return [['session_rows', sessionLine(message, place)], ...traitRows(message)];
}

/** The row of a user that messages named. */
export function userRow({ projectId, userKey, userId, anonymousId, firstSeen, lastSeen }: UserSeen): Row {
  const line =
    `{"project_id":${quoted(projectId)},"user":${userNumber(userKey)},"internal_id":${quoted(userKey)},` +
    `"user_id":${quoted(userId ?? '')},"anonymous_id":${quoted(anonymousId ?? '')},` +
    `"first_seen":${firstSeen},"last_seen":${lastSeen}}`;
  return ['user_rows', line];
}

function eventLine(message: Track, { topic, partition, offset }: Place): string {
  const { event, sessionId, source, properties, messageIdGiven } = message;
  return (
    `${headOf(message)},"event":${quoted(event)},"session_id":${quoted(sessionId ?? '')},"source":"${source}",` +
    `"properties":${columnJson(properties)},"properties_text":${quoted(properties)},` +
    `"log_partition":${partition},"log_offset":${offset},"message_id_given":${messageIdGiven}` +
    (isImported(topic) ? `,"precedence":${HIGHEST_OF_IMPORTS - offset}}` : '}')
  );
}

/**
 * Of several copies the row of the highest precedence stays. Live, that is 2^64 - 1 less the offset, so that the first
 * copy does; imported ones come below all of them, so that a live copy stays whichever was read first.
 */
const HIGHEST_OF_IMPORTS = 2n ** 63n - 1n;

function sessionLine(message: Session, { partition, offset }: Place): string {
  const { sessionId, anonymous } = message;
  return (
    `${headOf(message)},"session_id":${quoted(sessionId)},"anonymous":${anonymous},` +
    `"version":${decimal(message.version)},"log_partition":${partition},"log_offset":${offset}}`
  );
}

function identifyLine(message: Identify, { topic, partition, offset }: Place): string {
  return (
    `${headOf(message)},"version":${decimal(message.version)},` +
    `"log_topic":${quoted(topic)},"log_partition":${partition},"log_offset":${offset}}`
  );
}

/** What events, sessions and identifies begin with. */
function headOf({ projectId, userKey, messageId, timestamp, receivedAt }: Message): string {
  return (
    `{"project_id":${quoted(projectId)},"user":${userNumber(userKey)},"message_id":${quoted(messageId)},` +
    `"timestamp":${timestamp},"received_at":${receivedAt}`
  );
}

function traitRows({ projectId, userKey, version, traits }: Identify | Session): Row[] {
  const head = `{"project_id":${quoted(projectId)},"user":${userNumber(userKey)},"version":${decimal(version)}`;
  const rows: Row[] = [];
  for (const [trait, value] of splitObject(traits)) {
    rows.push(['trait_rows', `${head},"trait":${quoted(trait)},${traitColumns(value)}}`]);
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
  return `"kind":"${kind}","value":${value},"text":${text},"number":${number},"integer":${integer}`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** A version's hexadecimal digits as a decimal number. */
function decimal(version: string): string {
  return BigInt(`0x${version}`).toString();
}
