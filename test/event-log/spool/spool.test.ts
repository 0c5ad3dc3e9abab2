import { execFileSync } from 'node:child_process';
import { appendFile, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasCode } from '../../../services/runtime/errors.ts';
import { lockFolder } from '../../../services/runtime/folder-lock.ts';
import { Spool } from '../../../services/event-log/spool/spool.ts';
import { until } from '../../support/event-log/event-log.ts';
import { startProgram } from '../../support/service/program.ts';
import { numbered, openSpool, segmentsIn, spooled, takeAll, valuesOf } from '../../support/event-log/spool.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const LARGE = 'x'.repeat(2_000);

test('what was spooled is read in order, and its segments are removed', async () => {
  const folder = await temporaryFolder();
  const spool = await openSpool(folder, { segmentBytes: 700 });
  for (let i = 0; i < 10; i++)
    await Promise.all([spool.append(numbered(3 * i, 2)), spool.append(numbered(3 * i + 2, 1))]);
  const [files, { messages, state }] = [await segmentsIn(folder), spool];

  const values = await takeAll(spool);

  expect(values).toEqual(valuesOf(numbered(0, 30)));
  expect([files.length > 3, messages, state]).toEqual([true, 30, 'waiting']);
  expect([spool.isEmpty, spool.messages]).toEqual([true, 0]);
  await until(async () => spool.bytes < 1_000 && (await segmentsIn(folder)).length === 1);
  await spool.close();
  expect((await readdir(folder)).filter((name) => !name.startsWith('.lock'))).toEqual([]);
});

test('many appends at once share a flush and resolve in order', async () => {
  const folder = await temporaryFolder();
  const spool = await openSpool(folder);
  const settled: number[] = [];

  await Promise.all(numbered(0, 100).map((one, i) => spool.append([one]).then(() => settled.push(i))));

  expect(settled).toEqual(Array.from({ length: 100 }, (_, i) => i));
  expect(await takeAll(spool)).toEqual(valuesOf(numbered(0, 100)));
});

test('what is appended while the oldest messages are read goes behind them', async () => {
  const spool = await openSpool(await temporaryFolder());
  await spool.append(numbered(0, 1));

  const [first] = await Promise.all([spool.read(), spool.append(numbered(1, 1))]);
  await spool.append(numbered(2, 1));

  expect(await takeAll(spool)).toEqual(['0', '1', '2']);
  expect(valuesOf(first?.records ?? [])).toEqual(['0']);
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
  const spool = await openSpool(await temporaryFolder(), { maxBytes: 6_000, segmentBytes: 1_000 });
  await spool.append([spooled('k', LARGE)]);
  await spool.append([spooled('k', LARGE)]);

  const error: unknown = await spool.append([spooled('k', LARGE)]).catch((error: unknown) => error);
  expect(hasCode(error, 'LOG_UNAVAILABLE')).toBe(true);
  expect([spool.state, spool.refusals, spool.messages]).toEqual(['full', 1, 2]);
  await expect(spool.check()).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });

  const oldest = await spool.read();
  await spool.forwarded(oldest!, { keep: false });
  await until(() => spool.state === 'waiting');
  await spool.check();
  await spool.append([spooled('k', LARGE)]);
  expect([spool.state, spool.messages]).toEqual(['waiting', 2]);
});

test('a last write that a crash cut off, or the disk refused in the middle, is left out, and the rest is intact', async () => {
  const folder = await temporaryFolder();
  const path = await openedOnce(folder, 4);
  const bytes = await readFile(path);
  // The beginning of a frame, and something else.
  await appendFile(path, bytes.subarray(bytes.lastIndexOf('TMF1'), bytes.lastIndexOf('TMF1') + 40));
  await appendFile(path, 'rubbish'.repeat(9));

  const piece = await (await openSpool(folder)).read();

  expect([valuesOf(piece!.records), piece!.lost]).toEqual([['0', '1', '2', '3'], 0]);
});

test('a folder with other files is refused, and left unchanged', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, '0000000000000001.spool2'), 'of a newer version');

  await expect(Spool.open({ folder, maxBytes: 1 })).rejects.toMatchObject({ code: 'SPOOL_FOREIGN' });
  expect(await readdir(folder)).toEqual(['0000000000000001.spool2']);
});

test('a segment that is kept aside blocks nothing and keeps its bytes', async () => {
  const folder = await temporaryFolder();
  const path = await openedOnce(folder, 2);
  const bytes = await readFile(path);
  const spool = await openSpool(folder);

  await spool.forwarded((await spool.read())!, { keep: true });
  await spool.append(numbered(2, 1));

  const kept = (await readdir(folder)).filter((name) => name.endsWith('.kept'));
  expect(await Promise.all(kept.map((name) => readFile(join(folder, name))))).toEqual([bytes]);
  expect(await takeAll(spool)).toEqual(['2']);
});

test('what a crash left of a log that was being removed goes at the next start', async () => {
  const folder = await temporaryFolder();
  await openedOnce(folder, 2);
  await rename(join(folder, 'log'), join(folder, 'forwarded'));

  const spool = await openSpool(folder);

  expect([spool.isEmpty, await readdir(folder)]).toEqual([true, expect.not.arrayContaining(['forwarded'])]);
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

test('a spool whose file cannot grow refuses appends, and keeps what it acknowledged', async () => {
  const folder = await temporaryFolder();
  const command = 'ulimit -f 401; exec "$0" test/support/programs/spool-filler.ts "$1" 0 1000000';

  const printed = execFileSync('sh', ['-c', command, process.execPath, folder], { encoding: 'utf8' });

  const lines = printed.trim().split('\n');
  const acknowledged = lines.slice(0, -1).map(Number);
  expect([lines.at(-1), acknowledged.length > 100]).toEqual(['LOG_UNAVAILABLE failed', true]);
  const values = (await takeAll(await openSpool(folder))).map(Number);
  expect(values.slice(0, acknowledged.length)).toEqual(acknowledged);
});

test('a spool that cannot begin a log refuses appends, and recovers with the disk', async () => {
  const folder = await temporaryFolder();
  const spool = await openSpool(folder);
  // As good as a disk that refuses.
  await writeFile(join(folder, 'log'), '');

  await expect(spool.append(numbered(0, 1))).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });
  expect([spool.state, spool.failures]).toEqual(['failed', 1]);
  await expect(spool.check()).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });
  await rm(join(folder, 'log'));
  await spool.check();
  expect(spool.state).toBe('empty');
  await spool.append(numbered(1, 1));

  expect(await takeAll(spool)).toEqual(['1']);
});

/** Writes a segment with `count` records, and returns its path. */
async function openedOnce(folder: string, count: number): Promise<string> {
  const lock = lockFolder(folder);
  const spool = await Spool.open({ folder, maxBytes: 2 ** 20 });
  await spool.append(numbered(0, count));
  await spool.close();
  lock.release();
  return (await segmentsIn(folder))[0]!;
}
