import { isUtf8 } from 'node:buffer';
import type { EventCursor } from '../stores/analytics/analytics-store.ts';
import { EARLIEST, END_OF_TIME } from '../messages/timestamp.ts';

// The first format names no event. Releases gave such cursors before events of one time and id were distinguished.
const [WITHOUT_EVENT, WITH_EVENT] = [1, 2];
const CURSOR_HEAD_BYTES = 9;
const MAX_MESSAGE_ID_LENGTH = 128;
const MAX_EVENT_LENGTH = 512;
const MAX_BYTES = CURSOR_HEAD_BYTES + 2 + 4 * (MAX_MESSAGE_ID_LENGTH + MAX_EVENT_LENGTH);
const MAX_CURSOR_LENGTH = Math.ceil((MAX_BYTES * 4) / 3);

/**
 * The cursor of a position in a list of events, newest first: base64url of the format, the timestamp in eight bytes, the
 * length of the message id in two, the id, the event.
 */
export function encodeCursor({ timestamp, messageId, event }: EventCursor): string {
  const head = Buffer.alloc(CURSOR_HEAD_BYTES);
  head.writeUInt8(event === undefined ? WITHOUT_EVENT : WITH_EVENT);
  head.writeBigInt64BE(timestamp, 1);
  const id = Buffer.from(messageId);
  if (event === undefined) return Buffer.concat([head, id]).toString('base64url');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(id.length);
  return Buffer.concat([head, length, id, Buffer.from(event)]).toString('base64url');
}

/** Returns the position, or undefined if the text is not a valid cursor. A position has exactly one cursor. */
export function decodeCursor(text: string): EventCursor | undefined {
  if (text.length > MAX_CURSOR_LENGTH) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  const names = readNames(bytes);
  if (names === undefined) return undefined;
  const place = { timestamp: bytes.readBigInt64BE(1), ...names };
  return isPossible(place) && encodeCursor(place) === text ? place : undefined;
}

function readNames(bytes: Buffer): Pick<EventCursor, 'messageId' | 'event'> | undefined {
  const names = bytes.subarray(CURSOR_HEAD_BYTES);
  if (names.length === 0) return undefined;
  if (bytes[0] === WITHOUT_EVENT) return isUtf8(names) ? { messageId: names.toString() } : undefined;
  if (bytes[0] !== WITH_EVENT || names.length < 2) return undefined;
  const end = 2 + names.readUInt16BE(0);
  const [id, event] = [names.subarray(2, end), names.subarray(end)];
  return isUtf8(id) && isUtf8(event) ? { messageId: id.toString(), event: event.toString() } : undefined;
}

function isPossible({ timestamp, messageId, event }: EventCursor): boolean {
  const isOnTheCalendar = timestamp >= EARLIEST && timestamp < END_OF_TIME;
  const hasEvent = event === undefined || isName(event, MAX_EVENT_LENGTH);
  return isOnTheCalendar && isName(messageId, MAX_MESSAGE_ID_LENGTH) && hasEvent;
}

function isName(text: string, maxLength: number): boolean {
  return text !== '' && !text.includes('\0') && Array.from(text).length <= maxLength;
}
