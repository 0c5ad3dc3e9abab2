/** Programs of Debian's packages, which the tests start where they are there. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Daemons are in folders that a user's PATH may lack. */
const FOLDERS = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];

/** The program's file; undefined where it is not there, which fails what needs it if servers are required. */
export function findProgram(name: string): string | undefined {
  const found = FOLDERS.map((folder) => join(folder, name)).find(isProgram);
  if (found !== undefined || process.env['REQUIRE_SERVERS'] === '1') return found ?? name;
  process.stderr.write(`Tests are skipped: there is no ${name} (apt-get install ${name}).\n`);
  return undefined;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
