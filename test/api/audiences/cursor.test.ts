import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { EARLIEST, END_OF_TIME } from '../../../services/messages/timestamp.ts';
import {
  BEHIND_ALL,
  decodeChangesCursor,
  decodeListCursor,
  decodeMembersCursor,
  encodeChangesCursor,
  encodeListCursor,
  encodeMembersCursor,
  userNumberOf,
} from '../../../services/api/audiences/cursor.ts';

const ID = 'aud_0123456789abcdefghij';
const ids = fc.stringMatching(/^aud_[a-z0-9]{20}$/);
const times = fc.bigInt({ min: EARLIEST, max: END_OF_TIME - 1n });
const users = fc.bigInt({ min: 0n, max: BEHIND_ALL });
const versions = fc.nat({ max: 2 ** 31 - 1 });

const members = encodeMembersCursor({ audienceId: ID, version: 3, now: 1_700_000_000_000_000n, after: 7n });
const changes = encodeChangesCursor({ audienceId: ID, at: 1_700_000_000_000_000n, after: 7n });
const list = encodeListCursor({ createdAtMs: 1_700_000_000_000, id: ID });

test('every place among members comes back from its cursor, which needs no encoding in an address', () => {
  fc.assert(
    fc.property(ids, versions, times, users, (audienceId, version, now, after) => {
      const cursor = encodeMembersCursor({ audienceId, version, now, after });

      expect(encodeURIComponent(cursor)).toBe(cursor);
      expect(decodeMembersCursor(cursor)).toEqual({ audienceId, version, now, after });
    }),
  );
});

test('every place among changes, and in the list, comes back from its cursor', () => {
  fc.assert(
    fc.property(ids, times, users, fc.nat(), (audienceId, at, after, createdAtMs) => {
      const place = { audienceId, at, after };

      expect(decodeChangesCursor(encodeChangesCursor(place))).toEqual(place);
      expect(decodeListCursor(encodeListCursor({ createdAtMs, id: audienceId }))).toEqual({
        createdAtMs,
        id: audienceId,
      });
    }),
  );
});

test('a cursor of one kind is not one of another', () => {
  expect([decodeMembersCursor(changes), decodeMembersCursor(list)]).toEqual([undefined, undefined]);
  expect([decodeChangesCursor(members), decodeChangesCursor(list)]).toEqual([undefined, undefined]);
  expect([decodeListCursor(members), decodeListCursor(changes)]).toEqual([undefined, undefined]);
});

test('what is cut, prolonged or altered in its alphabet is no cursor', () => {
  expect(decodeMembersCursor(members)).toBeDefined();
  for (const text of ['', members.slice(0, 38), `${members}=`, `${members}!`, ` ${members}`, 'A'.repeat(100_000)]) {
    expect(decodeMembersCursor(text)).toBeUndefined();
  }
});

test('a cursor of members names a time on the calendar and an id of word characters', () => {
  const place = { audienceId: ID, version: 1, now: 0n, after: 0n };

  expect(decodeMembersCursor(encodeMembersCursor({ ...place, now: END_OF_TIME }))).toBeUndefined();
  expect(decodeMembersCursor(encodeMembersCursor({ ...place, now: EARLIEST - 1n }))).toBeUndefined();
  expect(decodeMembersCursor(encodeMembersCursor({ ...place, audienceId: "aud'" }))).toBeUndefined();
  expect(decodeChangesCursor(encodeChangesCursor({ audienceId: ID, at: END_OF_TIME, after: 0n }))).toBeUndefined();
});

test('the number of a user is the first half of the internal id, so that both have one order', () => {
  expect(userNumberOf('0'.repeat(31) + '1' + 'f'.repeat(32))).toBe(1n);
  expect(userNumberOf('f'.repeat(64))).toBe(BEHIND_ALL);
});
