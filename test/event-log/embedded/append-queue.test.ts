import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { AppendQueue } from '../../../services/event-log/embedded/append-queue.ts';
import { Layout } from '../../../services/event-log/embedded/segments/layout.ts';
import type { AppendRequest, AppendResult } from '../../../services/event-log/embedded/requests.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { record, records, until } from '../../support/event-log/event-log.ts';

const layout = new Layout([{ name: 't', partitions: 2 }]);

/** Takes requests and answers them when told. */
class SlowDisk {
  readonly requests: AppendRequest[] = [];
  readonly #answers: { resolve: (result: AppendResult) => void; reject: (error: Error) => void }[] = [];
  readonly #ends = [0, 0];

  readonly write = (request: AppendRequest): Promise<AppendResult> => {
    this.requests.push(request);
    return new Promise((resolve, reject) => this.#answers.push({ resolve, reject }));
  };

  recordsOf(request: number): number {
    return this.requests[request]!.chunks.reduce((sum, { count }) => sum + count, 0);
  }

  finish(request: number): void {
    const { bytes, chunks } = this.requests[request]!;
    const offsets = chunks.map(({ slot, count }) => (this.#ends[slot]! += count) - count);
    this.#answers[request]!.resolve({ offsets, appendedAtMs: 7, bytes });
  }

  fail(request: number): void {
    this.#answers[request]!.reject(new TidemarkError('LOG_UNAVAILABLE', 'the disk is full'));
  }
}

describe('appends at once', () => {
  test('concurrent appends form one batch, and those that arrive meanwhile the next', async () => {
    const disk = new SlowDisk();
    const queue = new AppendQueue(layout, disk.write);

    const first = Array.from({ length: 7 }, () => queue.append(records('t', 2)));
    await until(() => disk.requests.length === 1);
    const second = Array.from({ length: 5 }, () => queue.append(records('t', 1)));
    disk.finish(0);
    await Promise.all(first);
    await until(() => disk.requests.length === 2);
    disk.finish(1);
    await Promise.all(second);

    expect([disk.recordsOf(0), disk.recordsOf(1), disk.requests.length]).toEqual([14, 5, 2]);
  });

  test('many appends are sent in halves, the first before all of them have arrived', async () => {
    const disk = new SlowDisk();
    const queue = new AppendQueue(layout, disk.write);
    const appendedAtOnce = () => Array.from({ length: 64 }, () => queue.append(records('t', 1)));
    const warmUp = appendedAtOnce();
    for (let i = 0; i < 3; i++) {
      await until(() => disk.requests.length > i);
      disk.finish(i);
    }
    await Promise.all(warmUp);

    const appended = appendedAtOnce();
    const sentOff = disk.requests.slice(3).map((_, i) => disk.recordsOf(3 + i));
    disk.finish(3);
    disk.finish(4);

    expect(sentOff).toEqual([32, 32]);
    expect(await Promise.all(appended)).toHaveLength(64);
  });

  test('while a batch is in progress, appends gather as long as each turn of the event loop brings one', async () => {
    const disk = new SlowDisk();
    const queue = new AppendQueue(layout, disk.write);
    const appended = [queue.append(records('t', 1))];
    await until(() => disk.requests.length === 1);
    for (let turn = 0; turn < 5; turn++) {
      appended.push(queue.append(records('t', 1)));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(disk.requests).toHaveLength(1);
    await until(() => disk.requests.length === 2);
    disk.finish(0);
    disk.finish(1);

    await Promise.all(appended);
    expect(disk.recordsOf(1)).toBe(5);
  });

  test('an idle queue has settled all appends, including those that waited', async () => {
    const disk = new SlowDisk();
    const queue = new AppendQueue(layout, disk.write);
    let settled = 0;
    const appended = Array.from({ length: 40 }, () => queue.append(records('t', 1)).then(() => settled++));
    const idle = queue.idle().then(() => settled);
    for (let i = 0; i < 3; i++) {
      await until(() => disk.requests.length > i);
      disk.finish(i);
    }

    expect(await idle).toBe(40);
    await Promise.all(appended);
  });

  test('an append settles only with its own batch', async () => {
    const disk = new SlowDisk();
    const queue = new AppendQueue(layout, disk.write);
    const settled: string[] = [];

    const first = queue.append(records('t', 1)).then(() => settled.push('first'));
    await until(() => disk.requests.length === 1);
    const second = queue.append(records('t', 1)).then(() => settled.push('second'));
    expect(settled).toEqual([]);
    disk.finish(0);
    await first;
    await until(() => disk.requests.length === 2);

    expect(settled).toEqual(['first']);
    disk.finish(1);
    await second;
  });

  test('the appends of a failed batch reject together, and the next batch is sent', async () => {
    const disk = new SlowDisk();
    const queue = new AppendQueue(layout, disk.write);
    const failing = Array.from({ length: 3 }, () => queue.append(records('t', 2)).catch((error: unknown) => error));
    await until(() => disk.requests.length === 1);

    const later = queue.append(records('t', 1));
    disk.fail(0);

    for (const error of await Promise.all(failing)) expect(error).toMatchObject({ code: 'LOG_UNAVAILABLE' });
    await until(() => disk.requests.length === 2);
    disk.finish(1);
    expect(await later).toHaveLength(1);
  });

  test('a batch has a limited size', async () => {
    const disk = new SlowDisk();
    const queue = new AppendQueue(layout, disk.write);
    const megabyte = 'x'.repeat(2 ** 20);

    const appended = Array.from({ length: 20 }, () => queue.append([record('t', 'k', megabyte)]));
    for (let i = 0; i < 3; i++) {
      await until(() => disk.requests.length > i);
      disk.finish(i);
    }

    expect(await Promise.all(appended)).toHaveLength(20);
    expect([0, 1, 2].map((i) => disk.recordsOf(i))).toEqual([7, 7, 6]);
  });

  test('an append waits while two batches are in progress', async () => {
    const disk = new SlowDisk();
    const queue = new AppendQueue(layout, disk.write);

    const appended = [queue.append(records('t', 1))];
    await until(() => disk.requests.length === 1);
    appended.push(queue.append(records('t', 2)));
    await until(() => disk.requests.length === 2);
    appended.push(queue.append(records('t', 3)), queue.append(records('t', 4)));
    // A third request would be made in one of the next turns of the event loop.
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    expect(disk.requests).toHaveLength(2);
    disk.finish(0);
    await until(() => disk.requests.length === 3);
    disk.finish(1);
    disk.finish(2);

    await Promise.all(appended);
    expect([0, 1, 2].map((i) => disk.recordsOf(i))).toEqual([1, 2, 7]);
  });

  test('a record that is too large for the log is refused at once', () => {
    const queue = new AppendQueue(layout, new SlowDisk().write);

    expect(() => queue.append([record('t', 'k', 'x'.repeat(9 * 2 ** 20))])).toThrow(RangeError);
  });
});
