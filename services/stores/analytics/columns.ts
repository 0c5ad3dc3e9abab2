/**
 * The columns of every table that the sink writes, each with its value: what an insert names, what a row says and what a
 * replay compares come from here. Pure: the same message always yields the same values.
 */
import { wholeNumberOf } from '../../messages/decimal.ts';
import {
  type Identify,
  isImported,
  type JsonText,
  type Message,
  type Micros,
  type Session,
  type Track,
} from '../../messages/message.ts';
import { columnJson, columnKinds, nearestDouble } from './column-json.ts';

/** The position of the message in the log. */
export interface RecordCoordinates {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}

/** A message and what its rows say besides. */
export interface MessageRow<M extends Message> {
  readonly message: M;
  /** The number of its user, in decimal. */
  readonly user: string;
  /** Its version, in decimal. */
  readonly version: string;
  readonly at: RecordCoordinates;
}

/** One trait that a message mentions. */
export interface TraitRow extends Pick<MessageRow<Identify | Session>, 'user' | 'version'> {
  /** The project's id as JSON: made once for all traits of a message. */
  readonly project: string;
  readonly trait: string;
  readonly value: JsonText;
  readonly kind: TraitKind;
}

/** What a set of messages says of one user besides traits. */
export interface UserSeen {
  readonly projectId: string;
  readonly userKey: string;
  /** `userNumber` of `userKey`. */
  readonly user: string;
  userId: string | null;
  /** The anonymous id that the user is known by; null where a user id or an internal id names the user. */
  anonymousId: string | null;
  firstSeen: Micros;
  lastSeen: Micros;
}

/**
 * A column and its value as JSON. `null` for a column that cannot be NULL leaves it to the column's default. Times are
 * microseconds, 128-bit numbers plain decimals. A `key` is what rows are grouped by where they are compared, and what is
 * `derived` from other columns needs no comparing.
 */
export type Column<T> = readonly [name: string, valueOf: (row: T) => string, role?: 'key' | 'derived'];

function headOf<M extends Message>(): readonly Column<MessageRow<M>>[] {
  return [
    ['project_id', ({ message }) => quoted(message.projectId), 'key'],
    ['user', ({ user }) => user],
    ['message_id', ({ message }) => quoted(message.messageId)],
    ['timestamp', ({ message }) => String(message.timestamp)],
    ['received_at', ({ message }) => String(message.receivedAt)],
  ];
}

const TRACK_COLUMNS: readonly Column<MessageRow<Track>>[] = [
  ...headOf<Track>(),
  ['event', ({ message }) => quoted(message.event), 'key'],
  ['session_id', ({ message }) => quoted(message.sessionId ?? '')],
  ['source', ({ message }) => quoted(message.source)],
  ['properties', ({ message }) => columnJson(message.properties), 'derived'],
  ['properties_text', ({ message }) => quoted(message.properties)],
  ['log_partition', ({ at }) => String(at.partition)],
  ['log_offset', ({ at }) => String(at.offset)],
  ['message_id_given', ({ message }) => String(message.messageIdGiven)],
  ['precedence', ({ at }) => precedenceOf(at), 'derived'],
  ['anonymous_id', ({ message }) => quoted(message.anonymousId ?? '')],
  ['property_kinds', ({ message }) => columnKinds(message.properties), 'derived'],
];

const SESSION_COLUMNS: readonly Column<MessageRow<Session>>[] = [
  ...headOf<Session>(),
  ['session_id', ({ message }) => quoted(message.sessionId)],
  ['anonymous', ({ message }) => String(message.anonymous)],
  ['version', ({ version }) => version],
  ['log_partition', ({ at }) => String(at.partition)],
  ['log_offset', ({ at }) => String(at.offset)],
];

const IDENTIFY_COLUMNS: readonly Column<MessageRow<Identify>>[] = [
  ...headOf<Identify>(),
  ['version', ({ version }) => version],
  ['log_topic', ({ at }) => quoted(at.topic)],
  ['log_partition', ({ at }) => String(at.partition)],
  ['log_offset', ({ at }) => String(at.offset)],
  ['anonymous_id', ({ message }) => quoted(message.anonymousId ?? '')],
];

const TRAIT_COLUMNS: readonly Column<TraitRow>[] = [
  ['project_id', ({ project }) => project, 'key'],
  ['user', ({ user }) => user, 'key'],
  ['version', ({ version }) => version],
  ['trait', ({ trait }) => quoted(trait)],
  ['kind', ({ kind }) => QUOTED_KIND[kind]],
  ['value', ({ kind, value }) => (kind === 'deleted' ? '""' : quoted(value))],
  ['text', ({ kind, value }) => (kind === 'string' ? value : kind === 'boolean' ? `"${value}"` : '""')],
  ['number', ({ kind, value }) => (kind === 'number' ? nearestDouble(value) : '0')],
  ['integer', ({ kind, value }) => (kind === 'number' ? String(wholeNumberOf(value)) : 'null')],
];

const USER_COLUMNS: readonly Column<UserSeen>[] = [
  ['project_id', ({ projectId }) => quoted(projectId), 'key'],
  ['user', ({ user }) => user, 'key'],
  ['internal_id', ({ userKey }) => quoted(userKey)],
  ['user_id', ({ userId }) => quoted(userId ?? '')],
  ['anonymous_id', ({ anonymousId }) => quoted(anonymousId ?? '')],
  ['first_seen', ({ firstSeen }) => String(firstSeen)],
  ['last_seen', ({ lastSeen }) => String(lastSeen)],
];

/** By table, in the order in which they are inserted. */
export const TABLE_COLUMNS = {
  track_rows: TRACK_COLUMNS,
  session_rows: SESSION_COLUMNS,
  identify_rows: IDENTIFY_COLUMNS,
  trait_rows: TRAIT_COLUMNS,
  user_rows: USER_COLUMNS,
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

/** The values of a row as a JSON array. */
export function lineOf<T>(columns: readonly Column<T>[], row: T): string {
  let line = '';
  let separator = '[';
  for (const [, valueOf] of columns) {
    line += separator + valueOf(row);
    separator = ',';
  }
  return `${line}]`;
}

/**
 * Of several copies the row of the highest precedence stays. Live, that is 2^64 - 1 less the offset, which the table says
 * by itself, so that the first copy stays; imported ones come below all of them, so that a live copy stays whichever was
 * read first.
 */
const HIGHEST_OF_IMPORTS = 2n ** 63n - 1n;

function precedenceOf({ topic, offset }: RecordCoordinates): string {
  return isImported(topic) ? String(HIGHEST_OF_IMPORTS - offset) : 'null';
}

export type TraitKind = 'deleted' | 'boolean' | 'string' | 'array' | 'object' | 'number';

const QUOTED_KIND: Readonly<Record<TraitKind, string>> = {
  deleted: '"deleted"',
  boolean: '"boolean"',
  string: '"string"',
  array: '"array"',
  object: '"object"',
  number: '"number"',
};

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

export function quoted(text: string): string {
  return JSON.stringify(text);
}

/** The `user` column: the first 128 bits of the internal user id, in decimal. */
export function userNumber(userKey: string): string {
  return BigInt(`0x${userKey.slice(0, 32)}`).toString();
}
