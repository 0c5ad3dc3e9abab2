/**
 * The columns of every table that the sink writes, each with its value: what an insert names, what a row says and what a
 * replay compares come from here. Pure: the same message always yields the same values.
 */
import { INT64_MAX, nearestDouble, wholeNumberOf } from '../../messages/decimal.ts';
import { splitObject } from '../../messages/json.ts';
import {
  type Identify,
  isImported,
  type JsonText,
  type Message,
  type Micros,
  type Session,
  type Track,
} from '../../messages/message.ts';
import { anonymousKeyOf } from '../../messages/user-key.ts';
import { writeJson } from './json-column.ts';
import type { RowBinary } from './row-binary.ts';

/** The position of the message in the log. */
export interface RecordCoordinates {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}

/** A message and what its rows say besides. */
export interface MessageRow<M extends Message> {
  readonly message: M;
  readonly at: RecordCoordinates;
}

/** One trait that a message mentions. */
export interface TraitRow {
  readonly message: Pick<Identify | Session, 'projectId' | 'userKey' | 'version'>;
  readonly trait: string;
  readonly value: JsonText;
  readonly kind: TraitKind;
}

/** What a set of messages says of one user besides traits. */
export interface UserSeen {
  readonly projectId: string;
  readonly userKey: string;
  userId: string | null;
  /** The anonymous id that the user is known by; null where a user id or an internal id names the user. */
  anonymousId: string | null;
  firstSeen: Micros;
  lastSeen: Micros;
  /** Anonymous id → the version of the first message that gave it beside the user id. Null where none did. */
  sightings: Map<string, string> | null;
}

/** An anonymous id that came beside the id of a user. */
export interface Sighting {
  readonly seen: UserSeen;
  readonly anonymousId: string;
  readonly version: string;
}

/**
 * A column and how its value is written. Times are microseconds. A `key` is what rows are grouped by where they are
 * compared, and what is `derived` from other columns needs no comparing.
 */
export type Column<T> = readonly [name: string, write: (out: RowBinary, row: T) => void, role?: 'key' | 'derived'];

function headOf<M extends Message>(): readonly Column<MessageRow<M>>[] {
  return [
    ['project_id', (out, { message }) => out.string(message.projectId), 'key'],
    ['user', (out, { message }) => out.uint128(message.userKey)],
    ['message_id', (out, { message }) => out.string(message.messageId)],
    ['timestamp', (out, { message }) => out.int64(message.timestamp)],
    ['received_at', (out, { message }) => out.int64(message.receivedAt)],
  ];
}

const TRACK_COLUMNS: readonly Column<MessageRow<Track>>[] = [
  ...headOf<Track>(),
  ['event', (out, { message }) => out.string(message.event), 'key'],
  ['session_id', (out, { message }) => out.string(message.sessionId ?? '')],
  ['source', (out, { message }) => out.string(message.source)],
  ['properties', (out, { message }) => writeJson(out, message.properties), 'derived'],
  ['properties_text', (out, { message }) => out.string(message.properties)],
  ['log_partition', (out, { at }) => out.uint32(at.partition)],
  ['log_offset', (out, { at }) => out.uint64(at.offset)],
  ['message_id_given', (out, { message }) => out.byte(message.messageIdGiven)],
  ['precedence', writePrecedence, 'derived'],
  ['anonymous_id', (out, { message }) => out.string(message.anonymousId ?? '')],
  ['property_kinds', writeKinds, 'derived'],
];

const SESSION_COLUMNS: readonly Column<MessageRow<Session>>[] = [
  ...headOf<Session>(),
  ['session_id', (out, { message }) => out.string(message.sessionId)],
  ['anonymous', (out, { message }) => out.byte(message.anonymous)],
  ['version', (out, { message }) => out.uint128(message.version)],
  ['log_partition', (out, { at }) => out.uint32(at.partition)],
  ['log_offset', (out, { at }) => out.uint64(at.offset)],
];

const IDENTIFY_COLUMNS: readonly Column<MessageRow<Identify>>[] = [
  ...headOf<Identify>(),
  ['version', (out, { message }) => out.uint128(message.version)],
  ['log_topic', (out, { at }) => out.string(at.topic)],
  ['log_partition', (out, { at }) => out.uint32(at.partition)],
  ['log_offset', (out, { at }) => out.uint64(at.offset)],
  ['anonymous_id', (out, { message }) => out.string(message.anonymousId ?? '')],
];

const TRAIT_COLUMNS: readonly Column<TraitRow>[] = [
  ['project_id', (out, { message }) => out.string(message.projectId), 'key'],
  ['user', (out, { message }) => out.uint128(message.userKey), 'key'],
  ['version', (out, { message }) => out.uint128(message.version)],
  ['trait', (out, { trait }) => out.string(trait)],
  ['kind', (out, { kind }) => out.byte(TRAIT_KINDS.indexOf(kind))],
  ['value', (out, { kind, value }) => out.string(kind === 'deleted' ? '' : value)],
  ['text', (out, { kind, value }) => out.string(traitTextOf(kind, value))],
  ['number', (out, { kind, value }) => out.double(kind === 'number' ? nearestDouble(value) : 0)],
  ['integer', (out, { kind, value }) => out.nullableInt128(kind === 'number' ? wholeNumberOf(value) : null)],
];

