import { isUtf8 } from 'node:buffer';
import type { EventCursor } from '../../stores/analytics/analytics-store.ts';
import { isHex } from '../../messages/hex.ts';
import { EARLIEST, END_OF_TIME } from '../../messages/timestamp.ts';

// Formats 1 and 2 were of an order by the message id, before that by arrival.
const CURSOR_FORMAT = 3;
const HEAD_BYTES = 19;
const MAX_MESSAGE_ID_LENGTH = 128;
/** The longest user id and name of an event, in code points. */
export const MAX_NAME_LENGTH = 512;
const MAX_BYTES = HEAD_BYTES + 4 * (MAX_MESSAGE_ID_LENGTH + MAX_NAME_LENGTH);
const MAX_CURSOR_LENGTH = Math.ceil((MAX_BYTES * 4) / 3);

/** What is wrong with a text that is not a valid cursor. */
export const CURSOR_REFUSED =
  'was not given by this service, or by a version of it that listed in another order: begin again without it';

/**
 * The cursor of a position in a list of events, newest first: base64url of the format, the timestamp and the arrival in
 * eight bytes each, the length of the message id in two, the id, the event.
 */
export function encodeCursor({ timestamp, receivedAt, messageId, event }: EventCursor): string {
  const head = Buffer.alloc(HEAD_BYTES);
  const id = Buffer.from(messageId);
  head.writeUInt8(CURSOR_FORMAT);
  head.writeBigInt64BE(timestamp, 1);
  head.writeBigInt64BE(receivedAt, 9);
  head.writeUInt16BE(id.length, 17);
  return Buffer.concat([head, id, Buffer.from(event)]).toString('base64url');
}

/** Returns the position, or undefined if the text is not a valid cursor. A position has exactly one cursor. */
export function decodeCursor(text: string): EventCursor | undefined {
  if (text.length > MAX_CURSOR_LENGTH) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length < HEAD_BYTES || bytes[0] !== CURSOR_FORMAT) return undefined;
  const end = HEAD_BYTES + bytes.readUInt16BE(17);
  const [id, event] = [bytes.subarray(HEAD_BYTES, end), bytes.subarray(end)];
  if (!isUtf8(id) || !isUtf8(event)) return undefined;
  const position = {
    timestamp: bytes.readBigInt64BE(1),
    receivedAt: bytes.readBigInt64BE(9),
    messageId: id.toString(),
    event: event.toString(),
  };
  return isPossible(position) && encodeCursor(position) === text ? position : undefined;
}

function isPossible({ timestamp, receivedAt, messageId, event }: EventCursor): boolean {
  const areOnTheCalendar = [timestamp, receivedAt].every((time) => time >= EARLIEST && time < END_OF_TIME);
  return areOnTheCalendar && isName(messageId, MAX_MESSAGE_ID_LENGTH) && isName(event, MAX_NAME_LENGTH);
}

export function isName(text: string, maxLength: number): boolean {
  return text !== '' && !text.includes('\0') && Array.from(text).length <= maxLength;
}

/** An event among those of all users, newest first by (timestamp, received at, message id, event, user). */
export interface EventPosition extends EventCursor {
  /** The number of the user: the first 128 bits of the internal id. */
  readonly user: bigint;
}

const USER_DIGITS = 32;

/** The cursor of the position among one user's events, a dot and the user's number in hexadecimal. */
export function encodePosition({ user, ...position }: EventPosition): string {
  return `${encodeCursor(position)}.${user.toString(16).padStart(USER_DIGITS, '0')}`;
}

/** Returns the position, or undefined if the text is not a valid cursor. */
export function decodePosition(text: string): EventPosition | undefined {
  const dot = text.length - USER_DIGITS - 1;
  const digits = text.slice(dot + 1);
  const position = decodeCursor(text.slice(0, Math.max(dot, 0)));
  if (text[dot] !== '.' || !isHex(digits, USER_DIGITS) || position === undefined) return undefined;
  return { ...position, user: BigInt(`0x${digits}`) };
}
