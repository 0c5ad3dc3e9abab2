/** Cursors over audiences: opaque, of a fixed format, valid as long as the audience that they name exists. */
import type { AudienceCursor } from '../../questions/saved/audience-store.ts';
import type { Micros } from '../../messages/message.ts';
import { EARLIEST, END_OF_TIME } from '../../messages/timestamp.ts';

/** A position in the stream of an audience's members: after this user, evaluated as of `now`. */
export interface MembersCursor {
  readonly audienceId: string;
  /** Version of the definition. */
  readonly version: number;
  readonly now: Micros;
  readonly after: bigint;
}

/** A position in the stream of changes: after this user of this evaluation. */
export interface ChangesCursor {
  readonly audienceId: string;
  readonly at: Micros;
  readonly after: bigint;
}

const FORMATS = { list: 2, members: 3, changes: 4, versions: 5, history: 6 } as const;
const LAST_USER = 2n ** 128n - 1n;
const MAX_LENGTH = 160;

export function encodeListCursor({ createdAtMs, id }: AudienceCursor): string {
  return pack(FORMATS.list, [BigInt(createdAtMs), 0n, 0n], id);
}

export function decodeListCursor(text: string): AudienceCursor | undefined {
  const read = unpack(FORMATS.list, text);
  return read && { createdAtMs: Number(read.numbers[0]), id: read.id };
}

export function encodeMembersCursor({ audienceId, version, now, after }: MembersCursor): string {
  return pack(FORMATS.members, [now, BigInt(version), after], audienceId);
}

export function decodeMembersCursor(text: string): MembersCursor | undefined {
  const read = unpack(FORMATS.members, text);
  if (read === undefined) return undefined;
  const [now, version, after] = read.numbers;
  return isOnTheCalendar(now) ? { audienceId: read.id, version: Number(version), now, after } : undefined;
}

export function encodeChangesCursor({ audienceId, at, after }: ChangesCursor): string {
  return pack(FORMATS.changes, [at, 0n, after], audienceId);
}

export function decodeChangesCursor(text: string): ChangesCursor | undefined {
  const read = unpack(FORMATS.changes, text);
  if (read === undefined) return undefined;
  const [at, , after] = read.numbers;
  return isOnTheCalendar(at) ? { audienceId: read.id, at, after } : undefined;
}

/** A position in the list of an audience's versions: after this one. */
export interface VersionsCursor {
  readonly audienceId: string;
  readonly version: number;
}

/** A position in the list of an audience's evaluations: only those before this time. */
export interface HistoryCursor {
  readonly audienceId: string;
  readonly before: Micros;
}

export function encodeVersionsCursor({ audienceId, version }: VersionsCursor): string {
  return pack(FORMATS.versions, [0n, BigInt(version), 0n], audienceId);
}

export function decodeVersionsCursor(text: string): VersionsCursor | undefined {
  const read = unpack(FORMATS.versions, text);
  return read && { audienceId: read.id, version: Number(read.numbers[1]) };
}

export function encodeHistoryCursor({ audienceId, before }: HistoryCursor): string {
  return pack(FORMATS.history, [before, 0n, 0n], audienceId);
}

export function decodeHistoryCursor(text: string): HistoryCursor | undefined {
  const read = unpack(FORMATS.history, text);
  return read && isOnTheCalendar(read.numbers[0]) ? { audienceId: read.id, before: read.numbers[0] } : undefined;
}

/** The number of the user with this internal id: its first 128 bits. */
export function userNumberOf(internalId: string): bigint {
  return BigInt(`0x${internalId.slice(0, 32)}`);
}

/** Sort before and after every user. */
export const BEFORE_ALL = 0n;
export const BEHIND_ALL = LAST_USER;

/** base64url of the format, a time, a small number, a user's number and an id. A position has exactly one cursor. */
function pack(format: number, [time, small, user]: readonly [bigint, bigint, bigint], id: string): string {
  const head = Buffer.alloc(29);
  head.writeUInt8(format);
  head.writeBigInt64BE(time, 1);
  head.writeUInt32BE(Number(small), 9);
  head.writeBigUInt64BE(user >> 64n, 13);
  head.writeBigUInt64BE(user & (2n ** 64n - 1n), 21);
  return Buffer.concat([head, Buffer.from(id)]).toString('base64url');
}

function unpack(format: number, text: string): { numbers: readonly [bigint, bigint, bigint]; id: string } | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length < 30 || bytes[0] !== format) return undefined;
  const id = bytes.subarray(29).toString();
  const user = (bytes.readBigUInt64BE(13) << 64n) | bytes.readBigUInt64BE(21);
  const numbers = [bytes.readBigInt64BE(1), BigInt(bytes.readUInt32BE(9)), user] as const;
  return /^\w+$/.test(id) && pack(format, numbers, id) === text ? { numbers, id } : undefined;
}

function isOnTheCalendar(micros: Micros): boolean {
  return micros >= EARLIEST && micros < END_OF_TIME;
}
