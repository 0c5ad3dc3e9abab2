import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { EventLog } from '../../../services/event-log/event-log.ts';
import { segmentBytesOfProcess, setSegmentBytes } from '../../../services/event-log/embedded/segments/shared-log.ts';
import { openEventLog } from '../../../services/event-log/open.ts';
import { TOPICS } from '../../../services/messages/message.ts';
import { readManifest } from '../../../services/operations/backup/manifest.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { BackupScene, recordsOf, RestoreScene } from './backup-scene.ts';

beforeEach(() => {
  const before = segmentBytesOfProcess();
  setSegmentBytes(20_000);
  return () => setSegmentBytes(before);
});

async function cutScenes() {
  const root = await temporaryFolder();
  const [from, to] = [await BackupScene.open(root), await RestoreScene.open(root)];
  return { from, to, folder: join(root, 'backup') };
}

/** In commits that fill many files. */
async function appendSlowly(scene: BackupScene, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 20) await scene.append(20);
}

/** Cuts some three quarters of what the log has. Returns how many records are gone. */
async function cutMost(log: EventLog): Promise<number> {
  const before = (await recordsOf(log)).length;
  await log.cut((await log.ends(TOPICS)).map((end) => ({ ...end, offset: (end.offset * 3n) / 4n })));
  return before - (await recordsOf(log)).length;
}

async function restored({ url }: RestoreScene) {
  const log = await openEventLog(url, { topics: TOPICS, partitions: 2 });
  try {
    const beginnings = await log.beginnings(TOPICS);
    return {
      records: await recordsOf(log),
      ends: await log.ends(TOPICS),
      first: beginnings.map(({ offset }) => offset),
    };
  } finally {
    await log.close();
  }
}

test('a backup of a log that was cut has what is left, and is restored at the same offsets, with blank ones before', async () => {
  const { from, to, folder } = await cutScenes();
  await appendSlowly(from, 700);
  const gone = await cutMost(from.log);

  await from.backUp(folder);
  await to.restore(folder);

  expect(gone).toBeGreaterThan(100);
  const { records, ends, first } = await restored(to);
  expect(records).toEqual(await recordsOf(from.log));
  expect(ends).toEqual(await from.log.ends(TOPICS));
  expect(new Set(first)).toEqual(new Set([0n]));
});

test('a later backup goes on behind a cut, also where records went that no backup has, and keeps those that it had', async () => {
  const { from, to, folder } = await cutScenes();
  await from.append(200);
  const kept = await recordsOf(from.log);
  await from.backUp(folder);
  await appendSlowly(from, 2_000);

  const gone = await cutMost(from.log);
  await from.backUp(folder);
  await from.append(50);
  await from.backUp(folder);
  await to.restore(folder);

  expect(gone).toBeGreaterThan(1_000);
  const left = await recordsOf(from.log);
  expect((await restored(to)).records).toHaveLength(kept.length + left.length);
  expect((await restored(to)).records).toEqual(expect.arrayContaining([...kept.slice(0, 5), ...left.slice(-5)]));
  const files = (await readManifest(folder))!.log;
  const hasGap = files.some((file, at) => {
    const next = files.slice(at + 1).find((one) => one.topic === file.topic && one.partition === file.partition);
    return next !== undefined && next.first > file.end;
  });
  expect(hasGap).toBe(true);
});
