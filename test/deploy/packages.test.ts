import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

interface Entry {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: true;
  readonly integrity?: string;
  readonly hasInstallScript?: true;
}

// For other platforms than the one the lock file was made on. The registry that it was made with does not have them, so
// their hashes could not be asked for (`npm view NAME@VERSION dist.integrity`), and npm installs them by version alone.
const WITHOUT_HASH = ['@chdb/lib-darwin-arm64', '@chdb/lib-darwin-x64', '@chdb/lib-linux-arm64-gnu'];

const { allowScripts, scarfSettings, ...packageJson } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly allowScripts: Record<string, boolean>;
  readonly scarfSettings: { readonly enabled: boolean };
} & Record<string, Record<string, string> | undefined>;

// What may be used, changed and passed on with a service whose own sources are under another licence.
const LICENCES = ['MIT', 'Apache-2.0', 'BSD-3-Clause', 'BSD-2-Clause', 'ISC', '0BSD'];
// What is for development alone may have these as well.
const OF_DEVELOPMENT = ['MPL-2.0', 'BlueOak-1.0.0', 'Unlicense', 'CC0-1.0', '(MIT AND Zlib)'];

// Their entries name no licence, or only a file. The file has the text of the licence, which was read for each of these
// versions: another version is read again.
const APACHE_BY_THEIR_FILE = ['@openfeature/ofrep-core@0.1.4', '@openfeature/ofrep-provider@0.1.3'];
const MIT_BY_THEIR_FILE = [
  '@customerio/cdp-analytics-node@0.5.9',
  '@kafkajs/confluent-schema-registry@4.1.0',
  '@segment/facade@3.4.10',
  '@segment/isodate-traverse@1.1.1',
  '@segment/isodate@1.0.3',
  '@segment/loosely-validate-event@2.0.0',
  'buildcheck@0.0.7',
  'cpu-features@0.0.10',
  'new-date@1.0.3',
  'ssh2@1.17.0',
];
const MIT_GRANT = /Permission is hereby granted, free of charge, to any person obtaining a copy/;

/** The packages of the lock file by name, without the project itself. */
function locked(): [name: string, entry: Entry][] {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Entry> };
  const paths = Object.entries(packages).filter(([path]) => path !== '');
  return paths.map(([path, entry]) => [path.split('node_modules/').at(-1) ?? path, entry]);
}

/** The text of the licence that a package has beside it; undefined where the package is not for this machine. */
function licenceOf(name: string): string | undefined {
  const folder = join('node_modules', name);
  if (!existsSync(folder)) return undefined;
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  return file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
}

describe('packages', () => {
  test('every entry of the lock file has the hash of what it installs', () => {
    const without = locked().filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'));

    expect(locked().length).toBeGreaterThan(10);
    expect(without.map(([name]) => name)).toEqual(WITHOUT_HASH);
  });

  test('every package has a licence that the project may use it by', () => {
    const others = locked().filter(([, { license = '', dev }]) => {
      return !LICENCES.includes(license) && !(dev && OF_DEVELOPMENT.includes(license));
    });
    const unstated = others.filter(([, { license = 'SEE LICENSE IN LICENSE' }]) => license.startsWith('SEE LICENSE'));

    expect(others.filter((one) => !unstated.includes(one)).map(([name, { license }]) => [name, license])).toEqual([]);
    expect(unstated.map(([name, { version }]) => `${name}@${version}`).sort()).toEqual(
      [...APACHE_BY_THEIR_FILE, ...MIT_BY_THEIR_FILE].sort(),
    );
  });

  test('packages that state no licence by name have the text of the MIT License, or of the Apache License', () => {
    for (const one of APACHE_BY_THEIR_FILE)
      expect(licenceOf(one.slice(0, one.lastIndexOf('@'))), one).toMatch(/Apache License\s+Version 2\.0/);
    const texts = MIT_BY_THEIR_FILE.map((one) => [one, licenceOf(one.slice(0, one.lastIndexOf('@')))] as const);
    const installed = texts.filter(([, text]) => text !== undefined);

    // Two are optional.
    expect(installed.length).toBeGreaterThanOrEqual(MIT_BY_THEIR_FILE.length - 2);
    expect(installed.filter(([, text = '']) => !MIT_GRANT.test(text.replaceAll(/\s+/g, ' ')))).toEqual([]);
  });

  test('every install script is denied', () => {
    const scripts = locked().filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = [...new Set(scripts.map(([name]) => name))].sort();

    expect(names).toContain('@scarf/scarf');
    expect(allowScripts).toEqual(Object.fromEntries(names.map((name) => [name, false])));
  });

  test('every installation of the checks is without install scripts', () => {
    const installs = readFileSync('.ci/run', 'utf8').match(/^npm (?:ci|install).*/gm);

    expect(installs).toEqual(['npm ci --ignore-scripts --no-audit --no-fund || exit 1']);
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
