import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runProgram } from '../support/service/program.ts';

interface Manifest {
  readonly engines?: { readonly node: string };
  readonly packages?: Record<string, Manifest>;
}

// `process.versions` is replaced, as if another version of Node ran.
const asVersion = (node: string) =>
  `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${node}"}})`;

test.each([
  ['services/main.js', '20.20.2'],
  ['services/main.js', '24.9.0'],
  ['services/main.js', '24.18.0'],
  ['services/cli/tidemark.js', '20.20.2'],
])('%s on Node %s prints in one line which version it needs', async (entry, version) => {
  const { code, stdout, stderr } = await runProgram(['--import', asVersion(version), entry, '--help']);

  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^tidemark: this is Node .*Node 24\.18\.1 or later.*npm ci && npm start.*\n$/);
  expect(stderr).toContain(`Node ${version} `);
});

test.each(['24.18.1', '24.100.0', '26.0.0'])('the command runs on Node %s', async (version) => {
  const { code } = await runProgram(['--import', asVersion(version), 'services/cli/tidemark.js', '--help']);

  expect(code).toBe(0);
});

test('every script that a person starts checks the version of Node first', () => {
  const { bin, scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    bin: { tidemark: string };
    scripts: Record<string, string>;
  };

  expect([bin.tidemark, scripts['tidemark']]).toEqual([
    'services/cli/tidemark.js',
    'exec node services/cli/tidemark.js',
  ]);
  expect(readFileSync('services/start.sh', 'utf8')).toContain('/main.js');
  expect(execFileSync('git', ['ls-files', '-s', bin.tidemark], { encoding: 'utf8' })).toMatch(/^100755/);
});

test('package.json and the lock file ask for the Node that the entry points ask for', () => {
  const [, needed] = /NEEDED = '([\d.]+)'/.exec(readFileSync('services/require-node.js', 'utf8')) ?? [];
  const engines = ['package.json', 'package-lock.json'].map((file) => {
    const { packages, ...root } = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
    return (packages?.[''] ?? root).engines?.node;
  });

  expect(engines).toEqual([`>=${needed}`, `>=${needed}`]);
});
