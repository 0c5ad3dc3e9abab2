import { describe, expect, test } from 'vitest';
import { LIVE_TOPICS } from '../../../services/messages/message.ts';
import { LiveLag } from '../../../services/consumers/throttle/live-lag.ts';
import { MemoryLog } from '../../support/event-log/memory-log.ts';
import { MemoryProgress } from '../../support/http/reading-fakes.ts';

const RECORD = { key: new Uint8Array(), value: new Uint8Array() };

function scene() {
  const log = new MemoryLog();
  const progress = new MemoryProgress();
  const clock = { ms: 0, isPaused: false };
  for (const topic of LIVE_TOPICS) log.records(topic, 0);
  const lag = new LiveLag({
    log,
    progress,
    readers: ['projector', 'sink'],
    arePaused: async () => clock.isPaused,
    nowMs: () => clock.ms,
  });
  /** Appends live messages, `afterMs` after the last. */
  const come = (messages: number, afterMs: number): void => {
    clock.ms += afterMs;
    for (let i = 0; i < messages; i++) log.put('tidemark.track', 0, RECORD);
  };
  return { log, progress, clock, lag, come };
}

describe('how far live readers are behind', () => {
  test('the live lag is 0 if the live readers have read everything', async () => {
    const { lag, progress, come } = scene();
    come(5, 0);
    progress.move('both', 'tidemark.track', 0, 5n);

    expect(await lag.ms()).toBe(0);
  });

  test('the live lag is the age of the log end that the slower reader has reached', async () => {
    const { lag, progress, come } = scene();
    await lag.ms();
    come(10, 1_000);
    await lag.ms();
    come(10, 3_000);
    progress.move('projector', 'tidemark.track', 0, 20n);
    progress.move('sink', 'tidemark.track', 0, 9n);

    expect(await lag.ms()).toBe(3_000);
    progress.move('sink', 'tidemark.track', 0, 20n);
    come(0, 1_000);
    expect(await lag.ms()).toBe(0);
  });

  test('the live lag is 0 while the live readers are paused for a generation to overtake them', async () => {
    const { lag, clock, come } = scene();
    await lag.ms();
    come(10, 1_000);
    await lag.ms();
    come(0, 5_000);
    expect(await lag.ms()).toBe(5_000);

    clock.isPaused = true;
    come(0, 1_000);
    expect(await lag.ms()).toBe(0);
    clock.isPaused = false;
    come(0, 1_000);
    expect(await lag.ms()).toBe(7_000);
  });

  test('the live lag ignores imported messages', async () => {
    const { lag, log, progress, come } = scene();
    await lag.ms();
    log.put('tidemark.import-track', 0, RECORD);
    progress.move('both', 'tidemark.import-identify', 0, 7n);
    come(1, 500);
    await lag.ms();
    come(0, 500);

    expect(await lag.ms()).toBe(500);
  });

  test('the live lag is measured at most once per interval', async () => {
    const { lag, progress, clock } = scene();

    await Promise.all([lag.ms(), lag.ms()]);
    clock.ms += 100;
    await lag.ms();

    expect(progress.calls).toBe(1);
  });
});
