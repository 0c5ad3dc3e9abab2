import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { EARLIEST, END_OF_TIME } from '../../services/messages/timestamp.ts';
import { decodeCursor, encodeCursor } from '../../services/query-api/cursor.ts';

const messageIds = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 128 })
  .filter((text) => text.isWellFormed() && !text.includes('\0'));
const events = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 512 })
  .filter((text) => text.isWellFormed() && !text.includes('\0'));
const timestamps = fc.bigInt({ min: EARLIEST, max: END_OF_TIME - 1n });

function cursorOf(...bytes: readonly (number | Uint8Array)[]): string {
  return Buffer.concat(bytes.map((part) => (typeof part === 'number' ? Buffer.of(part) : part))).toString('base64url');
}

function time(micros: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(micros);
  return bytes;
}

test('every place comes back from its cursor, which needs no encoding in an address', () => {
  fc.assert(
    fc.property(timestamps, messageIds, fc.option(events, { nil: undefined }), (timestamp, messageId, event) => {
      const place = { timestamp, messageId, ...(event !== undefined && { event }) };
      const cursor = encodeCursor(place);

      expect(encodeURIComponent(cursor)).toBe(cursor);
      expect(decodeCursor(cursor)).toEqual(place);
    }),
  );
});

test('what is cut, prolonged or altered in its alphabet is no cursor', () => {
  const cursor = encodeCursor({ timestamp: 1_700_000_000_000_000n, messageId: 'm1' });

  expect(decodeCursor(cursor.slice(0, 12))).toBeUndefined();
  expect(decodeCursor(`${cursor}=`)).toBeUndefined();
  expect(decodeCursor(`${cursor}!`)).toBeUndefined();
  expect(decodeCursor(` ${cursor}`)).toBeUndefined();
});

test('a cursor made up by hand must name a place that there can be', () => {
  const text = (value: string): Buffer => Buffer.from(value);

  expect(decodeCursor(cursorOf(1, time(0n), text('m')))).toEqual({ timestamp: 0n, messageId: 'm' });
  expect(decodeCursor('')).toBeUndefined();
  expect(decodeCursor('x'.repeat(100_000))).toBeUndefined();
  expect(decodeCursor(cursorOf(2, time(0n), 0, 1, text('mE')))).toEqual({ timestamp: 0n, messageId: 'm', event: 'E' });
  expect(decodeCursor(cursorOf(2, time(0n), text('m')))).toBeUndefined();
  expect(decodeCursor(cursorOf(2, time(0n), 0, 9, text('mE')))).toBeUndefined();
  expect(decodeCursor(cursorOf(2, time(0n), 0, 1, text('m')))).toBeUndefined();
  expect(decodeCursor(cursorOf(2, time(0n), 0, 0, text('E')))).toBeUndefined();
  expect(decodeCursor(cursorOf(2, time(0n), 0, 1, text(`m${'E'.repeat(513)}`)))).toBeUndefined();
  expect(decodeCursor(cursorOf(3, time(0n), text('m')))).toBeUndefined();
  expect(decodeCursor(cursorOf(1, time(0n)))).toBeUndefined();
  expect(decodeCursor(cursorOf(1, time(EARLIEST - 1n), text('m')))).toBeUndefined();
  expect(decodeCursor(cursorOf(1, time(END_OF_TIME), text('m')))).toBeUndefined();
  expect(decodeCursor(cursorOf(1, time(0n), text('m\0')))).toBeUndefined();
  expect(decodeCursor(cursorOf(1, time(0n), text('m'.repeat(129))))).toBeUndefined();
  expect(decodeCursor(cursorOf(1, time(0n), Buffer.of(0xff)))).toBeUndefined();
});

test('whatever is sent as a cursor is judged without an error', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.base64String(),
        fc.uint8Array().map((bytes) => cursorOf(1, bytes)),
        fc.uint8Array().map((bytes) => cursorOf(2, time(0n), 0, 2, bytes)),
      ),
      (text) => {
        const place = decodeCursor(text);

        if (place !== undefined) expect(encodeCursor(place)).toBe(text);
      },
    ),
  );
});
