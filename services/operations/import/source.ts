/** The file to import, opened once: what is checked of it is what is read. */
import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat, statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, sep } from 'node:path';
import { TidemarkError } from '../../runtime/errors.ts';

export interface ImportSource {
  readonly path: string;
  /** The folder in which the file must lie once all links are followed; anywhere where left out. */
  readonly within?: string | undefined;
}

const NOT_REGULAR = 'it is no regular file; give - and pipe it in';
/** `O_NOFOLLOW_ANY` of <fcntl.h>, which Node does not name: no part of the path may be a link. */
const MACOS_NO_LINKS = 0x2000_0000;
/** `PROC_SUPER_MAGIC`, see statfs(2). */
const PROC = 0x9fa0;

/**
 * Opens a regular file to read it. Nothing else is waited for or read: no device, no pipe.
 *
 * @throws TidemarkError `COMMAND_INVALID` where there is no such file that can be read, or it does not lie within.
 */
export async function openSource({ path, within }: ImportSource): Promise<FileHandle> {
  try {
    return await (within === undefined ? openRegular(path) : openWithin(path, within));
  } catch (cause) {
    const message = `${path} cannot be read on ${hostname()}: ${(cause as Error).message}.`;
    throw new TidemarkError('COMMAND_INVALID', message, { cause });
  }
}

async function openRegular(path: string, flags = 0): Promise<FileHandle> {
  // Looked at before it is opened as well: to open a device may do something.
  if (!(await stat(path)).isFile()) throw new Error(NOT_REGULAR);
  // A pipe that took its place since is not waited for.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  try {
    if (!(await file.stat()).isFile()) throw new Error(NOT_REGULAR);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openWithin(path: string, within: string): Promise<FileHandle> {
  const root = join(await realpath(within), sep);
  const real = await realpath(path).catch(() => undefined);
  // The same of what is not there: nobody is told what else is on the machine.
  if (real === undefined || !real.startsWith(root)) throw new Error(`there is no such file within ${within}`);
  const file = await openRegular(real, process.platform === 'darwin' ? MACOS_NO_LINKS : 0);
  try {
    await checkOpened(file, real);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** A folder of the path may have become a link since its real path was asked for: Linux says what was opened. */
async function checkOpened({ fd }: FileHandle, real: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const opened = `/proc/self/fd/${fd}`;
  if ((await readlink(opened)) !== real) throw new Error('it was exchanged while it was opened');
  if ((await statfs(opened)).type === PROC) throw new Error(NOT_REGULAR);
}
