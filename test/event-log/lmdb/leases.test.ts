import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LogReader } from '../../../services/event-log/event-log.ts';
import { LmdbEventLog } from '../../../services/event-log/lmdb/lmdb-event-log.ts';
import { isFree, type Lease } from '../../../services/event-log/lmdb/leases.ts';
import { thisProcess } from '../../../services/event-log/process-identity.ts';
import { AT_ONCE, PATIENT, until } from '../../support/event-log.ts';
import type { ThreadTask } from '../../support/event-log-thread.ts';
import { startProgram } from '../../support/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const HOLDER = 'test/support/event-log-holder.ts';
const LONG_MS = 3_600_000;
const SHORT_MS = 600;
const self = thisProcess();

describe('a lease', () => {
  const lease: Lease = { member: 'm', process: self, renewedAtMs: 1_000_000, leaseMs: 1_000 };

  test('keeps others away until it has run out', () => {
    expect(isFree(lease, 'other', self, 1_000_999)).toBe(false);
    expect(isFree(lease, 'other', self, 1_001_000)).toBe(true);
  });

  test("is its member's own", () => {
    expect(isFree(lease, 'm', self, 1_000_001)).toBe(true);
  });

  test('renewed in a far future by a clock set back since is free', () => {
    expect(isFree(lease, 'other', self, 999_500)).toBe(false);
    expect(isFree(lease, 'other', self, 10)).toBe(true);
  });

  test('of a dead process is free at once', () => {
    const dead = { ...lease, process: { ...self, pid: 2 ** 30 } };

    expect(isFree(dead, 'other', self, 1_000_001)).toBe(true);
  });
});

describe('a group of the embedded log', () => {
  test('goes to the next member at once when its holder is killed', async () => {
    const folder = await temporaryFolder();
    const holder = startProgram([HOLDER, folder, String(LONG_MS)]);
    expect(await holder.line()).toBe('holds 4');
    const heir = await member(folder, LONG_MS);
    expect(await heir.poll(AT_ONCE)).toEqual([]);
    expect(heir.assigned()).toEqual([]);

    await holder.kill();

    await until(() => holds(heir));
  });

  test('goes to the next member when its holder stands still past its lease; the holder learns of it', async () => {
    const folder = await temporaryFolder();
    const holder = startProgram([HOLDER, folder, String(SHORT_MS)]);
    expect(await holder.line()).toBe('holds 4');
    const heir = await member(folder, LONG_MS);

    holder.child.kill('SIGSTOP');
    await until(() => holds(heir));
    holder.child.kill('SIGCONT');

    expect(await holder.line()).toBe('holds 0');
    expect(heir.assigned()).toHaveLength(4);
  });

  test('stays with a member whose thread is busy past its lease', async () => {
    const folder = await temporaryFolder();
    const frozen = new Int32Array(new SharedArrayBuffer(4));
    const thread = startThread({ folder, topic: 't', group: 'g', leaseMs: SHORT_MS, frozen });
    await once(thread, 'message');

    const standby = await member(folder, SHORT_MS);
    const polled = await standby.poll({ ...PATIENT, maxWaitMs: 3 * SHORT_MS });

    expect([polled, standby.assigned()]).toEqual([[], []]);
    Atomics.store(frozen, 0, 1);
    Atomics.notify(frozen, 0);
    await until(() => holds(standby));
  });

  test('goes to the next member some time after its thread was ended without a word', async () => {
    const folder = await temporaryFolder();
    const thread = startThread({ folder, topic: 't', group: 'g', leaseMs: SHORT_MS, read: 1 });
    await once(thread, 'message');
    // At once, long before the next renewal: in the middle of a transaction it would hang (lmdb-gate.ts).
    await thread.terminate();

    const heir = await member(folder, LONG_MS);

    await until(() => holds(heir));
  });
});

async function member(folder: string, leaseMs: number): Promise<LogReader> {
  const log = await LmdbEventLog.open({ folder, topics: ['t'], leaseMs });
  onTestFinished(() => log.close());
  return log.openReader({ group: 'g', topics: ['t'], start: () => Promise.resolve([]) });
}

async function holds(reader: LogReader): Promise<boolean> {
  await reader.poll(AT_ONCE);
  return reader.assigned().length > 0;
}

function startThread(task: ThreadTask): Worker {
  const worker = new Worker(new URL('../../support/event-log-thread.ts', import.meta.url), { workerData: task });
  onTestFinished(async () => void (await worker.terminate()));
  return worker;
}
