import { cp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LogRecord } from '../../../services/event-log/event-log.ts';
import { EmbeddedEventLog } from '../../../services/event-log/embedded/embedded-event-log.ts';
import { lmdbFailure } from '../../../services/event-log/lmdb/errors.ts';
import { prepareFolder } from '../../../services/event-log/lmdb/folder.ts';
import { LmdbStore } from '../../../services/event-log/lmdb/lmdb-store.ts';
import { hasCode } from '../../../services/runtime/errors.ts';
import { record, records, text } from '../../support/event-log/event-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const TOPICS = ['t', 'u'];
const LARGE = 'large '.repeat(3_000);

describe('a damaged log', () => {
  test('a log whose file is empty or missing is refused', async () => {
    const folder = await logOf(10);
    await truncate(join(folder, 'data.mdb'), 0);
    await expect(contentOf(folder)).rejects.toMatchObject({ code: 'LOG_DAMAGED' });

    await rm(join(folder, 'data.mdb'));

    await expect(contentOf(folder)).rejects.toMatchObject({ code: 'LOG_DAMAGED' });
  });

  test.each([0.1, 0.25, 0.5, 0.75, 0.9])('a log truncated to %f of its length is refused', async (left) => {
    const folder = await logOf(2_000);
    const file = join(folder, 'data.mdb');
    await truncate(file, Math.floor((await readFile(file)).length * left));

    await expect(contentOf(folder)).rejects.toMatchObject({ code: 'LOG_DAMAGED' });
  });

  test('a log with any page replaced by zeros is refused, or lacks nothing', async () => {
    const folder = await logOf(200);
    const file = join(folder, 'data.mdb');
    const intact = await readFile(file);
    const content = await contentOf(folder);

    for (let page = 0; page * 4_096 < intact.length; page++) {
      await writeFile(file, Buffer.from(intact).fill(0, page * 4_096, (page + 1) * 4_096));
      await expectRefusedOrEqual(folder, content);
    }
  });

  test('a log with a changed byte in a record is refused', async () => {
    const folder = await logOf(200);
    const file = join(folder, 'data.mdb');
    const intact = await readFile(file);

    for (const value of ['v-0', 'v-100', 'v-199', 'large large']) {
      const damaged = Buffer.from(intact);
      for (let at = damaged.indexOf(value); at >= 0; at = damaged.indexOf(value, at + 1)) damaged[at]! ^= 1;
      await writeFile(file, damaged);
      await expect(contentOf(folder)).rejects.toMatchObject({ code: 'LOG_DAMAGED' });
    }
  });

  // LMDB reads the one of its two meta pages that has the higher transaction, and neither has a checksum: a bit that lowers
  // the newer one's number brings back the state one transaction earlier, which nothing in the file tells from the truth.
  test('a log with a changed bit after its two meta pages is refused, or lacks nothing', async () => {
    const folder = await logOf(200);
    const file = join(folder, 'data.mdb');
    const intact = await readFile(file);
    const content = await contentOf(folder);

    for (let i = 0; i < 400; i++) {
      const damaged = Buffer.from(intact);
      damaged[META_BYTES + Math.floor(Math.random() * (damaged.length - META_BYTES))]! ^=
        1 << Math.floor(Math.random() * 8);
      await writeFile(file, damaged);
      await expectRefusedOrEqual(folder, content);
    }
  }, 60_000);

  test('a log with a page that has lost its nodes is refused, or lacks nothing', async () => {
    const folder = await logOf(200);
    const file = join(folder, 'data.mdb');
    const intact = await readFile(file);
    const content = await contentOf(folder);

    for (const page of treePagesOf(intact)) {
      const damaged = Buffer.from(intact);
      damaged.writeUInt16LE(0, page + 20);
      await writeFile(file, damaged);
      await expectRefusedOrEqual(folder, content);
    }
  });

  // A file of more than 16 MB is not checked when it is opened. Where LMDB cannot look up a key, it returns the last entry.
  test('a damaged log never yields a record of another offset, even if its pages were not checked', async () => {
    const folder = await logOf(40);
    const file = join(folder, 'data.mdb');
    const intact = await readFile(file);
    const content = await recordsOf(folder);

    for (const node of treePagesOf(intact).flatMap((page) => nodesOf(intact, page))) {
      const damaged = Buffer.from(intact);
      damaged.writeUInt16LE(NODE_IS_DUPLICATE, node + 4);
      damaged.writeUInt16LE(1_841, node + 6);
      await writeFile(file, damaged);
      expect([content, undefined]).toContainEqual(await recordsOf(folder).catch(() => undefined));
    }
  });

  test('damage is reported when a reader reaches it', async () => {
    const folder = await logOf(200);
    const file = join(folder, 'data.mdb');
    const damaged = await readFile(file);
    for (let at = damaged.indexOf('key-5t-5'); at >= 0; at = damaged.indexOf('key-5t-5', at + 1)) damaged[at]! ^= 1;
    await writeFile(file, damaged);

    const log = await EmbeddedEventLog.open({ scheme: 'lmdb', folder, topics: TOPICS });
    const reader = await log.openReader({ group: 'g', topics: TOPICS, start: () => Promise.resolve([]) });

    const poll = reader.poll({ maxRecords: 10_000, maxBytes: 2 ** 26, maxWaitMs: 20_000 });
    await expect(poll).rejects.toMatchObject({ code: 'LOG_DAMAGED', retryable: false });
    await log.close();
  });

  test('a copy of a log is not damaged', async () => {
    const folder = await logOf(100);
    const copy = join(await temporaryFolder(), 'copy');
    await cp(folder, copy, { recursive: true });

    expect(await contentOf(copy)).toEqual(await contentOf(folder));
  });
});

