import { isUtf8 } from 'node:buffer';
import type { Micros } from '../messages/message.ts';
import { EARLIEST, END_OF_TIME } from '../messages/timestamp.ts';

/** A place in a list of events, newest first by (timestamp, messageId): what comes after it is the next page. */
export interface EventPlace {
  readonly timestamp: Micros;
  readonly messageId: string;
}

const FORMAT = 1;
const HEAD_BYTES = 9;
const MAX_MESSAGE_ID_LENGTH = 128;
const MAX_CURSOR_LENGTH = Math.ceil(((HEAD_BYTES + 4 * MAX_MESSAGE_ID_LENGTH) * 4) / 3);

/** The cursor that names the place: base64url of the format, the timestamp in eight bytes, the message id. */
export function encodeCursor({ timestamp, messageId }: EventPlace): string {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(FORMAT);
  head.writeBigInt64BE(timestamp, 1);
  return Buffer.concat([head, Buffer.from(messageId)]).toString('base64url');
}

/** The place; undefined where the text is no cursor of ours. One place has one cursor. */
export function decodeCursor(text: string): EventPlace | undefined {
  if (text.length > MAX_CURSOR_LENGTH) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  const id = bytes.subarray(HEAD_BYTES);
  if (bytes[0] !== FORMAT || id.length === 0 || !isUtf8(id)) return undefined;
  const place = { timestamp: bytes.readBigInt64BE(1), messageId: id.toString() };
  return isPossible(place) && encodeCursor(place) === text ? place : undefined;
}

function isPossible({ timestamp, messageId }: EventPlace): boolean {
  const onTheCalendar = timestamp >= EARLIEST && timestamp < END_OF_TIME;
  return onTheCalendar && !messageId.includes('\0') && Array.from(messageId).length <= MAX_MESSAGE_ID_LENGTH;
}
