import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runProgram } from '../support/program.ts';

// `process.versions` is replaced, as if another version of Node ran.
const OLD =
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.20.2"}})';

test.each(['services/main.js', 'services/cli/tidemark.js'])(
  '%s prints in one line which version of Node it needs',
  async (entry) => {
    const { code, stdout, stderr } = await runProgram(['--import', OLD, entry, '--help']);

    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^tidemark: this is Node 20\.20\.2 .*Node 24 or later.*npm ci && npm start.*\n$/);
  },
);

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
