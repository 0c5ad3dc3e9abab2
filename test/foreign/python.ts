import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { runTool } from '../servers/processes/server-process.ts';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');

/** A Python with Confluent's Kafka client; undefined as `pythonOrReason` says. */
export function pythonWithKafka(): Promise<string | undefined> {
  return pythonOrReason(REQUIREMENTS, "Kafka's client");
}

/**
 * A Python with the packages of a file of pinned requirements.
 *
 * Without it (no python3 with venv and pip, offline): `undefined` and a line that says why; with `REQUIRE_SERVERS=1` it
 * rejects.
 *
 * @param what What the packages are, for that line.
 */
export async function pythonOrReason(list: string, what: string): Promise<string | undefined> {
  try {
    return await installedPython(list);
  } catch (cause) {
    if (process.env['REQUIRE_SERVERS'] === '1') throw new Error(`the tests need Python with ${what}`, { cause });
    process.stderr.write(`no Python with ${what} for these tests: ${String(cause)}\n`);
    return undefined;
  }
}

/**
 * A Python with the packages of a file of pinned requirements, installed by pip into `$XDG_CACHE_HOME/tidemark` where it is
 * not there already.
 */
export async function installedPython(list: string): Promise<string> {
  const version = await runTool('python3', ['-c', 'import sys; print(sys.version, sys.executable)']);
  const requirements = await readFile(list);
  const name = createHash('sha256').update(version).update(requirements).digest('hex').slice(0, 16);
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tidemark', 'python', name);
  const python = join(folder, 'bin', 'python');
  if (!(await exists(python))) await install(folder, list);
  return python;
}

/** Beside its place, then moved there whole: any number of processes may do it at once. */
async function install(folder: string, list: string): Promise<void> {
  const draft = `${folder}.${randomUUID()}`;
  await mkdir(dirname(folder), { recursive: true });
  try {
    await runTool('python3', ['-m', 'venv', draft]);
    const options = ['--quiet', '--disable-pip-version-check', '--only-binary=:all:', '--require-hashes'];
    await runTool(join(draft, 'bin', 'python'), ['-m', 'pip', 'install', ...options, '-r', list]);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process was first: its folder is as good.
    if (!(await exists(folder))) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
