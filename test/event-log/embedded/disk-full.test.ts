import { execFileSync } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EmbeddedEventLog } from '../../../services/event-log/embedded/embedded-event-log.ts';
import { hasCode } from '../../../services/runtime/errors.ts';
import { LOG_RESERVE_BYTES } from '../../../services/runtime/free-space.ts';
import { openEmbedded } from '../../support/event-log/embedded-logs.ts';
import { PATIENT, placed, placeOf, readCount, record, text } from '../../support/event-log/event-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { SmallDisk } from '../../torture/disks/small-disk.ts';

const LARGE = 'x'.repeat(40_000);

describe('an embedded log that cannot grow', () => {
  // A file-size limit needs no rights and no mount, and no look at the free space foresees it. A write is cut
  // short by it, as on a full disk.
  test('a log that cannot grow refuses what does not fit, keeps exactly what it acknowledged, and works again later', async () => {
    const folder = await temporaryFolder();
    const command = 'ulimit -f 4001; exec "$0" test/support/programs/event-log-filler.ts "$1"';

    const printed = execFileSync('sh', ['-c', command, process.execPath, `log:${folder}`], { encoding: 'utf8' });

    const lines = printed.trim().split('\n');
    const acknowledged = lines.slice(0, -2);
    expect(lines.slice(-2)).toEqual(['LOG_UNAVAILABLE true', String(acknowledged.length)]);
    expect(acknowledged.length).toBeGreaterThan(100);
    const log = await openEmbedded(folder);
    const read = await readCount(await readerOf(log), acknowledged.length);
    expect(
      new Set(read.map(({ partition, offset, value }) => `${partition} ${offset} ${Number(text(value))}`)),
    ).toEqual(new Set(acknowledged));
    expect(await log.append([record('t', 'key', LARGE)])).toHaveLength(1);
  });

  test.runIf(canRaiseLimits())(
    'a log goes on after a failed write, and stores what it refused once there is space',
    async () => {
      const folder = await temporaryFolder();
      const command = 'ulimit -S -f 4001; exec "$0" test/support/programs/event-log-filler.ts "$1" again';

      const printed = execFileSync('sh', ['-c', command, process.execPath, `log:${folder}`], {
        encoding: 'utf8',
      });

      const lines = printed.trim().split('\n');
      const acknowledged = lines.filter((line) => /^\d+ \d+ \d+$/.test(line));
      expect(lines.filter((line) => line === 'LOG_UNAVAILABLE true').length).toBeGreaterThan(0);
      expect(lines.at(-1)).toBe(String(acknowledged.length));
      const log = await openEmbedded(folder);
      const read = await readCount(await readerOf(log), acknowledged.length);
      const held = read.map(({ partition, offset, value }) => `${partition} ${offset} ${Number(text(value))}`);
      expect(held.toSorted()).toEqual(acknowledged.toSorted());
    },
  );

  test.runIf(SmallDisk.canMount)(
    'a log on a full disk (a tmpfs: root on Linux) refuses appends, leaves the reserve free, and works again once there is space',
    async () => {
      const folder = await temporaryFolder();
      const disk = await SmallDisk.mount(folder, 96);
      onTestFinished(() => disk.unmount());
      await disk.fill(72 * 1024);
      const log = await openEmbedded(join(folder, 'log'));
      const acknowledged = new Set<string>();
      const reader = await readerOf(log);

      expect(await appendAll(log, 1_200, acknowledged)).toBeGreaterThan(0);
      const { bavail, bsize } = await statfs(folder);
      expect(bavail * bsize).toBeGreaterThan(LOG_RESERVE_BYTES - 2 ** 20);
      await disk.empty();
      expect(await appendAll(log, 100, acknowledged)).toBe(0);

      const read = await readCount(reader, acknowledged.size, { ...PATIENT, maxBytes: 2 ** 20 });
      expect(new Set(read.map((one) => `${placeOf(one)} ${text(one.key)}`))).toEqual(acknowledged);
      expect(placed(await reader.poll({ ...PATIENT, maxWaitMs: 0 }))).toEqual([]);
      await expect(log.check()).resolves.toBeUndefined();
    },
  );
});

/** Appends one by one, small and large; returns how many were refused. */
async function appendAll(log: EmbeddedEventLog, count: number, acknowledged: Set<string>): Promise<number> {
  let refused = 0;
  for (let i = 0; i < count; i++) {
    const key = `${acknowledged.size}-${refused}`;
    try {
      const [appended] = await log.append([record('t', key, i % 3 === 0 ? LARGE : 'small')]);
      acknowledged.add(`${placeOf(appended!)} ${key}`);
    } catch (error) {
      if (!hasCode(error, 'LOG_UNAVAILABLE')) throw error;
      refused++;
    }
  }
  return refused;
}

function readerOf(log: EmbeddedEventLog) {
  return log.openReader({ group: 'g', topics: ['t'], start: () => Promise.resolve([]) });
}

/** By util-linux' prlimit. */
function canRaiseLimits(): boolean {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
