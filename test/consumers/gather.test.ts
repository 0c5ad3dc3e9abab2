import { syncBuiltinESMExports } from 'node:module';
import { Writable } from 'node:stream';
import timers from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest';
import type { LogRecord, PollOptions } from '../../services/event-log/event-log.ts';
import { ReaderLoop } from '../../services/consumers/reader-loop.ts';
import { createLogger } from '../../services/runtime/logger.ts';

const POLL: PollOptions = { maxRecords: 4_000, maxBytes: 2 ** 20, maxWaitMs: 1 };

/** Nobody waits here: how long a reader would have is seen from what it asks for. */
let delay: MockInstance<(ms?: number) => Promise<unknown>>;

beforeEach(() => {
  delay = vi.spyOn(timers, 'setTimeout').mockImplementation(() => new Promise(setImmediate));
  syncBuiltinESMExports();
});
afterEach(() => {
  delay.mockRestore();
  syncBuiltinESMExports();
});

describe('a reader that follows the log', () => {
  test('from the second small batch on, a reader waits for more records, less than a tenth of a second each time', async () => {
    await read([1, 1, 1, 2, 1]);

    const waits = delay.mock.calls.map(([ms]) => ms ?? 0);
    expect(waits).toHaveLength(4);
    for (const ms of waits) expect(ms).toBeLessThanOrEqual(100);
  });

  test('a reader polls again at once after a large batch, and after the batch that follows it', async () => {
    await read([1, 1_000, 1, 1_000, 1]);

    expect(delay).not.toHaveBeenCalled();
  });

  test('a reader polls again at once after a batch of a few large records', async () => {
    await read([3, 3, 3], { bytes: 100_000 });

    expect(delay).not.toHaveBeenCalled();
  });

  test('a reader polls again at once if it may not take more', async () => {
    await read([5, 5, 5], { poll: { ...POLL, maxRecords: 5 } });

    expect(delay).not.toHaveBeenCalled();
  });

  test('a reader polls again at once if it found nothing', async () => {
    await read([1, 0, 0, 1_000, 0]);

    expect(delay).not.toHaveBeenCalled();
  });
});

/** A reader that finds batches of these sizes, one after another. */
async function read(counts: readonly number[], { bytes = 10, poll = POLL } = {}): Promise<void> {
  const { promise: end, resolve: finish } = Promise.withResolvers<void>();
  const left = [...counts];
  const loop = new ReaderLoop({
    logger: createLogger('silent', new Writable()),
    poll,
    handle: async () => undefined,
    openReader: async () => ({
      assigned: () => [],
      commit: async () => undefined,
      restart: () => undefined,
      close: async () => undefined,
      poll: async () => {
        const count = left.shift();
        if (count === undefined) finish();
        await new Promise(setImmediate);
        return count ? [{ topic: 't', partition: 0, records: Array<LogRecord>(count).fill(record(bytes)) }] : [];
      },
    }),
  });
  loop.start();
  await end;
  await loop.stop();
}

function record(bytes: number): LogRecord {
  return { offset: 0n, appendedAtMs: 0, key: Buffer.alloc(0), value: Buffer.alloc(bytes) };
}
