import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { runTool } from './processes/server-process.ts';

const AT_ONCE = 8;
const DOWNLOAD_WITHIN_MS = 300_000;

interface Pinned {
  readonly sha256: string;
  /** In the layout of a Maven repository. */
  readonly path: string;
}

/**
 * The files named in `list` (a file beside this one, in the form of `sha256sum`), downloaded from Maven Central or
 * `MAVEN_REPOSITORY_URL` into `$XDG_CACHE_HOME/tidemark` where they are not there already. Any number of processes may ask at once.
 *
 * @throws Error where a file cannot be had, or is not the one that was pinned.
 */
export async function mavenFiles(list: string): Promise<string[]> {
  const text = await readFile(resolve(import.meta.dirname, list), 'utf8');
  const pinned = text.trim().split('\n').map(parseLine);
  const waiting = [...pinned];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await fetchOnce(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return pinned.map(cachePath);
}

/** The folder that the one archive named in `list` unpacks to, unpacked once. */
export async function mavenArchive(list: string): Promise<string> {
  const text = await readFile(resolve(import.meta.dirname, list), 'utf8');
  const folder = `${cachePath(parseLine(text.trim()))}.unpacked`;
  if (await exists(folder)) return folder;
  const [archive = ''] = await mavenFiles(list);
  const unpacking = `${folder}.${randomUUID()}`;
  await mkdir(unpacking);
  try {
    await runTool('tar', ['-xzf', archive, '-C', unpacking]);
    await rename(unpacking, folder);
    await rm(archive, { force: true });
  } catch (error) {
    await rm(unpacking, { recursive: true, force: true });
    // Another process was first: its folder is as good.
    if (!(await exists(folder))) throw error;
  }
  return folder;
}

function parseLine(line: string): Pinned {
  const [sha256 = '', path = ''] = line.split(/\s+/);
  return { sha256, path };
}

function cachePath({ path }: Pinned): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(cache, 'tidemark', 'maven', path);
}

async function fetchOnce(file: Pinned): Promise<void> {
  const target = cachePath(file);
  if ((await sha256Of(target)) === file.sha256) return;
  const part = `${target}.${randomUUID()}.part`;
  await mkdir(dirname(target), { recursive: true });
  try {
    await download(file.path, part);
    const found = await sha256Of(part);
    if (found !== file.sha256) throw new Error(`${file.path} is not the pinned file: SHA-256 ${found}`);
    await rename(part, target);
  } finally {
    await rm(part, { force: true });
  }
}

async function download(path: string, to: string): Promise<void> {
  const base = process.env['MAVEN_REPOSITORY_URL'] ?? 'https://repo1.maven.org/maven2';
  const url = `${base.replace(/\/$/, '')}/${path}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_WITHIN_MS) }).catch((cause: unknown) => {
    throw new Error(`cannot download ${path}`, { cause });
  });
  if (!response.ok || response.body === null) throw new Error(`cannot download ${path}: HTTP ${response.status}`);
  await pipeline(Readable.fromWeb(response.body), createWriteStream(to));
}

/** Undefined where there is no such file. */
async function sha256Of(path: string): Promise<string | undefined> {
  if (!(await exists(path))) return undefined;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
