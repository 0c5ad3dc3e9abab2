import { chmod, chown, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkPrivate, checkUnwritable } from '../../services/runtime/private-folder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const isRoot = process.geteuid?.() === 0;
const NOBODY = 65_534;

async function folderOf(mode: number, inside: number | null = 0o700): Promise<string> {
  const folder = join(await temporaryFolder(), 'data');
  await mkdir(folder);
  if (inside !== null) {
    await mkdir(join(folder, 'event-log'));
    await writeFile(join(folder, 'event-log', 'file'), '');
    await chmod(join(folder, 'event-log'), inside);
  }
  await chmod(folder, mode);
  return folder;
}

function outcomeOf(folder: string, check = checkPrivate): string {
  try {
    check(folder, 'DATA_DIR');
    return 'taken';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test.each([
  ['closed, with what is open inside', 0o700, 'taken'],
  ['readable by all', 0o755, 'FOLDER_EXPOSED'],
  ['writable by its group', 0o770, 'FOLDER_EXPOSED'],
  ['given to its group (setgid)', 0o2770, 'taken'],
  ['given to its group, and readable by all', 0o2775, 'FOLDER_EXPOSED'],
])('a folder that is %s (%o) is %s', async (_, mode, expected) => {
  expect(outcomeOf(await folderOf(mode, 0o755))).toBe(expected);
});

test.each([
  [0o755, 'taken'],
  [0o775, 'taken'],
  [0o777, 'FOLDER_EXPOSED'],
  [0o1777, 'FOLDER_EXPOSED'],
])('a folder to import from, of the mode %o, is %s', async (mode, expected) => {
  const folder = await folderOf(mode);

  expect(outcomeOf(folder, checkUnwritable)).toBe(expected);
  expect((await stat(folder)).mode & 0o7777).toBe(mode);
});

test('an empty folder is closed', async () => {
  const folder = await folderOf(0o755, null);

  expect(outcomeOf(folder)).toBe('taken');
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

test('a folder that does not exist is accepted', async () => {
  expect(outcomeOf(join(await temporaryFolder(), 'none'))).toBe('taken');
});

test('the command in the error quotes the folder for a shell', async () => {
  const folder = join(await temporaryFolder(), "it's here");
  await mkdir(join(folder, 'a'), { recursive: true });
  await chmod(folder, 0o755);

  expect(() => checkPrivate(folder, 'DATA_DIR')).toThrow(String.raw`it'\''s here'`);
});

test.skipIf(!isRoot).each([
  ['may be listed by others where what is inside is closed', 0o2775, 0o2770, 'taken'],
  ['may not be writable by others', 0o777, 0o700, 'FOLDER_EXPOSED'],
  ['may not hold what is open', 0o755, 0o755, 'FOLDER_EXPOSED'],
])("another user's folder (a mounted volume) %s", async (_, mode, inside, expected) => {
  const folder = await folderOf(mode, inside);
  await chmod(join(folder, '..'), 0o755);
  await chown(join(folder, 'event-log'), NOBODY, 0);
  await chmod(join(folder, 'event-log'), inside);
  process.seteuid?.(NOBODY);
  onTestFinished(() => process.seteuid?.(0));

  const found = outcomeOf(folder);

  process.seteuid?.(0);
  expect(found).toBe(expected);
});
