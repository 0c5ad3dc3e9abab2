import { globSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { tidemark } from '../../services/cli/run-cli.ts';

const PAGES = ['README.md', ...globSync(['docs/*.md', 'deploy/**/*.md'])].sort();
const ROOT = tidemark({ env: {}, out: () => undefined, err: () => undefined });

/** What stands behind `tidemark` in the blocks of a shell, up to a comment, a pipe or the next command. */
function commandsIn(page: string): string[] {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
  const lines = blocks.flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'));
  return lines.flatMap((line) =>
    [
      ...line.matchAll(
        /(?:^|[\s(|&=])(?:\.\/|npx (?:--\S+ )*|npm run (?:--silent )?)tidemark(?: --)?((?: +(?:"[^"]*"|[^\s"'#|>&;)]+))+)/g,
      ),
    ].map(([, words = '']) => words),
  );
}

/** What of these words no command of ours has; undefined where all is there. */
function unknownIn(words: string): string | undefined {
  const [first = '', ...rest] = words.trim().split(/ +/);
  let command: Command | undefined = ROOT.commands.find((one) => one.name() === first);
  if (command === undefined) return first;
  const next = rest[0] ?? '';
  if (command.commands.length > 0) command = command.commands.find((one) => one.name() === next);
  if (command === undefined) return `${first} ${next}`;
  const flags = rest.flatMap((word) => /^--[a-z][\w-]*/.exec(word) ?? []);
  const known = command.options.flatMap(({ long }) => long ?? []);
  return flags.find((flag) => !known.includes(flag) && flag !== '--help');
}

test('every command that a page prints is there, with its options', () => {
  const printed = PAGES.flatMap((page) => commandsIn(page).map((words) => ({ page, words })));
  const unknown = printed.flatMap(({ page, words }) =>
    unknownIn(words) === undefined ? [] : [`${page}: tidemark${words}`],
  );

  expect(printed.length).toBeGreaterThan(80);
  expect(unknown).toEqual([]);
});

test('the list of pages begins with tasks', () => {
  expect(readFileSync('docs/README.md', 'utf8').indexOf('I want to')).toBeLessThan(300);
});
