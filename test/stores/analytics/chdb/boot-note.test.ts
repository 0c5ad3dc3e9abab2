import { globSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BootNote } from '../../../../services/stores/analytics/chdb/boot-note.ts';
import type { ClickHouseStore } from '../../../../services/stores/analytics/clickhouse/clickhouse-store.ts';
import { openAnalytics } from '../../../../services/stores/analytics/open.ts';
import { MessageMaker, rowsFor } from '../../../support/stores/analytics.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('a boot that was noted', () => {
  test('a noted boot differs from any other boot, and a new folder has no boot to compare with', async () => {
    const folder = await temporaryFolder();

    const first = new BootNote(folder, 'a').isAnother();
    new BootNote(folder, 'a').note();

    expect([first, new BootNote(folder, 'a').isAnother(), new BootNote(folder, 'b').isAnother()]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('a boot without an identifier always counts as another boot', async () => {
    const folder = await temporaryFolder();
    new BootNote(folder, '').note();

    expect(new BootNote(folder, '').isAnother()).toBe(true);
  });
});

const PARTITION = { topic: 'tidemark.track', partition: 0 };
const AT_ONCE = 'SETTINGS mutations_sync = 1, alter_sync = 1';
const RANGE = { ...PARTITION, from: 0n, to: { ...PARTITION, offset: 1n, identity: 'of record 0' } };

/** A folder in which one range is held, with its one event. */
async function folderWithOne(): Promise<string> {
  const folder = await temporaryFolder();
  const store = await openAnalytics(`chdb:${folder}`);
  await store.insert([RANGE], rowsFor([new MessageMaker().track({})]));
  await store.close();
  return folder;
}

async function opened(folder: string): Promise<ClickHouseStore> {
  return (await openAnalytics(`chdb:${folder}`)) as ClickHouseStore;
}

async function heldAfterRestart(folder: string): Promise<bigint | undefined> {
  const store = await opened(folder);
  const [held] = await store.ingestedUpTo([PARTITION]);
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

test('after the machine went down, the last ranges of every generation count as not ingested, in tables of the version before too', async () => {
  const folder = await folderWithOne();
  let store = await opened(folder);
  await store.makeGeneration(2);
  const second = await store.ofGeneration(2);
  await second.insert([RANGE], new Map());
  const name = await store.databaseOf(2);
  // Noted long before the first's.
  await store.define(`ALTER TABLE ${name}.held_ranges UPDATE noted_at = noted_at - 86400 WHERE true ${AT_ONCE}`);
  await store.define(`ALTER TABLE ${name}.held_ranges DROP COLUMN is_summary ${AT_ONCE}`);
  await store.define(
    `CREATE MATERIALIZED VIEW ${name}.user_event_rows_of_tracks TO ${name}.user_event_rows
     AS SELECT project_id, user FROM ${name}.track_rows`,
  );
  await store.define(`ALTER TABLE ${name}.schema_migrations DELETE WHERE number >= 10 ${AT_ONCE}`);
  await store.close();

  writeFileSync(join(folder, 'boot'), 'another boot');
  store = await opened(folder);
  const held = [await store.ingestedUpTo([PARTITION]), await (await store.ofGeneration(2)).ingestedUpTo([PARTITION])];
  await store.close();

  expect(held).toMatchObject([[{ offset: 0n }], [{ offset: 0n }]]);
});

test('where a part cannot be read, what was noted since the last start counts as not held, once', async () => {
  const folder = await folderWithOne();
  const parts = globSync(join(folder, 'store/store/*/*/2*_1_1_0/columns.txt'));

  for (const columns of parts) truncateSync(columns);
  const damaged = await heldAfterRestart(folder);
  // What was put aside within the second of a start counts at the next one too: ClickHouse dates parts to the second.
  const startedIn = secondOf(Date.now());
  await expect.poll(() => secondOf(Date.now())).toBeGreaterThan(startedIn);
  const store = await openAnalytics(`chdb:${folder}`);
  await store.insert([RANGE], rowsFor([new MessageMaker().track({})]));
  await store.close();

  expect(parts).not.toHaveLength(0);
  expect([damaged, await heldAfterRestart(folder)]).toEqual([0n, 1n]);
});

function secondOf(ms: number): number {
  return Math.floor(ms / 1_000);
}
