import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { EARLIEST, END_OF_TIME } from '../../../services/messages/timestamp.ts';
import { decodeCursor, encodeCursor } from '../../../services/questions/events/cursor.ts';

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
    fc.property(timestamps, timestamps, messageIds, events, (timestamp, receivedAt, messageId, event) => {
      const place = { timestamp, receivedAt, messageId, event };
      const cursor = encodeCursor(place);

      expect(encodeURIComponent(cursor)).toBe(cursor);
      expect(decodeCursor(cursor)).toEqual(place);
    }),
  );
});

test('what is cut, prolonged or altered in its alphabet is no cursor', () => {
  const cursor = encodeCursor({ timestamp: 1_700_000_000_000_000n, receivedAt: 0n, messageId: 'm1', event: 'E' });

  expect(decodeCursor(cursor.slice(0, 12))).toBeUndefined();
  expect(decodeCursor(`${cursor}=`)).toBeUndefined();
  expect(decodeCursor(`${cursor}!`)).toBeUndefined();
  expect(decodeCursor(` ${cursor}`)).toBeUndefined();
});

test('a cursor made up by hand must name a place that there can be', () => {
  const text = (value: string): Buffer => Buffer.from(value);

  const times = Buffer.concat([time(0n), time(1n)]);
  const position = { timestamp: 0n, receivedAt: 1n, messageId: 'm', event: 'E' };

  expect(decodeCursor(cursorOf(3, times, 0, 1, text('mE')))).toEqual(position);
  expect(decodeCursor('')).toBeUndefined();
  expect(decodeCursor('x'.repeat(100_000))).toBeUndefined();
  expect(decodeCursor(cursorOf(3, times, text('m')))).toBeUndefined();
  expect(decodeCursor(cursorOf(3, times, 0, 9, text('mE')))).toBeUndefined();
  expect(decodeCursor(cursorOf(3, times, 0, 1, text('m')))).toBeUndefined();
  expect(decodeCursor(cursorOf(3, times, 0, 0, text('E')))).toBeUndefined();
  expect(decodeCursor(cursorOf(3, times, 0, 1, text(`m${'E'.repeat(513)}`)))).toBeUndefined();
  expect(decodeCursor(cursorOf(3, times, 0, 129, text(`${'m'.repeat(129)}E`)))).toBeUndefined();
  expect(decodeCursor(cursorOf(3, time(EARLIEST - 1n), time(0n), 0, 1, text('mE')))).toBeUndefined();
  expect(decodeCursor(cursorOf(3, time(0n), time(END_OF_TIME), 0, 1, text('mE')))).toBeUndefined();
  expect(decodeCursor(cursorOf(3, times, 0, 2, text('m\0E')))).toBeUndefined();
  expect(decodeCursor(cursorOf(3, times, 0, 1, Buffer.of(0xff), text('E')))).toBeUndefined();
});

test('a cursor of an earlier version, whose lists had another order, is no cursor', () => {
  const [id, event] = [Buffer.from('m'), Buffer.from('E')];

  expect(decodeCursor(cursorOf(1, time(0n), id))).toBeUndefined();
  expect(decodeCursor(cursorOf(2, time(0n), 0, 1, id, event))).toBeUndefined();
});

test('whatever is sent as a cursor is judged without an error', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.base64String(),
        fc.uint8Array().map((bytes) => cursorOf(3, bytes)),
        fc.uint8Array().map((bytes) => cursorOf(3, time(0n), time(0n), 0, 2, bytes)),
      ),
      (text) => {
        const place = decodeCursor(text);

        if (place !== undefined) expect(encodeCursor(place)).toBe(text);
      },
    ),
  );
});
