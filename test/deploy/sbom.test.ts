import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Component {
  readonly name: string;
  readonly group?: string;
  readonly version: string;
}

interface Bom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly (Component & { readonly purl: string })[];
}

const { version, dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string;
  dependencies: Record<string, string>;
};

function nameOf({ group, name, version: of }: Component): string {
  return `${group === undefined ? '' : `${group}/`}${name}@${of}`;
}

test('the list of a release has every package for production, those of the console, and no other', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { version: string; dev?: boolean }>;
  };
  const locked = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  const ofConsole = ['@preact/signals', '@preact/signals-core', 'preact'];
  const expected = [
    ...locked.map(([path, entry]) => `${path.split('node_modules/').at(-1)}@${entry.version}`),
    ...ofConsole.map((name) => `${name}@${packages[`node_modules/${name}`]?.version}`),
  ];

  const bom = JSON.parse(execFileSync(process.execPath, ['tools/sbom.ts'], { stdio: 'pipe' }).toString()) as Bom;

  expect([bom.bomFormat, Number(bom.specVersion) >= 1.5, nameOf(bom.metadata.component)]).toEqual([
    'CycloneDX',
    true,
    `tidemark@${version}`,
  ]);
  expect(bom.components.map(nameOf).sort()).toEqual([...new Set(expected)].sort());
  expect(bom.components.filter(({ purl }) => !purl.startsWith('pkg:npm/'))).toEqual([]);
  expect(expected).toEqual(expect.arrayContaining(Object.entries(dependencies).map(([name, of]) => `${name}@${of}`)));
});