const USER_COLUMNS: readonly Column<UserSeen>[] = [
  ['project_id', (out, { projectId }) => out.string(projectId), 'key'],
  ['user', (out, { userKey }) => out.uint128(userKey), 'key'],
  ['internal_id', (out, { userKey }) => out.string(userKey)],
  ['user_id', (out, { userId }) => out.string(userId ?? '')],
  ['anonymous_id', (out, { anonymousId }) => out.string(anonymousId ?? '')],
  ['first_seen', (out, { firstSeen }) => out.int64(firstSeen)],
  ['last_seen', (out, { lastSeen }) => out.int64(lastSeen)],
];

const SIGHTING_COLUMNS: readonly Column<Sighting>[] = [
  ['project_id', (out, { seen }) => out.string(seen.projectId), 'key'],
  ['user', (out, { seen }) => out.uint128(seen.userKey), 'key'],
  ['anonymous', (out, { seen, anonymousId }) => out.uint128(anonymousKeyOf(seen.projectId, anonymousId))],
  ['anonymous_id', (out, { anonymousId }) => out.string(anonymousId)],
  ['version', (out, { version }) => out.uint128(version)],
];

/** By table, in the order in which they are inserted. */
export const TABLE_COLUMNS = {
  track_rows: TRACK_COLUMNS,
  session_rows: SESSION_COLUMNS,
  identify_rows: IDENTIFY_COLUMNS,
  trait_rows: TRAIT_COLUMNS,
  user_rows: USER_COLUMNS,
  sighting_rows: SIGHTING_COLUMNS,
} as const;

export type RowTable = keyof typeof TABLE_COLUMNS;

export const ROW_TABLES = Object.keys(TABLE_COLUMNS) as readonly RowTable[];

/** For an insert, in the order of the values. */
export function columnNames(table: RowTable): string {
  return TABLE_COLUMNS[table].map(([name]) => name).join(', ');
}

/** What tells two rows of one key apart. */
export function comparedColumns(table: RowTable): string {
  return TABLE_COLUMNS[table].flatMap(([name, , role]) => (role === undefined ? [name] : [])).join(', ');
}

// What `user_track_rows` is grouped by, what it has not, and what needs no comparing there.
const NOT_COMPARED_BY_USER: readonly string[] = [
  'project_id',
  'user',
  'source',
  'properties',
  'log_partition',
  'log_offset',
  'property_kinds',
  'message_id_given',
];

/** What tells two rows of a user in `user_track_rows` apart, which has most columns of `track_rows`. */
export function comparedUserEventColumns(): string {
  return TRACK_COLUMNS.flatMap(([name]) => (NOT_COMPARED_BY_USER.includes(name) ? [] : [name])).join(', ');
}

/**
 * The copy with the highest precedence stays. Live, that is 2^64 - 1 less the offset, which the table says
 * by itself, so that the first copy stays; imported ones come below all of them, so that a live copy stays whichever was
 * read first.
 */
const HIGHEST_OF_IMPORTS = INT64_MAX;
/** Whether a row of `track_rows` came by itself, and in no import. */
export const CAME_LIVE = `precedence > ${HIGHEST_OF_IMPORTS}`;

function writePrecedence(out: RowBinary, { at: { topic, offset } }: Pick<MessageRow<Track>, 'at'>): void {
  if (isImported(topic)) out.uint64(HIGHEST_OF_IMPORTS - offset);
  else out.useDefault();
}

// What ClickHouse may not read: 19 digits or more in a row (beyond 64 bits), an exponent of three digits (beyond a double),
// and an escaped character. What looks like one inside a string costs a second look, no more. One by one, and the digits
// written out, which V8 looks for by leaps: a third of the time of a single expression.
const MANY_DIGITS = new RegExp('\\d'.repeat(19));
const LONG_EXPONENT = /[eE][+-]?\d{3}/;

/** First characters of JSON values whose kind has another letter. */
const KIND_OF_FIRST: Readonly<Record<string, string>> = { '"': 's', '-': 'd', f: 't' };

/** Undefined, which leaves it to the table, unless the text may have what ClickHouse cannot read. */
export function propertyKinds(text: JsonText): string | undefined {
  if (!text.includes('\\u00') && !MANY_DIGITS.test(text) && !LONG_EXPONENT.test(text)) return undefined;
  const kinds = [...splitObject(text)].map(([name, value]) => {
    const first = value.charAt(0);
    return (KIND_OF_FIRST[first] ?? (/\d/.test(first) ? 'd' : first)) + name;
  });
  return kinds.sort().join('\0');
}

/** Left to the table, unless the text may have what ClickHouse cannot read. */
function writeKinds(out: RowBinary, { message }: MessageRow<Track>): void {
  const kinds = propertyKinds(message.properties);
  if (kinds === undefined) out.useDefault();
  else out.string(kinds);
}

/** By their numbers in the table. */
const TRAIT_KINDS = ['deleted', 'boolean', 'number', 'string', 'array', 'object'] as const;

export type TraitKind = (typeof TRAIT_KINDS)[number];

function traitTextOf(kind: TraitKind, value: JsonText): string {
  if (kind === 'string') return JSON.parse(value) as string;
  return kind === 'boolean' ? value : '';
}

/** By the first character of its JSON. */
export function traitKindOf(value: JsonText): TraitKind {
  switch (value.charAt(0)) {
    case 'n':
      return 'deleted';
    case 't':
    case 'f':
      return 'boolean';
    case '"':
      return 'string';
    case '[':
      return 'array';
    case '{':
      return 'object';
    default:
      return 'number';
  }
}

/** The `user` column: the first 128 bits of the internal user id, in decimal. */
export function userNumber(userKey: string): string {
  return BigInt(`0x${userKey.slice(0, 32)}`).toString();
}
