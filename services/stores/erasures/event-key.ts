/** What makes an event one event, whichever copy of it comes: 64 bits of a hash, in hexadecimal. */
import { hash } from 'node:crypto';
import type { Track } from '../../messages/message.ts';

/** An expression on rows of ClickHouse with `user`, `message_id` and `event`: the same as `eventKeyOf`. */
export const EVENT_KEY_SQL = `lower(substring(hex(SHA256(concat(leftPad(lower(hex(user)), 32, '0'), toString(length(message_id)), '/', message_id, event))), 1, 16))`;

/** The same of dead letters `l` of Postgres. */
export const LETTER_KEY_SQL = `left(encode(sha256(convert_to(
  concat(left(l.user_key, 32), octet_length(l.message_id), '/', l.message_id, l.event), 'UTF8')), 'hex'), 16)`;

/** Copies have the same, on whatever day they are. */
export function eventKeyOf({ userKey, messageId, event }: Pick<Track, 'userKey' | 'messageId' | 'event'>): string {
  const text = `${userKey.slice(0, 32)}${Buffer.byteLength(messageId)}/${messageId}${event}`;
  return hash('sha256', text, 'hex').slice(0, 16);
}
