import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** What an import writes beside a file. */
const WRITTEN_BESIDE = /\.refused\.ndjson(?:\.state\.json(?:\.new)?)?$/;

/**
 * The files of a folder and of those in it that an import reads, in the order of their paths. Hidden ones, and what an import
 * writes beside a file, are left out. A service and a command that sends it the files choose the same ones.
 */
export async function importableFilesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !WRITTEN_BESIDE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !`${sep}${relative(folder, file)}`.includes(`${sep}.`))
    .sort();
}
