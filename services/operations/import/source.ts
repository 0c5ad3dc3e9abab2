/** The files to import, each opened once: what is checked of it is what is read. */
import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat, statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join, relative, sep } from 'node:path';
import { TidemarkError } from '../../runtime/errors.ts';
import { importableFilesOf } from '../../runtime/importable-files.ts';

export interface ImportSource {
  /** That of a file, or of a folder with files. */
  readonly path: string;
  /** What people call it; the last part of the path where left out. */
  readonly name?: string | undefined;
  /** The folder in which the file must lie once all links are followed; anywhere where left out. */
  readonly within?: string | undefined;
}

/** A file of an import, however it was named. */
export interface SourceFile extends ImportSource {
  readonly name: string;
  readonly bytes: number;
}

const NOT_REGULAR = 'it is no regular file; give - and pipe it in';
/** `O_NOFOLLOW_ANY` of <fcntl.h>, which Node does not name: no part of the path may be a link. */
const MACOS_NO_LINKS = 0x2000_0000;
/** `PROC_SUPER_MAGIC`, see statfs(2). */
const PROC = 0x9fa0;

/**
 * All files, those of a folder in the order of their paths. Hidden ones, and what an import writes beside a file, are left
 * out.
 *
 * @throws TidemarkError `COMMAND_INVALID` where there are none, or a path cannot be read.
 */
export async function filesOf(sources: readonly ImportSource[]): Promise<readonly SourceFile[]> {
  const files: SourceFile[] = [];
  for (const source of sources) files.push(...(await sayingWhere(source.path, () => listed(source))));
  return files;
}

async function listed({ path, within, name = basename(path) }: ImportSource): Promise<readonly SourceFile[]> {
  const real = within === undefined ? path : await realPathWithin(path, within);
  const stats = await stat(real);
  if (!stats.isDirectory()) return [{ path, within, name, bytes: stats.size }];
  const paths = await importableFilesOf(real);
  if (paths.length === 0) throw new Error('the folder has no files');
  return Promise.all(
    paths.map(async (file) => {
      return { path: file, within, name: join(name, relative(real, file)), bytes: (await stat(file)).size };
    }),
  );
}

/**
 * Opens a regular file to read it. Nothing else is waited for or read: no device, no pipe.
 *
 * @throws TidemarkError `COMMAND_INVALID` where there is no such file that can be read, or it does not lie within.
 */
export async function openSource({ path, within }: ImportSource): Promise<FileHandle> {
  return sayingWhere(path, () => (within === undefined ? openRegular(path) : openWithin(path, within)));
}

/** For `catch`: what is of a file that is not there is undefined. */
export function ifMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

async function sayingWhere<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    const message = `${path} cannot be read on ${hostname()}: ${(cause as Error).message}.`;
    throw new TidemarkError('COMMAND_INVALID', message, { cause });
  }
}

async function openRegular(path: string, flags = 0): Promise<FileHandle> {
  // Looked at before it is opened as well: to open a device may do something.
  if (!(await stat(path)).isFile()) throw new Error(NOT_REGULAR);
  // A pipe that took its place since is not waited for.
  await using opened = new AsyncDisposableStack();
  const file = opened.use(await open(path, constants.O_RDONLY | constants.O_NONBLOCK | flags));
  if (!(await file.stat()).isFile()) throw new Error(NOT_REGULAR);
  opened.move();
  return file;
}

async function realPathWithin(path: string, within: string): Promise<string> {
  const root = await realpath(within);
  const real = await realpath(path).catch(() => undefined);
  // The same of what is not there: nobody is told what else is on the machine.
  if (real === undefined || !`${real}${sep}`.startsWith(join(root, sep)))
    throw new Error(`there is no such file within ${within}`);
  return real;
}

async function openWithin(path: string, within: string): Promise<FileHandle> {
  const real = await realPathWithin(path, within);
  await using opened = new AsyncDisposableStack();
  const file = opened.use(await openRegular(real, process.platform === 'darwin' ? MACOS_NO_LINKS : 0));
  await checkOpened(file, real);
  opened.move();
  return file;
}

/** A folder of the path may have become a link since its real path was asked for: Linux says what was opened. */
async function checkOpened({ fd }: FileHandle, real: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const opened = `/proc/self/fd/${fd}`;
  if ((await readlink(opened)) !== real) throw new Error('it was exchanged while it was opened');
  if ((await statfs(opened)).type === PROC) throw new Error(NOT_REGULAR);
}
