import { expect, test } from 'vitest';
import { ReaderMetrics } from '../../services/consumers/reader-metrics.ts';
import { sharedDatabase } from '../support/stores/database.ts';
import { MemoryLog } from '../support/event-log/memory-log.ts';

const database = sharedDatabase();
const NONE = { messages: 0, oldestAtMs: null };

test('a reader is as far behind as its oldest unprocessed message is old, and keeps the figure while nobody knows it', async () => {
  let lags = async () => ({
    projector: { messages: 7, oldestAtMs: Date.now() - 3_600_000 },
    sink: NONE,
    'import-projector': NONE,
    'import-sink': NONE,
  });
  const parts = { log: new MemoryLog(), database: database(), waitingMs: () => 0, lags: () => lags() };
  const metrics = new ReaderMetrics(parts, ['projector', 'sink'], []);
  const secondsOf = async (reader: string) => {
    const pattern = new RegExp(`^tidemark_reader_lag_seconds\\{reader="${reader}"\\} (.*)$`, 'm');
    return Number(pattern.exec(await metrics.text())?.[1]);
  };

  expect(await secondsOf('projector')).toBeGreaterThanOrEqual(3_600);
  expect(await secondsOf('sink')).toBe(0);
  lags = () => Promise.reject(new Error('unreachable'));
  expect(await secondsOf('projector')).toBeGreaterThanOrEqual(3_600);
  expect(await metrics.text()).toContain('tidemark_reader_lag_messages{reader="projector"} 7');
});
