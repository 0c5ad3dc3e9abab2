import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LogReader, Position } from '../../services/event-log/event-log.ts';
import { ThrottledCommits } from '../../services/consumers/throttled-commits.ts';
import { TidemarkError } from '../../services/runtime/errors.ts';

const told: (readonly Position[] | 'closed')[] = [];
const commit = vi.fn<LogReader['commit']>();
let reader: ThrottledCommits;

beforeEach(() => {
  vi.useFakeTimers();
  told.length = 0;
  reader = new ThrottledCommits({
    assigned: () => [],
    poll: async () => [],
    commit,
    restart: () => undefined,
    close: async () => void told.push('closed'),
  });
  commit.mockImplementation(async (positions) => void told.push(positions));
});
afterEach(() => void vi.useRealTimers());

test('a group is told once a second, of each partition the last', async () => {
  await reader.commit([at(0, 1n), at(1, 5n)]);
  await reader.commit([at(0, 2n)]);
  await vi.advanceTimersByTimeAsync(999);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(told).toEqual([[at(0, 2n), at(1, 5n)]]);

  await vi.advanceTimersByTimeAsync(5_000);
  await reader.commit([at(1, 6n)]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(told.slice(1)).toEqual([[at(1, 6n)]]);
});

test('what the log does not take now is no error, and the next is told', async () => {
  commit.mockRejectedValueOnce(new TidemarkError('LOG_UNAVAILABLE', 'the disk is full'));
  await reader.commit([at(0, 3n)]);
  await vi.advanceTimersByTimeAsync(1_000);
  await reader.commit([at(0, 4n)]);
  await vi.advanceTimersByTimeAsync(1_000);

  expect(told).toEqual([[at(0, 4n)]]);
});

test('the last is told before the reader leaves, and nothing after', async () => {
  await reader.commit([at(0, 9n)]);
  await reader.close();
  await vi.advanceTimersByTimeAsync(5_000);

  expect(told).toEqual([[at(0, 9n)], 'closed']);
});

test('what is done after it has left is told before that resolves, and never later', async () => {
  await reader.close();
  await reader.commit([at(0, 10n)]);
  expect(told).toEqual(['closed', [at(0, 10n)]]);

  await vi.advanceTimersByTimeAsync(5_000);
  expect(told).toHaveLength(2);
});

function at(partition: number, offset: bigint): Position {
  return { topic: 't', partition, offset, identity: 'i' };
}
