import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const PRINT = 'console.log(JSON.stringify([process.execArgv, process.env.GLIBC_TUNABLES, process.argv.slice(1)]))';

/** Node's flags and arguments and glibc's settings in this role. */
async function nodeOf(role: string, tunables?: string): Promise<[string[], string, string[]]> {
  const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, GLIBC_TUNABLES: tunables };
  const { stdout } = await run('sh', ['services/node.sh', role, '-e', PRINT, 'one two', '*'], { env });
  return JSON.parse(stdout) as [string[], string, string[]];
}

test.each(['all', 'ingest'])(
  'in a role that answers requests (%s), each thread collects its own garbage',
  async (role) => {
    const [flags, tunables, args] = await nodeOf(role);

    expect(flags).toEqual(
      expect.arrayContaining(['--single-threaded-gc', '--heap-growing-percent=200', '--no-wasm-code-gc']),
    );
    expect(tunables).toContain('arena_max=2');
    expect(args).toEqual(['one two', '*']);
  },
);

test.each(['projector', 'sink'])(
  'in a role that answers no requests (%s), V8 uses its helper threads',
  async (role) => {
    const [flags] = await nodeOf(role);

    expect(flags).toContain('--heap-growing-percent=200');
    expect(flags).not.toContain('--single-threaded-gc');
  },
);

test.each([
  [undefined, join(import.meta.dirname, '../../node_modules/.cache/tidemark')],
  ['/elsewhere', '/elsewhere'],
])('compiled code is kept beside the packages, unless NODE_COMPILE_CACHE (%s) names a place', async (given, kept) => {
  const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, NODE_COMPILE_CACHE: given };

  const { stdout } = await run('sh', ['services/node.sh', 'all', '-p', 'process.env.NODE_COMPILE_CACHE'], { env });

  expect(stdout).toBe(`${kept}\n`);
});

test("the operator's settings of glibc are kept", async () => {
  const [, tunables] = await nodeOf('all', 'glibc.malloc.arena_max=7');

  expect(tunables).toBe('glibc.malloc.arena_max=7');
});

// The packages' Node comes first in PATH, as npm arranges it, and the system's after it.
test.each([
  ['v24.999.0', 'the system'],
  ['v24.18.1', 'the packages'],
  ['v20.20.2', 'the packages'],
  ['v99.0.0', 'the packages'],
  ['not a version', 'the packages'],
])('beside a Node of the system (%s) the newest Node 24 runs: that of %s', async (version, expected) => {
  const folder = await temporaryFolder();
  const system = `#!/bin/sh\n[ "$1" = --version ] && echo '${version}' || echo 'the system'\n`;
  await writeFile(join(folder, 'node'), system, { mode: 0o755 });
  const packages = join(import.meta.dirname, '../../node_modules/.bin');
  const env = { PATH: [packages, folder, process.env['PATH']].join(delimiter) };

  const { stdout } = await run('sh', ['services/node.sh', 'all', '-p', '"the packages"'], { env });

  expect(stdout).toBe(`${expected}\n`);
});
