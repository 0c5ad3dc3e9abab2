import type { EventCursor } from '../../stores/analytics/analytics-store.ts';
import { isHex } from '../../messages/hex.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

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
