import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LogReader, Position } from '../../services/event-log/event-log.ts';
import { ThrottledCommits } from '../../services/consumers/throttled-commits.ts';
import { TidemarkError } from '../../services/runtime/errors.ts';

const committed: (readonly Position[] | 'closed')[] = [];
const commit = vi.fn<LogReader['commit']>();
let reader: ThrottledCommits;

beforeEach(() => {
  vi.useFakeTimers();
  committed.length = 0;
  reader = new ThrottledCommits({
    assigned: () => [],
    poll: async () => [],
    commit,
    restart: () => undefined,
    close: async () => void committed.push('closed'),
  });
  commit.mockImplementation(async (positions) => void committed.push(positions));
});
afterEach(() => void vi.useRealTimers());

test('the last position of each partition is committed once a second', async () => {
  await reader.commit([at(0, 1n), at(1, 5n)]);
  await reader.commit([at(0, 2n)]);
  await vi.advanceTimersByTimeAsync(999);
  expect(committed).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(committed).toEqual([[at(0, 2n), at(1, 5n)]]);

  await vi.advanceTimersByTimeAsync(5_000);
  await reader.commit([at(1, 6n)]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(committed.slice(1)).toEqual([[at(1, 6n)]]);
});

test('a commit that the log does not take is no error, and the next one is made', async () => {
  commit.mockRejectedValueOnce(new TidemarkError('LOG_UNAVAILABLE', 'the disk is full'));
  await reader.commit([at(0, 3n)]);
  await vi.advanceTimersByTimeAsync(1_000);
  await reader.commit([at(0, 4n)]);
  await vi.advanceTimersByTimeAsync(1_000);

  expect(committed).toEqual([[at(0, 4n)]]);
});

test('the last position is committed before the reader closes, and nothing after', async () => {
  await reader.commit([at(0, 9n)]);
  await reader.close();
  await vi.advanceTimersByTimeAsync(5_000);

  expect(committed).toEqual([[at(0, 9n)], 'closed']);
});

test('a commit after the close reaches the log before it resolves', async () => {
  await reader.close();
  await reader.commit([at(0, 10n)]);
  expect(committed).toEqual(['closed', [at(0, 10n)]]);

  await vi.advanceTimersByTimeAsync(5_000);
  expect(committed).toHaveLength(2);
});

function at(partition: number, offset: bigint): Position {
  return { topic: 't', partition, offset, identity: 'i' };
}
