import { globSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { BootNote } from '../../services/analytics/boot-note.ts';
import { openAnalytics } from '../../services/analytics/open.ts';
import { MessageMaker, rowsFor } from '../support/analytics.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('a boot that was noted', () => {
  test('is told from another, and a new folder has none to tell from', async () => {
    const folder = await temporaryFolder();

    const first = new BootNote(folder, 'a').isAnother();
    new BootNote(folder, 'a').note();

    expect([first, new BootNote(folder, 'a').isAnother(), new BootNote(folder, 'b').isAnother()]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('cannot be told from another where the system names none', async () => {
    const folder = await temporaryFolder();
    new BootNote(folder, '').note();

    expect(new BootNote(folder, '').isAnother()).toBe(true);
  });
});

const PARTITION = { topic: 'tidemark.track', partition: 0 };
const RANGE = { ...PARTITION, from: 0n, to: { ...PARTITION, offset: 1n, identity: 'of record 0' } };

/** A folder in which one range is held, with its one event. */
async function folderWithOne(): Promise<string> {
  const folder = await temporaryFolder();
  const store = await openAnalytics(`chdb:${folder}`);
  await store.insert([RANGE], rowsFor([new MessageMaker().track({})]));
  await store.close();
  return folder;
}

async function heldAfterRestart(folder: string): Promise<bigint | undefined> {
  const store = await openAnalytics(`chdb:${folder}`);
  const [held] = await store.heldUpTo([PARTITION]);
  await store.close();
  return held?.offset;
}

test('after the machine went down, what was noted last counts as not held; after a mere restart it does', async () => {
  const folder = await folderWithOne();

  const restarted = await heldAfterRestart(folder);
  writeFileSync(join(folder, 'boot'), 'another boot');
  const rebooted = await heldAfterRestart(folder);

  expect([restarted, rebooted]).toEqual([1n, 0n]);
});

test('where a part cannot be read, what was noted since the last start counts as not held, once', async () => {
  const folder = await folderWithOne();
  const parts = globSync(join(folder, 'store/store/*/*/2*_1_1_0/columns.txt'));

  for (const columns of parts) truncateSync(columns);
  const damaged = await heldAfterRestart(folder);
  // What was put aside within the second of a start counts at the next one too: ClickHouse dates parts to the second.
  await delay(1_100);
  const store = await openAnalytics(`chdb:${folder}`);
  await store.insert([RANGE], rowsFor([new MessageMaker().track({})]));
  await store.close();

  expect(parts).not.toHaveLength(0);
  expect([damaged, await heldAfterRestart(folder)]).toEqual([0n, 1n]);
});
