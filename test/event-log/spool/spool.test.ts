import { appendFile, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hasCode } from '../../../services/runtime/errors.ts';
import { lockFolder } from '../../../services/runtime/folder-lock.ts';
import { Spool } from '../../../services/event-log/spool/spool.ts';
import { startProgram } from '../../support/service/program.ts';
import { numbered, openSpool, spooled, takeAll, valuesOf } from '../../support/event-log/spool.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const LARGE = 'x'.repeat(2_000);

async function segmentsIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.includes('.spool')).sort();
}

test('what was spooled is read in order, segment by segment, and leaves no file', async () => {
  const folder = await temporaryFolder();
  const spool = await openSpool(folder, { segmentBytes: 300 });
  for (let i = 0; i < 10; i++)
    await Promise.all([spool.append(numbered(3 * i, 2)), spool.append(numbered(3 * i + 2, 1))]);
  const [files, { messages, state }] = [await segmentsIn(folder), spool];

  const values = await takeAll(spool);

  expect(values).toEqual(valuesOf(numbered(0, 30)));
  expect([files.length > 3, messages, state]).toEqual([true, 30, 'waiting']);
  expect([await segmentsIn(folder), spool.isEmpty, spool.messages, spool.bytes]).toEqual([[], true, 0, 0]);
});

test('many appends at once share a flush and resolve in order', async () => {
  const folder = await temporaryFolder();
  const spool = await openSpool(folder);
  const settled: number[] = [];

  await Promise.all(numbered(0, 100).map((one, i) => spool.append([one]).then(() => settled.push(i))));

  expect(settled).toEqual(Array.from({ length: 100 }, (_, i) => i));
  expect(await takeAll(spool)).toEqual(valuesOf(numbered(0, 100)));
});

test('what is appended while the oldest segment is read goes behind it', async () => {
  const spool = await openSpool(await temporaryFolder());
  await spool.append(numbered(0, 1));

  const [first] = await Promise.all([spool.next(), spool.append(numbered(1, 1))]);
  await spool.append(numbered(2, 1));

  expect(await takeAll(spool)).toEqual(['0', '1', '2']);
  expect(first?.messages).toBeGreaterThan(0);
});

test('what waits survives a close, and later appends go behind it', async () => {
  const folder = await temporaryFolder();
  const lock = lockFolder(folder);
  const before = await Spool.open({ folder, maxBytes: 2 ** 20 });
  await before.append(numbered(0, 5));
  const { bytes } = before;
  await before.close();
  lock.release();

  const spool = await openSpool(folder);
  expect([spool.messages, spool.bytes, spool.oldestAtMs]).toEqual([5, bytes, expect.closeTo(Date.now(), -5)]);
  await spool.append(numbered(5, 1));

  expect(await takeAll(spool)).toEqual(valuesOf(numbered(0, 6)));
});

test('a full spool refuses appends, reports it, and accepts them again once a segment is removed', async () => {
  const spool = await openSpool(await temporaryFolder(), { maxBytes: 5_000, segmentBytes: 1_000 });
  await spool.append([spooled('k', LARGE)]);
  await spool.append([spooled('k', LARGE)]);

  const error: unknown = await spool.append([spooled('k', LARGE)]).catch((error: unknown) => error);
  expect(hasCode(error, 'LOG_UNAVAILABLE')).toBe(true);
  expect([spool.state, spool.refusals, spool.messages]).toEqual(['full', 1, 2]);
  await expect(spool.check()).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });

  const oldest = await spool.next();
  await spool.remove(oldest!, { keep: false });
  await spool.check();
  await spool.append([spooled('k', LARGE)]);
  expect([spool.state, spool.messages]).toEqual(['waiting', 2]);
});

test('an incomplete last write is left out, and the rest is intact', async () => {
  const folder = await temporaryFolder();
  const before = await openedOnce(folder, 4);
  await appendFile(join(folder, before), Buffer.from((await readFile(join(folder, before))).subarray(0, 20)));

  const spool = await openSpool(folder);
  const segment = await spool.next();
  const frames = await spool.read(segment!);

  expect([valuesOf(frames.records), frames.damaged, frames.tornBytes]).toEqual([['0', '1', '2', '3'], [], 20]);
});

test('nothing is read of a write that the disk refused in the middle', async () => {
  const folder = await temporaryFolder();
  const name = await openedOnce(folder, 2);
  const spool = await openSpool(folder);
  // As a failed write leaves it, where cutting it off failed too.
  await appendFile(join(folder, name), 'rubbish'.repeat(9));

  expect(await takeAll(spool)).toEqual(['0', '1']);
});

test('a folder with other files is refused, and left unchanged', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, '0000000000000001.spool2'), 'of a newer version');

  await expect(Spool.open({ folder, maxBytes: 1 })).rejects.toMatchObject({ code: 'SPOOL_FOREIGN' });
  expect(await readdir(folder)).toEqual(['0000000000000001.spool2']);
});

test('a segment that is kept aside blocks nothing and keeps its bytes', async () => {
  const folder = await temporaryFolder();
  const name = await openedOnce(folder, 2);
  const bytes = await readFile(join(folder, name));
  const spool = await openSpool(folder);

  await spool.remove((await spool.next())!, { keep: true });
  await spool.append(numbered(2, 1));

  expect(await readFile(join(folder, `${name}.kept`))).toEqual(bytes);
  expect(await takeAll(spool)).toEqual(['2']);
});

test('kill -9 while it is written: everything acknowledged is there, in order', { timeout: 60_000 }, async () => {
  const folder = await temporaryFolder();
  let acknowledged = -1;
  for (let kill = 0; kill < 3; kill++) {
    const program = startProgram(['test/support/programs/spool-filler.ts', folder, String(acknowledged + 1)]);
    for (let lines = 0; lines < 200 * (kill + 1); lines++) acknowledged = Number(await program.line());
    await program.kill();
    for (let line = await program.line(); line !== undefined; line = await program.line()) acknowledged = Number(line);
  }

  const values = (await takeAll(await openSpool(folder, { maxBytes: 2 ** 30 }))).map(Number);
  expect(values.filter((value) => value <= acknowledged).length).toBeGreaterThan(1_000);
  // One that was not acknowledged may be there, and comes again: its first place counts.
  expect([...new Set(values)]).toEqual(Array.from({ length: new Set(values).size }, (_, i) => i));
  expect(new Set(values).size).toBeGreaterThan(acknowledged);
});

/** Writes a segment with `count` records, and returns its name. */
async function openedOnce(folder: string, count: number): Promise<string> {
  const lock = lockFolder(folder);
  const spool = await Spool.open({ folder, maxBytes: 2 ** 20 });
  await spool.append(numbered(0, count));
  await spool.close();
  lock.release();
  return (await segmentsIn(folder))[0]!;
}

test('a spool on a failing disk refuses appends, keeps what it acknowledged, and recovers with the disk', async () => {
  const folder = await temporaryFolder();
  const spool = await openSpool(folder);
  await spool.append(numbered(0, 2));
  await spool.next();
  // A folder in the place of the next segment: as good as a disk that refuses.
  const blocked = await open(join(folder, '0000000000000002.spool'), 'wx');
  onTestFinished(() => blocked.close());

  await expect(spool.append(numbered(2, 1))).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });
  expect([spool.state, spool.failures]).toEqual(['failed', 1]);
  await spool.check();
  expect(spool.state).toBe('waiting');
  await spool.append(numbered(3, 1));

  expect(await takeAll(spool)).toEqual(['0', '1', '3']);
});
