import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type FolderLock, lockFolder } from '../../services/runtime/folder-lock.ts';
import { startProgram } from '../support/service/program.ts';
import type { Program } from '../support/service/spawn-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const HOLDER = 'test/support/programs/lock-holder.ts';

describe('a folder lock', () => {
  test('a folder lock creates the folder for its owner alone', async () => {
    const folder = join(await temporaryFolder(), 'a', 'b');

    lock(folder);

    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test('a folder lock excludes a second opener in the same thread until it is released', async () => {
    const folder = await temporaryFolder();
    const first = lock(folder);

    expect(() => lock(folder)).toThrow(expect.objectContaining({ code: 'FOLDER_IN_USE' }));
    first.release();
    first.release();

    lock(folder);
  });

  test('a folder lock is not released by a second opener that was refused', async () => {
    const folder = await temporaryFolder();
    lock(folder);

    expect(() => lock(folder)).toThrow();

    expect(await startProgram([HOLDER, folder]).line()).toBe('FOLDER_IN_USE');
  });

  test('releasing a folder lock twice does not release that of the next opener', async () => {
    const folder = await temporaryFolder();
    const first = lock(folder);
    first.release();
    lock(folder);

    first.release();

    expect(() => lock(folder)).toThrow(expect.objectContaining({ code: 'FOLDER_IN_USE' }));
  });

  test('the error of a locked folder names the folder and the process that has locked it', async () => {
    const folder = await temporaryFolder();
    const { child } = await holder(folder);

    expect(() => lock(folder)).toThrow(new RegExp(`${folder} is in use by process ${child.pid}\\.`, 'u'));
  });

  test('a folder lock is released when its process is killed', async () => {
    const folder = await temporaryFolder();
    const killed = await holder(folder);

    await killed.kill();

    lock(folder);
  });

  test('the error of a locked folder does not name a process that was killed before', async () => {
    const folder = await temporaryFolder();
    const killed = await holder(folder);
    const { pid } = killed.child;
    await killed.kill();
    await chmod(join(folder, '.lock-holder'), 0o600);
    const second = lock(folder);
    await writeFile(join(folder, '.lock-holder'), `${pid} ${(await import('node:os')).hostname()}\n`);

    expect(() => lock(folder)).toThrow(/another process/u);
    second.release();
  });

  test('a folder lock excludes other processes and other threads', async () => {
    const folder = await temporaryFolder();
    const thread = await holdingThread(folder);

    const process = startProgram([HOLDER, folder]);

    expect(await process.line()).toBe('FOLDER_IN_USE');
    expect(() => lock(folder)).toThrow(expect.objectContaining({ code: 'FOLDER_IN_USE' }));
    await thread.terminate();
    lock(folder);
  });

  test('a folder lock stays when garbage is collected', async () => {
    const folder = await temporaryFolder();
    const forgetful = startProgram(['--expose-gc', HOLDER, folder, 'collect']);
    expect(await forgetful.line()).toBe('held');

    expect(() => lock(folder)).toThrow(expect.objectContaining({ code: 'FOLDER_IN_USE' }));
  });

  test('exactly one of several processes gets a folder lock', async () => {
    const folder = await temporaryFolder();

    const answers = await Promise.all(Array.from({ length: 5 }, () => startProgram([HOLDER, folder]).line()));

    expect(answers.filter((answer) => answer === 'held')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'FOLDER_IN_USE')).toHaveLength(4);
  });

  test('a released folder can be deleted, and has no files but those of the lock', async () => {
    const folder = await temporaryFolder();

    lock(folder).release();

    expect(await readdir(folder)).toEqual(['.lock']);
  });

  test('locking a path that is not a folder is an error that says so', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'file'), '');
    await mkdir(join(folder, 'other', '.lock'), { recursive: true });

    expect(() => lock(join(folder, 'file'))).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(() => lock(join(folder, 'other'))).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});

function lock(folder: string): FolderLock {
  const held = lockFolder(folder);
  onTestFinished(() => held.release());
  return held;
}

async function holder(folder: string): Promise<Program> {
  const program = startProgram([HOLDER, folder]);
  expect(await program.line()).toBe('held');
  return program;
}

async function holdingThread(folder: string): Promise<Worker> {
  const url = new URL('../support/programs/lock-holder.ts', import.meta.url);
  const thread = new Worker(url, { argv: [folder], stdout: true });
  onTestFinished(async () => void (await thread.terminate()));
  const [said] = (await once(thread.stdout, 'data')) as [Buffer];
  expect(String(said)).toBe('held\n');
  return thread;
}
