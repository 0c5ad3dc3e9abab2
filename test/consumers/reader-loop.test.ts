import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { LogReader } from '../../services/event-log/event-log.ts';
import { ReaderLoop } from '../../services/consumers/reader-loop.ts';
import { TidemarkError } from '../../services/runtime/errors.ts';
import { createLogger } from '../../services/runtime/logger.ts';
import { eventually } from '../support/eventually.ts';

const KEY = new Uint8Array();

test('a reader shows how long it has been retrying, until it succeeds', async () => {
  let isUnreachable = false;
  const reader: LogReader = {
    assigned: () => [],
    poll: async () => [],
    commit: async () => undefined,
    restart: () => undefined,
    close: async () => undefined,
  };
  const loop = new ReaderLoop({
    logger: createLogger('silent', new Writable()),
    openReader: async () => reader,
    poll: { maxRecords: 1, maxBytes: 1, maxWaitMs: 1 },
    handle: async () => undefined,
  });
  const write = vi.fn(async () => {
    if (isUnreachable) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable');
  });

  await loop.withRetry('write', write);
  expect(loop.waitingMs).toBe(0);

  isUnreachable = true;
  const written = loop.withRetry('write', write);
  await eventually(() => expect(write.mock.calls.length).toBeGreaterThan(2));
  const first = loop.waitingMs;
  expect(first).toBeGreaterThan(0);
  await eventually(() => expect(loop.waitingMs).toBeGreaterThan(first));

  isUnreachable = false;
  await written;
  expect(loop.waitingMs).toBe(0);
});

test('a reader that restarts again and again counts as retrying, until it makes progress', async () => {
  let isBroken = true;
  const at = { topic: 't', partition: 0, records: [{ offset: 0n, appendedAtMs: 0, key: KEY, value: KEY }] };
  const reader: LogReader = {
    assigned: () => [],
    poll: async () => [at],
    commit: async () => undefined,
    restart: () => undefined,
    close: async () => undefined,
  };
  const loop = new ReaderLoop({
    logger: createLogger('silent', new Writable()),
    openReader: async () => reader,
    poll: { maxRecords: 1, maxBytes: 1, maxWaitMs: 1 },
    handle: async (_, opened) => {
      await nextTurn();
      if (isBroken) throw new TidemarkError('POSITION_MOVED', 'moved');
      await opened.commit([]);
    },
  });
  onTestFinished(() => loop.stop());

  loop.start();
  await eventually(() => expect(loop.waitingMs).toBeGreaterThan(50));
  expect(loop.trouble).toMatchObject({ code: 'POSITION_MOVED' });

  isBroken = false;
  await eventually(() => expect(loop.waitingMs).toBe(0));
});
