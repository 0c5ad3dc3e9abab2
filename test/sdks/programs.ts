/** The programs that make the calls of each SDK: what they need is downloaded once, to the user's cache. */
import { createHash, randomUUID } from 'node:crypto';
import { globSync } from 'node:fs';
import { access, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { installedPython } from '../foreign/python.ts';
import { mavenFiles } from '../servers/maven.ts';
import { runTool } from '../servers/processes/server-process.ts';
import type { Command } from './sdk-process.ts';
import { type Sdk, SDKS, sourceFileOf, sourceOf } from './sdks.ts';

const HERE = import.meta.dirname;

type CommandOf = (sdk: Sdk) => Command;

/** How the programs of each kind are started, or why they cannot be. */
const PREPARE: Record<Sdk['kind'], () => Promise<CommandOf>> = {
  npm: prepareNpm,
  python: preparePython,
  go: prepareGo,
  java: prepareJava,
};

/**
 * How the programs of a kind are started.
 *
 * Where the language or its packages are not there: `undefined` and a line that says why; with `REQUIRE_SERVERS=1` that
 * is an error for Python, as for npm.
 */
export async function prepared(kind: Sdk['kind']): Promise<CommandOf | undefined> {
  try {
    return await PREPARE[kind]();
  } catch (cause) {
    const isRequired = kind === 'npm' || (kind === 'python' && process.env['REQUIRE_SERVERS'] === '1');
    if (isRequired) throw new Error(`the tests need the SDKs for ${kind}`, { cause });
    process.stderr.write(`no SDKs for ${kind} in these tests: ${String(cause).split('\n')[0]}\n`);
    return undefined;
  }
}

async function prepareNpm(): Promise<CommandOf> {
  return ({ program }) => ({ file: process.execPath, args: [join(HERE, 'npm/run.ts'), `${program}.ts`] });
}

async function preparePython(): Promise<CommandOf> {
  const python = await installedPython(join(HERE, 'python/requirements.txt'));
  return ({ program }) => ({ file: python, args: [join(HERE, 'python/run.py'), program] });
}

async function prepareGo(): Promise<CommandOf> {
  const version = await runTool('go', ['version']);
  const folder = await builtOnce('go', version, (target, cwd) =>
    runTool('go', ['build', '-o', `${target}/`, './...'], { cwd }),
  );
  return ({ program }) => ({ file: join(folder, program), args: [] });
}

async function prepareJava(): Promise<CommandOf> {
  const home = process.env['JAVA_HOME'];
  const tool = (name: string): string => (home === undefined || home === '' ? name : join(home, 'bin', name));
  const version = await runTool(tool('javac'), ['-version']);
  const jars = await mavenFiles(join(HERE, 'java/jars.sha256'));
  const folder = await builtOnce('java', version, (target, sources) =>
    runTool(tool('javac'), ['-cp', jars.join(':'), '-d', target, ...globSync(join(sources, '*.java'))]),
  );
  return ({ program }) => ({ file: tool('java'), args: ['-cp', [folder, ...jars].join(':'), program] });
}

/** Built beside its place, then moved there whole: any number of processes may do it at once. */
async function builtOnce(
  kind: Sdk['kind'],
  version: string,
  build: (target: string, sources: string) => Promise<unknown>,
): Promise<string> {
  const hash = createHash('sha256').update(version);
  for (const file of globSync(join(HERE, kind, '**/*.{go,mod,sum,java,sha256}')).sort())
    hash.update(await readFile(file));
  const sdks = SDKS.filter((sdk) => sdk.kind === kind);
  for (const sdk of sdks) hash.update(await sourceOf(sdk));
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(cache, 'tidemark', 'sdks', kind, hash.digest('hex').slice(0, 16));
  if (await isThere(folder)) return folder;
  const draft = `${folder}.${randomUUID()}`;
  await mkdir(dirname(folder), { recursive: true });
  await mkdir(draft);
  try {
    const sources = join(draft, 'sources');
    await cp(join(HERE, kind), sources, { recursive: true });
    for (const sdk of sdks) {
      const file = join(sources, sourceFileOf(sdk));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, await sourceOf(sdk));
    }
    await build(draft, sources);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process was first: its folder is as good.
    if (!(await isThere(folder))) throw error;
  }
  return folder;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
