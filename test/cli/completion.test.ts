import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { CliRun } from '../support/service/cli-run.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MANIFEST = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };

test('--version prints the version of package.json', async () => {
  const run = new CliRun(['--version']);

  expect(await run.code).toBe(0);
  expect(run.out).toBe(`${MANIFEST.version}\n`);
});

async function scriptFor(shell: string): Promise<string> {
  const run = new CliRun(['completion', shell]);
  expect(await run.code).toBe(0);
  return run.out;
}

/** What bash offers for the last word. */
async function offered(...words: string[]): Promise<string[]> {
  const typed = words.map((word) => `'${word}'`).join(' ');
  const ask = `COMP_WORDS=(tidemark ${typed}); COMP_CWORD=${words.length}; _tidemark; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', `${await scriptFor('bash')}\n${ask}`]);
  return stdout.trim().split('\n');
}

test('bash completes commands, the commands below them, options and fixed arguments', async () => {
  expect(await offered('ta')).toEqual(['tail']);
  expect(await offered('')).toContain('audience');
  expect(await offered('replay', 'ro')).toEqual(['rollback']);
  expect(await offered('replay', 'rollback', 'pro')).toEqual(['profiles']);
  expect(await offered('tail', '--user', 'ada', '--ev')).toEqual(['--event']);
  expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish', '--help']);
});

test.each(['zsh', 'fish'])('%s accepts its script, which names every command', async (shell) => {
  const script = await scriptFor(shell);

  for (const word of ['tail', 'status', 'rollback', '--event']) expect(script).toContain(word);
  if (!hasShell(shell)) return;
  // A file, for fish reads no script from a pipe.
  const file = join(await temporaryFolder(), 'script');
  await writeFile(file, script);
  execFileSync(shell, ['-n', file]);
});

test.skipIf(!hasShell('fish'))('fish completes commands and the commands below them', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'script'), await scriptFor('fish'));
  const ask = `source script; complete -C 'tidemark rep'; complete -C 'tidemark replay ro'`;
  const { stdout } = await promisify(execFile)('fish', ['--no-config', '-c', ask], { cwd: folder });

  expect(stdout.trim().split('\n')).toEqual(['replay', 'rollback']);
});

function hasShell(shell: string): boolean {
  try {
    execFileSync(shell, ['--version']);
    return true;
  } catch {
    return false;
  }
}
