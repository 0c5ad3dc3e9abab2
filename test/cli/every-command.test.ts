/** What holds for every command, whatever it does. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tidemark } from '../../services/cli/run-cli.ts';
import { CliRun } from '../support/service/cli-run.ts';
import { ReadingServer } from '../support/http/reading-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let server: ReadingServer;

beforeAll(async () => (server = await ReadingServer.start()));
afterAll(() => server.stop());

interface ShownCommand {
  readonly name: string;
  readonly options: readonly string[];
  /** Whether a project may stand before its arguments. */
  readonly takesProject: boolean;
  /** The commands and arguments without which it is not run. */
  readonly words: readonly string[];
}

function commandsOf(command: Command, path: readonly string[] = []): ShownCommand[] {
  const below = command.commands.flatMap((child) => commandsOf(child, [...path, child.name()]));
  if (below.length > 0) return below;
  const usage = command.usage().replaceAll(/<words\.\.\.>/g, '');
  const named = command.registeredArguments.filter(({ required }) => required).map((argument) => argument.name());
  const needed = usage.match(/(?<=<)\w+(?=>)/g) ?? named;
  const mandatory = command.options
    .filter((option) => option.mandatory)
    .flatMap(({ long, argChoices }) => [long ?? '', argChoices?.[0] ?? 'read']);
  return [
    {
      name: path.join(' '),
      options: command.options.map(({ long }) => long ?? ''),
      takesProject: usage.includes('[project]'),
      words: [...needed.map((name) => VALUES[name] ?? '{}'), ...mandatory],
    },
  ];
}

const VALUES: Readonly<Record<string, string>> = { kind: 'profiles', number: '1' };

const COMMANDS = commandsOf(tidemark({ env: {}, out: () => undefined, err: () => undefined }));

// After a change on purpose: `npx vitest run test/cli/every-command.test.ts --update`.
test('the help of every command is as it is kept', async () => {
  const root = tidemark({ env: {}, out: () => undefined, err: () => undefined });

  const texts = withThoseBelow(root).map((command) => command.configureHelp({ helpWidth: 120 }).helpInformation());

  await expect(texts.join('\n\n')).toMatchFileSnapshot('golden/help.txt');
});

function withThoseBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withThoseBelow)];
}

/** `apply` ends with 2 where something differs. */
function usedWrongly(name: string): number {
  return name === 'apply' ? 1 : 2;
}

describe('a wrong key', () => {
  test.each(COMMANDS.filter(({ options }) => options.includes('--url')))(
    '$name with a key that the service does not take is used wrongly, and says so, with an address or without one',
    async ({ name, words }) => {
      const file = join(await temporaryFolder(), 'file.ndjson');
      await writeFile(file, '{}');
      const given = [...name.split(' '), ...(name === 'import' ? [file] : words), '--key', 'wrong'];

      const named = new CliRun([...given, '--url', server.url]);
      const here = new CliRun(given, { env: { PORT: new URL(server.url).port } });

      const code = usedWrongly(name);
      expect([await named.code, named.out, await here.code, here.out]).toEqual([code, '', code, '']);
      expect(named.err).toContain('does not take this key');
      expect(here.err).toContain('does not take this key');
    },
  );
});

describe('two projects', () => {
  const naming = COMMANDS.filter(({ options }) => options.includes('--project'));

  test.each(naming)('$name that is given two projects by --project is used wrongly', async ({ name, words }) => {
    const twice = new CliRun([...name.split(' '), ...words, '--project', 'A', '--project', 'B']);

    expect([await twice.code, twice.out]).toEqual([usedWrongly(name), '']);
    expect(twice.err).toContain('Two projects are named');
  });

  test.each(naming.filter(({ takesProject }) => takesProject))(
    '$name that is given one project before its arguments and another by --project is used wrongly',
    async ({ name, words }) => {
      const two = new CliRun([...name.split(' '), 'A', ...words, '--project', 'B']);

      expect([await two.code, two.out]).toEqual([usedWrongly(name), '']);
      expect(two.err).toContain('Two projects are named: A and --project B');
    },
  );

  test('a project that is named twice alike is one project', async () => {
    const run = new CliRun(['key', 'list', 'A', '--project', 'A', '--project', 'A', '--url', server.url, '--key', 'x']);

    expect(await run.code).toBe(2);
    expect(run.err).toContain('does not take this key');
  });
});
