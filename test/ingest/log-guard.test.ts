import { describe, expect, test } from 'vitest';
import type { Position } from '../../services/event-log/event-log.ts';
import { positionAfter } from '../../services/event-log/identity.ts';
import { LogGuard } from '../../services/ingest/log-guard.ts';
import { TidemarkError } from '../../services/runtime/errors.ts';
import { MemoryLog } from '../support/event-log/memory-log.ts';

const AT = { topic: 'tidemark.track', partition: 0 };
const RECORD = { topic: AT.topic, key: Buffer.from('k'), value: Buffer.from('new') };

/** A log with these records, and the guard of it by readers that have read those. */
function scene({ onLog, read }: { readonly onLog: readonly string[]; readonly read: readonly string[] }) {
  const [log, before] = [new MemoryLog(), new MemoryLog()];
  for (const text of onLog) log.put(AT.topic, 0, { key: Buffer.from('k'), value: Buffer.from(text) });
  for (const text of read) before.put(AT.topic, 0, { key: Buffer.from('k'), value: Buffer.from(text) });
  const last = before.records(AT.topic, 0).at(-1);
  const positions: Position[] = last === undefined ? [] : [positionAfter(AT, last)];
  const errors: unknown[] = [];
  const database = { isUnreachable: false, positions };
  const progress = async () => {
    if (database.isUnreachable) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable');
    return { projector: database.positions, sink: [] };
  };
  const logger = { error: (fields: unknown) => void errors.push(fields) };
  return { log, database, errors, guard: new LogGuard({ log, progress: { progress }, logger, everyMs: 0 }) };
}

describe('a log that the readers have read', () => {
  test.each([
    ['that has grown since', { onLog: ['a', 'b', 'c'], read: ['a', 'b'] }],
    ['that ends where they stand', { onLog: ['a', 'b'], read: ['a', 'b'] }],
    ['that is new as they are', { onLog: [], read: [] }],
  ])('a log %s is appended to', async (_, state) => {
    const { guard, log } = scene(state);

    await guard.append([RECORD]);

    expect(log.records(AT.topic, 0)).toHaveLength(state.onLog.length + 1);
    await expect(guard.check()).resolves.toBeUndefined();
  });
});

describe('another log', () => {
  test.each([
    ['that is shorter', { onLog: ['a'], read: ['a', 'b'] }],
    ['that is empty', { onLog: [], read: ['a'] }],
    ['with another record where they stand', { onLog: ['a', 'x', 'c'], read: ['a', 'b'] }],
  ])('a log %s is not appended to, and the reason is logged once', async (_, state) => {
    const { guard, log, errors } = scene(state);

    await expect(guard.append([RECORD])).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE', retryable: true });
    await expect(guard.check()).rejects.toMatchObject({ code: 'LOG_REPLACED' });
    await expect(guard.append([RECORD])).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });

    expect(log.records(AT.topic, 0)).toHaveLength(state.onLog.length);
    expect(errors).toHaveLength(1);
  });

  test('a log that is made anew while the process runs is noticed by the next check', async () => {
    const { guard, database } = scene({ onLog: ['a'], read: ['a'] });
    await guard.append([RECORD]);

    database.positions = [{ ...AT, offset: 7n, identity: 'f'.repeat(32) }];
    await guard.check().catch(() => undefined);

    await expect.poll(() => guard.check().catch((error: unknown) => error)).toMatchObject({ code: 'LOG_REPLACED' });
    await expect(guard.append([RECORD])).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });
  });
});

test('nothing is appended until the positions could be read, and then it is, whether or not they can be read', async () => {
  const { guard, database } = scene({ onLog: ['a'], read: ['a'] });
  database.isUnreachable = true;
  await expect(guard.append([RECORD])).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });

  database.isUnreachable = false;
  await guard.append([RECORD]);
  database.isUnreachable = true;

  await expect(guard.append([RECORD])).resolves.toHaveLength(1);
  await expect(guard.check()).resolves.toBeUndefined();
});
