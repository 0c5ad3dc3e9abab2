import { describe, expect, test } from 'vitest';
import { entryAt } from '../../services/event-log/start.ts';

const at = { topic: 't', partition: 3 };
const identity = 'a'.repeat(32);

describe('where reading a partition begins', () => {
  test('a reader that has read nothing begins at the first record', () => {
    const entry = entryAt({ ...at, offset: 0n, identity: '' }, { earliest: 7n, latest: 9n });

    expect(entry).toEqual({ ...at, from: 7n });
  });

  test.each([8n, 9n])('reading begins at the record before the position %d, to be compared', (offset) => {
    const entry = entryAt({ ...at, offset, identity }, { earliest: 2n, latest: 9n });

    expect(entry).toEqual({ ...at, from: offset - 1n, identity });
  });

  test('reading begins at the position itself where records were deleted exactly up to it', () => {
    const entry = entryAt({ ...at, offset: 7n, identity }, { earliest: 7n, latest: 7n });

    expect(entry).toEqual({ ...at, from: 7n });
  });

  test.each([
    ['past the end', 10n, identity],
    ['before what is held', 6n, identity],
    ['without the record before it', 8n, ''],
    ['at the beginning with a record before it', 0n, identity],
  ])('a position %s fails with LOG_REPLACED', (_, offset, identity) => {
    expect(() => entryAt({ ...at, offset, identity }, { earliest: 7n, latest: 9n })).toThrow(
      expect.objectContaining({ code: 'LOG_REPLACED' }),
    );
  });
});
