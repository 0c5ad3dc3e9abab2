import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: true;
}

// Published for other platforms than the one the lock file was last made on, where their hashes could not be had: npm
// installs them by version alone. The list may only become shorter.
const WITHOUT_HASH = ['@chdb/lib-darwin-arm64', '@chdb/lib-darwin-x64', '@chdb/lib-linux-arm64-gnu'];

const { allowScripts, scarfSettings, ...packageJson } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly allowScripts: Record<string, boolean>;
  readonly scarfSettings: { readonly enabled: boolean };
} & Record<string, Record<string, string> | undefined>;

/** The packages of the lock file by name, without the project itself. */
function locked(): [name: string, entry: Entry][] {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Entry> };
  const paths = Object.entries(packages).filter(([path]) => path !== '');
  return paths.map(([path, entry]) => [path.split('node_modules/').at(-1) ?? path, entry]);
}

describe('packages', () => {
  test('every entry of the lock file has the hash of what it installs', () => {
    const without = locked().filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'));

    expect(locked().length).toBeGreaterThan(10);
    expect(without.map(([name]) => name).filter((name) => !WITHOUT_HASH.includes(name))).toEqual([]);
  });

  test('every install script is denied', () => {
    const scripts = locked().filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = [...new Set(scripts.map(([name]) => name))].sort();

    expect(names).toContain('@scarf/scarf');
    expect(allowScripts).toEqual(Object.fromEntries(names.map((name) => [name, false])));
  });

  test('no package reports the installation', () => {
    expect(scarfSettings).toEqual({ enabled: false });
  });

  test('every package is pinned to one version', () => {
    const groups = ['dependencies', 'devDependencies', 'optionalDependencies'];
    const versions = groups.flatMap((group) => Object.entries(packageJson[group] ?? {}));

    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  test('the Node that comes with the packages has the security releases of 2026', () => {
    const nodes = Object.entries(packageJson['optionalDependencies'] ?? {});

    expect(nodes.length).toBeGreaterThan(0);
    expect(nodes.filter(([, version]) => version.localeCompare('24.18.1', 'en', { numeric: true }) < 0)).toEqual([]);
  });
});
