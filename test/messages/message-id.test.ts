import { validate, version } from 'uuid';
import { describe, expect, test } from 'vitest';
import { idempotentMessageId, messageIdAt, newMessageId } from '../../services/messages/message-id.ts';

describe('a new message id', () => {
  test('a new message id is a UUIDv7 of this moment', () => {
    const before = Date.now();
    const id = newMessageId();
    const after = Date.now();

    const ms = Number.parseInt(id.replace('-', '').slice(0, 12), 16);
    expect([validate(id), version(id)]).toEqual([true, 7]);
    expect(ms).toBeGreaterThanOrEqual(before);
    expect(ms).toBeLessThanOrEqual(after);
  });

  test('a new message id differs every time', () => {
    expect(new Set(Array.from({ length: 10_000 }, newMessageId)).size).toBe(10_000);
  });
});

describe('the ids that come after a new one', () => {
  test('the ids that follow a new one are distinct UUIDv7s, the first itself', () => {
    const first = newMessageId();
    const ids = Array.from({ length: 0x1_0000 }, (_, index) => messageIdAt(first, index));

    expect(ids[0]).toBe(first);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !validate(id) || version(id) !== 7 || id.slice(0, 32) !== first.slice(0, 32))).toEqual(
      [],
    );
  });

  test('the ids that follow wrap around after the last digits', () => {
    expect(messageIdAt('019ab000-0000-7000-8000-00000000fffe', 3)).toBe('019ab000-0000-7000-8000-000000000001');
  });
});

describe('a message id made from an idempotency key', () => {
  test('a message id from an idempotency key is a UUIDv8 that never changes', () => {
    const id = idempotentMessageId('proj_1', 'key', 0);

    expect([validate(id), version(id)]).toEqual([true, 8]);
    expect(id).toBe('7dabfb97-2597-8b02-91e9-b7c01748db5c');
  });

  test('a message id from an idempotency key is the same for the same request only', () => {
    const ids = [
      idempotentMessageId('p', 'key', 0),
      idempotentMessageId('p', 'key', 1),
      idempotentMessageId('p', 'key', 11),
      idempotentMessageId('p', 'key1', 1),
      idempotentMessageId('pk', 'ey', 0),
      idempotentMessageId('p', '3:key', 0),
      idempotentMessageId('q', 'key', 0),
    ];

    expect(new Set(ids).size).toBe(ids.length);
    expect(idempotentMessageId('p', 'key', 11)).toBe(ids[2]);
  });
});
