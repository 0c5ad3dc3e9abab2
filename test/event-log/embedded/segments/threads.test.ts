import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { SegmentStore } from '../../../../services/event-log/embedded/segments/segment-store.ts';
import { setSegmentBytes } from '../../../../services/event-log/embedded/segments/shared-log.ts';
import { openEmbedded } from '../../../support/event-log/embedded-logs.ts';
import { readCount, record, values } from '../../../support/event-log/event-log.ts';
import type { ThreadTask } from '../../../support/programs/event-log-thread.ts';
import type { SegmentNews, SegmentTask } from '../../../support/programs/segment-thread.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const RECORDS = 4_000;

beforeEach(() => {
  setSegmentBytes(20_000);
  return () => setSegmentBytes(64 * 2 ** 20);
});

function startThread(program: 'segment-thread' | 'event-log-thread', workerData: SegmentTask | ThreadTask): Worker {
  const thread = new Worker(new URL(`../../../support/programs/${program}.ts`, import.meta.url), { workerData });
  onTestFinished(async () => void (await thread.terminate()));
  return thread;
}

function openStore(folder: string): SegmentStore {
  const store = SegmentStore.open({ folder, topics: ['t'], partitions: undefined });
  onTestFinished(() => store.close());
  return store;
}

async function segmentsIn(folder: string): Promise<number> {
  return (await readdir(folder)).filter((name) => name.endsWith('.log')).length;
}

describe('a log of segments that several threads have open', () => {
  test('a reader in another thread reads all in order while segments are filled and those that it has read are cut', async () => {
    const folder = await temporaryFolder();
    const log = await openEmbedded(folder);
    const store = openStore(folder);
    const thread = startThread('segment-thread', { folder, topic: 't', read: RECORDS });
    const read: string[] = [];
    const below = store.withLatest(() => store.ends());
    thread.on('message', ({ values: more, next }: SegmentNews) => {
      read.push(...more);
      for (const [partition, offset] of next) below[partition] = offset;
      store.cut(below);
    });
    const ended = once(thread, 'exit');

    for (let i = 0; i < RECORDS; i += 10) {
      const batch = Array.from({ length: 10 }, (_, j) => record('t', `key-${(i + j) % 50}`, `${i + j}`));
      await log.append(batch);
    }

    expect(await ended).toEqual([0]);
    expect(read.toSorted()).toEqual(Array.from({ length: RECORDS }, (_, i) => `${i}`).toSorted());
    const ofOneKey = read.filter((value) => Number(value) % 50 === 7).map(Number);
    expect(ofOneKey).toEqual(ofOneKey.toSorted((a, b) => a - b));
    expect(Math.min(...store.withLatest(() => store.beginnings()))).toBeGreaterThan(0);
    expect(await segmentsIn(folder)).toBeLessThan(5);
  });

  test('threads that append at once fill segments together, each record at an offset of its own', async () => {
    const folder = await temporaryFolder();
    const log = await openEmbedded(folder);
    const task: ThreadTask = { folder, topic: 't', group: 'g', append: 500 };
    const threads = [1, 2, 3].map(() => startThread('event-log-thread', task));
    const ends = threads.map((thread) => once(thread, 'exit'));

    await Promise.all(Array.from({ length: 500 }, (_, i) => log.append([record('t', `main-${i}`, `main-${i}`)])));
    expect(await Promise.all(ends)).toEqual([[0], [0], [0]]);

    const reader = await log.openReader({ group: 'check', topics: ['t'], start: () => Promise.resolve([]) });
    const read = await readCount(reader, 2_000);
    expect(new Set(read.map(({ partition, offset }) => `${partition}@${offset}`)).size).toBe(2_000);
    expect(values(read).filter((value) => value.startsWith('main-'))).toHaveLength(500);
    expect(await segmentsIn(folder)).toBeGreaterThan(3);
  });

  test('a thread that ends in the middle of a commit keeps no other waiting, and leaves nothing of it', async () => {
    const folder = await temporaryFolder();
    const log = await openEmbedded(folder);
    await log.append([record('t', 'key', 'before')]);
    const store = openStore(folder);
    const thread = startThread('segment-thread', { folder, topic: 't' });
    const { threadId } = thread;
    await once(thread, 'message');

    await thread.terminate();
    store.threadEnded(threadId);

    await log.append([record('t', 'key', 'after')]);
    expect(store.withLatest(() => store.note('unfinished'))).toBeUndefined();
    const reader = await log.openReader({ group: 'check', topics: ['t'], start: () => Promise.resolve([]) });
    expect(values(await readCount(reader, 2))).toEqual(['before', 'after']);
  });
});
