import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { Heartbeat, Rates } from '../../../services/operations/status/heartbeat.ts';
import { createLogger } from '../../../services/runtime/logger.ts';
import { MemoryProcessStore } from '../../../services/stores/service-state/process-store.ts';

const logger = createLogger('silent', new Writable());

test('rates are those of the last minute', () => {
  const rates = new Rates();

  expect(rates.of({ accepted: 500 }, 0)).toEqual({ accepted: 0 });
  expect(rates.of({ accepted: 600 }, 5_000)).toEqual({ accepted: 20 });
  for (let at = 10_000; at <= 65_000; at += 5_000) rates.of({ accepted: 600 }, at);
  expect(rates.of({ accepted: 600, sink: 7 }, 70_000)).toEqual({ accepted: 0, sink: 0.11666666666666667 });
});

test('a process reports until it stops, and then its report is gone', async () => {
  const processes = new MemoryProcessStore();
  let sink = 0;
  const observe = () => ({ parts: { sink: 'ready' }, counters: { sink: (sink += 10) } });
  const heartbeat = new Heartbeat({ role: 'sink', part: 'readers', processes, observe, logger, everyMs: 10 });
  heartbeat.start();

  await expect.poll(async () => (await processes.list())[0]?.rates['sink']).toBeGreaterThan(0);
  expect(await processes.list()).toMatchObject([{ role: 'sink', parts: { sink: 'ready' } }]);
  await heartbeat.stop();
  await heartbeat.stop();

  expect(await processes.list()).toEqual([]);
});

test('a process whose report cannot be kept goes on, and reports later', async () => {
  const processes = new MemoryProcessStore();
  let failures = 0;
  const observe = async () => {
    if (failures++ < 2) throw new Error('unavailable, as ordered');
    return { parts: {}, counters: {} };
  };
  const heartbeat = new Heartbeat({ role: 'sink', part: 'readers', processes, observe, logger, everyMs: 10 });
  heartbeat.start();

  await expect.poll(async () => (await processes.list()).length).toBe(1);
  await heartbeat.stop();
});
