import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';

const SCHEMAS = 'schemas/postgres';

/** A folder of the migrations of a version whose last one had this number. */
export async function migrationsUpTo(number: number): Promise<string> {
  const folder = await temporaryFolder();
  const files = (await readdir(SCHEMAS)).filter((file) => Number(file.slice(0, 3)) <= number);
  await Promise.all(files.map((file) => cp(join(SCHEMAS, file), join(folder, file))));
  return folder;
}
