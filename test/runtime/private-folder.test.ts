import { chmod, chown, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkPrivate, checkUnwritable } from '../../services/runtime/private-folder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const isRoot = process.geteuid?.() === 0;
const NOBODY = 65_534;
const IMAGE_USER = 1000;

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

  expect(outcomeAs(NOBODY, process.getegid?.() ?? 0, folder)).toBe(expected);
});

// What OpenShift gives a container: a user id of its own, in the group 0, to which a volume is opened with all that is in it.
test.skipIf(!isRoot).each([
  ['is opened to the group 0 is taken by a user of the group 0', 0o770, 0, 0, 'taken'],
  ['is opened to the group 0 is refused by a user of another group', 0o770, 0, NOBODY, 'FOLDER_EXPOSED'],
  ['is opened to another group is refused by a user of the group 0', 0o770, NOBODY, 0, 'FOLDER_EXPOSED'],
  ['is opened to all is refused by a user of the group 0', 0o775, 0, 0, 'FOLDER_EXPOSED'],
])('a folder of the same user that %s', async (_, mode, group, ours, expected) => {
  const folder = await folderOf(mode, mode);
  await chmod(join(folder, '..'), 0o755);
  await chown(folder, NOBODY, group);

  expect(outcomeAs(NOBODY, ours, folder)).toBe(expected);
});

test.skipIf(!isRoot)(
  "what a user of the group 0 finds in the image's folder is taken, opened to the group too",
  async () => {
    const folder = await folderOf(0o770, 0o770);
    await chmod(join(folder, '..'), 0o755);
    await chown(folder, IMAGE_USER, 0);
    await chown(join(folder, 'event-log'), NOBODY, 0);

    expect(outcomeAs(NOBODY, 0, folder)).toBe('taken');
  },
);

function outcomeAs(user: number, group: number, folder: string): string {
  process.setegid?.(group);
  process.seteuid?.(user);
  try {
    return outcomeOf(folder);
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}
