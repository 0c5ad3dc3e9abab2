import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type GuardedEngine, PartGuard } from '../../../../services/stores/analytics/chdb/part-guard.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const BYTES = 100;

/** An engine that answers a question about its parts when it is told to, with the parts that are there by then. */
class Parts implements GuardedEngine {
  readonly #folder: string;
  readonly #parts: object[] = [];
  readonly #questions: (() => void)[] = [];
  questions = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the path of its file. @param bytes The length of that, which is to be 100. */
  async add(table: string, bytes = BYTES): Promise<string> {
    const path = join(this.#folder, table);
    await mkdir(path);
    await writeFile(join(path, 'data.bin'), 'x'.repeat(bytes));
    this.#parts.push({ database: 'default', table, path, bytes_on_disk: String(BYTES) });
    return join(path, 'data.bin');
  }

  async query(_: string, sql: string): Promise<Uint8Array> {
    if (!sql.includes('system.parts')) return Buffer.from('');
    this.questions++;
    await new Promise<void>((resolve) => this.#questions.push(resolve));
    return Buffer.from(this.#parts.map((part) => JSON.stringify(part)).join('\n'));
  }

  /** Answers the question that is there, or the next that comes. */
  async answer(): Promise<void> {
    await expect.poll(() => this.#questions.length).toBeGreaterThan(0);
    this.#questions.shift()?.();
  }
}

async function makeScene() {
  const folder = await temporaryFolder();
  const parts = new Parts(folder);
  const guard = new PartGuard(parts, folder);
  onTestFinished(() => guard.close());
  return { parts, guard, insert: () => guard.expectWhole(performance.now()) };
}

async function messageOf(inserted: Promise<void>): Promise<string> {
  return inserted.then(() => 'done', String);
}

test('several inserts that end during a check share the check after it', async () => {
  const { parts, insert } = await makeScene();

  const inserted = [insert()];
  await expect.poll(() => parts.questions).toBe(1);
  inserted.push(insert(), insert(), insert());
  await parts.answer();
  await parts.answer();

  await Promise.all(inserted);
  expect(parts.questions).toBe(2);
});

test('an insert that ended after a check began is not taken as whole by that check', async () => {
  const { parts, insert } = await makeScene();

  const earlier = messageOf(insert());
  await expect.poll(() => parts.questions).toBe(1);
  await parts.answer();
  expect(await earlier).toBe('done');
  await parts.add('t', BYTES - 1);
  const later = messageOf(insert());
  await parts.answer();

  expect(await later).toContain('NOT_ENOUGH_SPACE');
});

test('an incomplete part fails every insert that waited for the check', async () => {
  const { parts, insert } = await makeScene();
  await parts.add('t', BYTES - 1);

  const inserted = [messageOf(insert()), messageOf(insert())];
  await parts.answer();

  for (const message of await Promise.all(inserted)) expect(message).toContain('NOT_ENOUGH_SPACE');
});

test('a check that fails leaves the next one to itself', async () => {
  const { parts, insert } = await makeScene();
  const file = await parts.add('t', BYTES - 1);

  const first = messageOf(insert());
  await parts.answer();
  expect(await first).toContain('NOT_ENOUGH_SPACE');
  await writeFile(file, 'x'.repeat(BYTES));
  const second = messageOf(insert());
  await parts.answer();

  expect(await second).toBe('done');
});

test('a part that was whole is measured again only after a table was loaded anew', async () => {
  const { parts, insert } = await makeScene();
  const file = await parts.add('whole');

  const first = insert();
  await parts.answer();
  await first;
  await truncate(file, 1);
  const second = messageOf(insert());
  await parts.answer();
  expect(await second).toBe('done');
  await parts.add('incomplete', 1);
  const third = messageOf(insert());
  await parts.answer();

  expect(await third).toContain('1 parts');
  const fourth = messageOf(insert());
  await parts.answer();
  // A table was loaded anew: every part is measured again.
  expect(await fourth).toContain('2 parts');
});
