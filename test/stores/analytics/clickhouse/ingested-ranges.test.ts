import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ClickHouseStore } from '../../../../services/stores/analytics/clickhouse/clickhouse-store.ts';
import { openAnalytics } from '../../../../services/stores/analytics/open.ts';
import { serverUrl } from '../../../servers/server.ts';
import { AMPLE } from '../../../support/stores/analytics.ts';
import { freshDatabase } from '../../../support/stores/fresh-database.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const TOPIC = 'tidemark.track';
const [WHOLE, HOLED, FEW] = [0, 1, 2] as const;
const PARTITIONS = [WHOLE, HOLED, FEW].map((partition) => ({ topic: TOPIC, partition }));

const server = await serverUrl('clickhouse');
let store: ClickHouseStore;

async function open(url: string): Promise<void> {
  store = (await openAnalytics(url)) as ClickHouseStore;
}

/** Ranges of ten, noted `secondsAgo`. */
async function note(partition: number, from: number, to: number, secondsAgo: number): Promise<void> {
  await store.define(`
    INSERT INTO held_ranges
    SELECT '${TOPIC}', ${partition}, 10 * number, 10 * number + 10, concat('of ', toString(number)), now() - ${secondsAgo}, false
    FROM numbers(${from}, ${to - from})`);
}

async function heldTo(): Promise<readonly string[]> {
  return (await store.ingestedUpTo(PARTITIONS)).map(({ offset, identity }) => `${offset} ${identity}`);
}

/** By partition: rows, and among them summaries. */
async function rowCounts(): Promise<unknown> {
  const sql = `SELECT log_partition, toUInt32(count()) AS ranges, toUInt32(countIf(is_summary)) AS summaries
               FROM held_ranges FINAL GROUP BY log_partition ORDER BY log_partition`;
  return (await store.ask({ sql, params: {} }, AMPLE)).rows.map(({ ranges, summaries }) => [ranges, summaries]);
}

async function deletions(): Promise<unknown> {
  const sql = `SELECT toUInt32(count()) AS count FROM system.mutations
               WHERE database = currentDatabase() AND table = 'held_ranges' AND command LIKE '%DELETE%'`;
  return (await store.ask({ sql, params: {} }, AMPLE)).rows[0]?.['count'];
}

async function letSummariesGrowOld(): Promise<void> {
  await store.define(
    'ALTER TABLE held_ranges UPDATE noted_at = noted_at - 7200 WHERE is_summary SETTINGS mutations_sync = 1',
  );
}

describe('in chDB', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
    await open(`chdb:${folder}`);
  });
  afterEach(() => store.close());

  async function reboot(): Promise<void> {
    await store.close();
    writeFileSync(join(folder, 'boot'), 'another boot');
    await open(`chdb:${folder}`);
  }

  testSummaries();

  test('after the machine went down, summaries are not doubted, and what was noted after them last is', async () => {
    await note(WHOLE, 0, 2_000, 7_200);
    await store.compactIngested();
    await letSummariesGrowOld();
    await store.compactIngested();
    await note(WHOLE, 2_000, 2_100, 3_000);
    await note(WHOLE, 2_100, 2_200, 60);

    await reboot();
    expect((await heldTo())[WHOLE]).toBe('21000 of 2099');
    for (let i = 0; i < 3; i++) await reboot();

    expect((await heldTo())[WHOLE]).toBe('20000 of 1999');
  });
});

describe.skipIf(server === undefined)('on a ClickHouse server', () => {
  let drop: () => Promise<void>;
  beforeEach(async () => {
    const database = await freshDatabase(server ?? '');
    drop = () => database.drop();
    await open(database.url);
  });
  afterEach(async () => {
    await store.close();
    await drop();
  });

  testSummaries();
});

function testSummaries(): void {
  test('what was noted long ago is summed up, and deleted once its summary is as old: the same is held all along', async () => {
    await note(WHOLE, 0, 3_000, 7_200);
    await note(WHOLE, 3_000, 3_050, 10);
    await note(HOLED, 0, 2_000, 7_200);
    await note(HOLED, 2_100, 2_200, 7_200);
    await note(FEW, 0, 900, 7_200);
    const held = await heldTo();
    expect(held).toEqual(['30500 of 3049', '20000 of 1999', '9000 of 899']);

    await store.compactIngested();
    expect(await rowCounts()).toEqual([
      [3_051, 1],
      [2_101, 1],
      [900, 0],
    ]);
    expect(await heldTo()).toEqual(held);

    await letSummariesGrowOld();
    await store.compactIngested();
    // Besides the summaries: what ends with them, and what lies after it.
    const after = [
      [52, 1],
      [102, 1],
      [900, 0],
    ];
    await vi.waitFor(async () => expect(await rowCounts()).toEqual(after), { timeout: 10_000 });
    expect(await heldTo()).toEqual(held);
  });

  test('nothing is deleted where there is nothing to delete', async () => {
    await note(WHOLE, 0, 2_000, 7_200);
    await store.compactIngested();
    await store.compactIngested();
    expect(await deletions()).toBe(0);
    await letSummariesGrowOld();

    await store.compactIngested();
    await vi.waitFor(async () => expect(await rowCounts()).toEqual([[2, 1]]), { timeout: 10_000 });
    await note(WHOLE, 2_000, 2_100, 7_200);
    await store.compactIngested();

    expect(await deletions()).toBe(1);
  });

  test('a summary takes the place of an older one, which goes like any other range', async () => {
    await note(WHOLE, 0, 2_000, 7_200);
    await store.compactIngested();
    await letSummariesGrowOld();
    await note(WHOLE, 2_000, 4_000, 7_200);

    await store.compactIngested();
    await vi.waitFor(async () => expect(await rowCounts()).toEqual([[2_003, 2]]), { timeout: 10_000 });
    await letSummariesGrowOld();
    await store.compactIngested();

    await vi.waitFor(async () => expect(await rowCounts()).toEqual([[2, 1]]), { timeout: 10_000 });
    expect((await heldTo())[WHOLE]).toBe('40000 of 3999');
  });
}
