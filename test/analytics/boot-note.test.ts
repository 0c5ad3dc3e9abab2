import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

test('after the machine went down, what was noted last counts as not held; after a mere restart it does', async () => {
  const folder = await temporaryFolder();
  const partitions = [{ topic: 'tidemark.track', partition: 0 }];
  const heldAfterRestart = async (): Promise<bigint | undefined> => {
    const store = await openAnalytics(`chdb:${folder}`);
    const [held] = await store.heldUpTo(partitions);
    await store.close();
    return held?.offset;
  };
  const store = await openAnalytics(`chdb:${folder}`);
  const [partition = { topic: '', partition: 0 }] = partitions;
  const range = { ...partition, from: 0n, to: { ...partition, offset: 1n, identity: 'of record 0' } };
  await store.insert([range], rowsFor([new MessageMaker().track({})]));
  await store.close();

  const restarted = await heldAfterRestart();
  writeFileSync(join(folder, 'boot'), 'another boot');
  const rebooted = await heldAfterRestart();

  expect([restarted, rebooted]).toEqual([1n, 0n]);
});
