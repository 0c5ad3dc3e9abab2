/**
 * `node tools/sbom.ts`: prints what a release has in it (CycloneDX, JSON): the packages for production on every platform, and
 * those that are built into the console. It is npm's own list, of a lock file without the others: `npm sbom --omit dev` leaves
 * out each package that one for development needs as well, among them `pg` (tried with npm 11.19).
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Entry {
  readonly dev?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface Manifest extends Entry {
  readonly name: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, Entry>>;
}

const ROOT = join(import.meta.dirname, '..');
const manifest = read<Manifest>('package.json');
const lock = read<Lock>('package-lock.json');
const built = new Set(Object.keys(manifest.devDependencies).filter((name) => consoleImports().has(name)));

// npm calls the whole by the name of its folder.
const parent = mkdtempSync(join(tmpdir(), 'tidemark-sbom-'));
try {
  const folder = join(parent, manifest.name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(released(manifest)));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...lock, packages: releasedPackages() }));
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  process.stdout.write(execFileSync('npm', args, { cwd: folder, maxBuffer: 64 * 1024 ** 2 }));
} finally {
  rmSync(parent, { recursive: true });
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as T;
}

/** The packages that the sources of the console name. */
function consoleImports(): Set<string> {
  const texts = globSync('console/src/**/*.{ts,tsx}', { cwd: ROOT }).map((file) =>
    readFileSync(join(ROOT, file), 'utf8'),
  );
  const named = texts.flatMap((text) => [...text.matchAll(/from '((?:@[\w-]+\/)?[\w-]+)[^']*'/g)]);
  return new Set(named.map(([, name = '']) => name));
}

/** What is built into the console stands with what the service needs. */
function released({ devDependencies, ...rest }: Entry & { devDependencies?: Manifest['devDependencies'] }): Entry {
  const added = Object.entries(devDependencies ?? {}).filter(([name]) => built.has(name));
  return { ...rest, dependencies: { ...rest.dependencies, ...Object.fromEntries(added) } };
}

function releasedPackages(): Record<string, Entry> {
  const needed = new Set<string>();
  const need = (name: string): void => {
    const path = `node_modules/${name}`;
    if (needed.has(path)) return;
    needed.add(path);
    for (const each of Object.keys(lock.packages[path]?.dependencies ?? {})) need(each);
  };
  built.forEach(need);
  const kept = Object.entries(lock.packages).filter(([path, { dev }]) => dev !== true || needed.has(path));
  return Object.fromEntries(kept.map(([path, entry]) => [path, path === '' ? released(entry) : entry]));
}
