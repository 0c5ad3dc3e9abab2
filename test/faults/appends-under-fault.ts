import { expect } from 'vitest';
import type { EventLog } from '../../services/event-log/event-log.ts';
import { compare, NOTHING, repeatsIn } from './compare-log.ts';
import { readWhole } from './kafka/raw-reader.ts';
import { RememberingAppends } from './remembering-appends.ts';

/** Enough to fill a request with several partitions, and to have another wait behind it. */
const LOAD = { writers: 12, keysAWriter: 3 };

/** A fault may last: the client's own patience, and an election, are in it. */
const RESUME_WITHIN_MS = 30_000;

export interface Outcome {
  readonly acknowledged: number;
  /** Appends that rejected, and were made again. */
  readonly rejections: number;
  /** Records that are there more than once. */
  readonly repeats: number;
  /** From the end of the fault until every writer has had an acknowledgement again. */
  readonly resumedAfterMs: number;
}

export interface FaultyAppends {
  readonly log: EventLog;
  readonly topic: string;
  /** Where the topic can be read, once the fault is over. */
  readonly brokers: readonly string[];
  /** Called under load. */
  readonly fault: (load: RememberingAppends) => Promise<void>;
}

/**
 * Appends from many writers while the fault takes place, and until all go on after it; then compares the topic with what
 * was acknowledged: nothing is missing, every record is where the answer said, each key's records are in order.
 */
export async function appendUnderFault({ log, topic, brokers, fault }: FaultyAppends): Promise<Outcome> {
  const load = new RememberingAppends({ log, topic, ...LOAD });
  load.start();
  let resumedAfterMs = 0;
  try {
    await acknowledgedAfter(load, performance.now());
    await fault(load);
    const overAt = performance.now();
    await acknowledgedAfter(load, overAt);
    resumedAfterMs = Math.round(performance.now() - overAt);
  } finally {
    await load.stop();
  }
  const written = await readWhole(brokers, topic);
  expect(load.wrongErrors).toEqual([]);
  expect(compare(written, load.acknowledged)).toEqual(NOTHING);
  const { rejections, acknowledged } = load;
  return { acknowledged: acknowledged.length, rejections, repeats: repeatsIn(written), resumedAfterMs };
}

async function acknowledgedAfter(load: RememberingAppends, sinceMs: number): Promise<void> {
  await expect.poll(() => load.acknowledgedSince(sinceMs), { timeout: RESUME_WITHIN_MS, interval: 10 }).toBe(true);
}