const META_BYTES = 2 * 4_096;
const NODE_IS_DUPLICATE = 4;

/** A closed log with small records, appended one by one and together, and a large one in each topic. */
async function logOf(count: number): Promise<string> {
  const folder = await temporaryFolder();
  const log = await EmbeddedEventLog.open({ scheme: 'lmdb', folder, topics: TOPICS, partitions: 2 });
  for (const one of records('t', Math.min(count, 100), 't')) await log.append([one]);
  await log.append(records('u', count));
  await log.append(TOPICS.map((topic) => record(topic, 'key', LARGE)));
  await log.close();
  return folder;
}

/** Where the pages of trees begin: branches and leaves. */
function treePagesOf(bytes: Buffer): readonly number[] {
  const pages = Array.from({ length: bytes.length / 4_096 - 2 }, (_, i) => META_BYTES + i * 4_096);
  return pages.filter((page) => [1, 2].includes(bytes.readUInt16LE(page + 18)));
}

function nodesOf(bytes: Buffer, page: number): readonly number[] {
  const count = bytes.readUInt16LE(page + 20) / 2;
  return Array.from({ length: count }, (_, i) => page + 24 + bytes.readUInt16LE(page + 24 + 2 * i));
}

/** Everything that the log in a folder holds. */
async function contentOf(folder: string): Promise<readonly string[]> {
  await prepareFolder(folder, TOPICS, undefined);
  return recordsOf(folder);
}

/** The same, without a look at the file before. */
async function recordsOf(folder: string): Promise<readonly string[]> {
  const store = LmdbStore.openChecked(folder, TOPICS, undefined);
  try {
    const ends = store.ends();
    return store.layout.partitions.flatMap((slot) => {
      const found: LogRecord[] = [];
      const end = ends[slot.index]!;
      while (found.length < end) {
        store.read(slot, found.length, { records: 2 ** 30, bytes: 2 ** 30, atLeastOne: true, end }, found);
      }
      return found.map(({ offset, key, value }) => `${slot.index}@${offset} ${text(key)} ${text(value)}`);
    });
  } finally {
    await store.close();
  }
}

async function expectRefusedOrEqual(folder: string, content: readonly string[]): Promise<void> {
  let found: readonly string[];
  try {
    found = await contentOf(folder);
  } catch (thrown) {
    const error = lmdbFailure(thrown, 'to read');
    expect(hasCode(error, 'LOG_DAMAGED') || hasCode(error, 'LOG_FOREIGN'), `${error.code}: ${error.message}`).toBe(
      true,
    );
    return;
  }
  expect(found).toEqual(content);
}
